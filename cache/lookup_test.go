package cache

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func wantOutputs(t *testing.T, s *Store, want *Record) {
	t.Helper()
	got, miss := s.Outputs(want.Key, 0)
	if miss != nil {
		t.Fatalf("a miss: %s", miss.Reason)
	}
	if !slices.Equal(got.Outputs, want.Outputs) || got.Duration != want.Duration {
		t.Fatalf("got %+v in %s, want %+v", got.Outputs, got.Duration, want)
	}
}

func closeStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOutputsOfOtherStores looks up results that another process replaced or removed
// meanwhile.
func TestOutputsOfOtherStores(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	other := openAt(t, dir, Options{})
	first := mustRecord(t, other, testKey(1), "one", "two")
	second := mustRecord(t, other, testKey(2), "three")
	neighbour := mustRecord(t, other, testKey(1+1<<8), "four") // in the folder of the first

	s := openAt(t, dir, Options{})
	for _, r := range []*Record{first, second, neighbour} {
		wantOutputs(t, s, r)
	}
	before := snapshot(t, dir)
	closeStore(t, s)
	if snapshot(t, dir) != before {
		t.Error("the store was changed though nothing was stored")
	}

	s = openAt(t, dir, Options{})
	wantOutputs(t, s, first)
	first = mustRecord(t, other, testKey(1), "other")
	if err := os.Remove(other.entryPath(recordsDir, second.Key)); err != nil {
		t.Fatal(err)
	}
	wantOutputs(t, s, first)
	wantOutputs(t, s, neighbour)
	if _, miss := s.Outputs(second.Key, 0); miss == nil {
		t.Error("a hit without a record")
	}
	if err := os.Remove(s.entryPath(blobsDir, first.Outputs[0].Digest)); err != nil {
		t.Fatal(err)
	}
	if _, miss := s.Outputs(first.Key, 0); miss == nil {
		t.Error("a hit without its output")
	}
}

// The time of a record is renewed once an hour and not in every run.
func TestOutputsRenewTimes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := openAt(t, dir, Options{})
	rec := mustRecord(t, s, testKey(1), "one")
	path := s.entryPath(recordsDir, rec.Key)
	closeStore(t, s)

	later := &fakeClock{now: time.Now().Add(2 * touchInterval)}
	mtime := func() time.Time {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return st.ModTime()
	}
	for range 3 {
		s = openAt(t, dir, Options{Clock: later.Now})
		if _, miss := s.Outputs(rec.Key, 0); miss != nil {
			t.Fatal(miss.Reason)
		}
		if got := mtime(); !got.Equal(later.Now()) {
			t.Fatalf("the record's time is %s, want %s", got, later.Now())
		}
		closeStore(t, s)
		later.Advance(touchInterval / 4)
		if _, miss := s.Outputs(rec.Key, 0); miss != nil {
			t.Fatal(miss.Reason)
		}
		if mtime().Equal(later.Now()) {
			t.Fatal("the record's time was renewed within the hour")
		}
		later.Advance(touchInterval)
	}
}
