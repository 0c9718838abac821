package cache

import (
	"bytes"
	"testing"
	"time"
)

// The list of what an action read is kept, exported and indexed with its record.
func TestReadsOfARecord(t *testing.T) {
	s := newStore(t)
	with, without := mustRecord(t, s, testKey(1), "a"), mustRecord(t, s, testKey(2), "b")
	with.Reads = mustPut(t, s, "reads")
	if err := s.PutRecord(with); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), GCOptions{MaxAge: time.Hour}); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, s)
	check := func(s *Store) {
		t.Helper()
		for _, r := range []*Record{with, without} {
			if got, miss := s.Outputs(r.Key, 0); miss != nil || got.Reads != r.Reads {
				t.Errorf("the result has the reads %s, want %s; %v", got.Reads, r.Reads, miss)
			}
			if got, err := s.Record(r.Key); err != nil || got.Reads != r.Reads {
				t.Errorf("the record has other reads than %s: %v", r.Reads, err)
			}
		}
		if b, err := s.Bytes(with.Reads); err != nil || string(b) != "reads" {
			t.Errorf("the list is %q, %v", b, err)
		}
	}
	for range 2 { // the second time with an index
		s.IndexRecords("project")
		check(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * fineTick)
		s = openAt(t, s.Dir(), Options{})
	}
	var archive bytes.Buffer
	if _, err := s.Export(t.Context(), &archive, ExportOptions{Keys: []Key{with.Key, without.Key}}); err != nil {
		t.Fatal(err)
	}
	other := newStore(t)
	if _, err := other.Import(t.Context(), &archive, onTrust); err != nil {
		t.Fatal(err)
	}
	check(other)
	missing := *with
	missing.Reads = Digest{1}
	if err := other.PutRecord(&missing); err == nil {
		t.Error("a record was stored without its list")
	}
}
