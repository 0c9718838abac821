package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// gcStore returns a store without writers, with four records. Three share a blob. Each was
// used one day after the previous one.
func gcStore(t *testing.T) (*Store, *fakeClock, []*Record) {
	t.Helper()
	clock := newClock()
	dir := filepath.Join(t.TempDir(), "cache")
	w := openAt(t, dir, Options{Clock: clock.Now})
	var records []*Record
	for i := range 4 {
		contents := []string{fmt.Sprint("own of ", i), "shared"}
		if i == 3 {
			contents = contents[:1]
		}
		records = append(records, mustRecord(t, w, testKey(i), contents...))
		clock.Advance(24 * time.Hour)
	}
	w.Close()
	return openAt(t, dir, Options{Clock: clock.Now}), clock, records
}

// hits looks records up without renewing their times.
func hits(t *testing.T, s *Store, records []*Record) string {
	t.Helper()
	s = openAt(t, s.dir, Options{ReadOnly: true, Clock: s.clock})
	out := ""
	for _, r := range records {
		if _, miss := s.Lookup(r.Key); miss == nil {
			out += "h"
		} else {
			out += "-"
		}
	}
	return out
}

func mustVerify(t *testing.T, s *Store) {
	t.Helper()
	v, err := s.Verify(t.Context(), VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Problems {
		t.Errorf("%s: %s", p.Path, p.Reason)
	}
}

func TestGCByAge(t *testing.T) {
	s, _, records := gcStore(t)
	res, err := s.GC(t.Context(), GCOptions{MaxAge: 60 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if res.Records != 2 || res.KeptRecords != 2 || res.Blobs != 4 || res.KeptBlobs != 5 {
		t.Errorf("%+v", res)
	}
	if got := hits(t, s, records); got != "--hh" {
		t.Errorf("hits %s", got)
	}
	_, miss := s.Lookup(records[0].Key)
	if miss.Kind != Evicted || miss.Reason != "evicted 2026-11-24 by age" {
		t.Errorf("%+v", miss)
	}
	mustVerify(t, s)
}

func TestGCBySize(t *testing.T) {
	s, clock, records := gcStore(t)
	// A use of the oldest record makes it the youngest.
	if _, miss := s.Lookup(records[0].Key); miss != nil {
		t.Fatal(miss)
	}
	clock.Advance(time.Hour)
	st, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	total := st.BlobBytes + st.RecordBytes
	for _, dry := range []bool{true, false} {
		res, err := s.GC(t.Context(), GCOptions{MaxBytes: total - 1, DryRun: dry})
		if err != nil {
			t.Fatal(err)
		}
		if res.Records != 1 || res.Blobs != 2 || res.KeptBytes >= total || res.KeptBytes+res.Bytes != total {
			t.Errorf("dry %v: %+v of %d", dry, res, total)
		}
		want := "hhhh"
		if !dry {
			want = "h-hh"
		}
		if got := hits(t, s, records); got != want {
			t.Errorf("dry %v: hits %s", dry, got)
		}
	}
	mustVerify(t, s)
	_, miss := s.Lookup(records[1].Key)
	if miss.Kind != Evicted || !strings.HasPrefix(miss.Reason, "evicted 2026-11-24 by size") {
		t.Errorf("%+v", miss)
	}
	if _, err := s.GC(t.Context(), GCOptions{MaxBytes: 1}); err != nil {
		t.Fatal(err)
	}
	if st, _ := s.Stats(); st.Blobs+st.Records != 0 || st.Tombstones != 4 {
		t.Errorf("after emptying: %+v", st)
	}
	// A record that is stored again has no tombstone.
	mustRecord(t, s, records[1].Key, "again")
	if _, miss := s.Lookup(records[1].Key); miss != nil {
		t.Errorf("%+v", miss)
	}
	if st, _ := s.Stats(); st.Tombstones != 3 {
		t.Errorf("%+v", st)
	}
}

func TestGCKeepsTreesAndComponents(t *testing.T) {
	clock := newClock()
	dir := filepath.Join(t.TempDir(), "cache")
	w := openAt(t, dir, Options{Clock: clock.Now})
	tree, _, err := w.PutTree(makeTree(t, "a", "d/", "d/b"))
	if err != nil {
		t.Fatal(err)
	}
	input := mustPut(t, w, "an input kept for explanations")
	r := &Record{Key: testKey(1), Stage: "s", Outputs: []RecordOutput{{Name: "t", Path: "out/t", Digest: tree, Dir: true}},
		Components: []Component{{Name: "input:x", Digest: input}, {Name: "command", Digest: Digest{4}}}}
	if err := w.PutRecord(r); err != nil {
		t.Fatal(err)
	}
	orphan := mustPut(t, w, "nobody's")
	w.Close()
	clock.Advance(time.Hour)

	s := openAt(t, dir, Options{Clock: clock.Now})
	res, err := s.GC(t.Context(), GCOptions{})
	if err != nil || res.Blobs != 1 || res.KeptBlobs != 4 {
		t.Errorf("%+v, %v", res, err)
	}
	if s.Has(orphan) || !s.Has(input) {
		t.Error("the orphan should go and the input stay")
	}
	if err := s.MaterializeTree(tree, filepath.Join(t.TempDir(), "x")); err != nil {
		t.Error(err)
	}
}

func TestGCSparesBlobsOfLiveWriters(t *testing.T) {
	clock := newClock()
	dir := filepath.Join(t.TempDir(), "cache")
	s := openAt(t, dir, Options{Clock: clock.Now})
	old := mustPut(t, s, "from an earlier process")
	unused := mustPut(t, s, "not wanted any more")
	s.Close()
	clock.Advance(time.Hour)

	w := openAt(t, dir, Options{Clock: clock.Now})
	fresh := mustPut(t, w, "not recorded yet")
	if _, err := w.PutBytes([]byte("from an earlier process")); err != nil {
		t.Fatal(err)
	}
	clock.Advance(-48 * time.Hour) // a clock that jumps back spoils nothing
	late := mustPut(t, w, "stored after the jump")
	clock.Advance(96 * time.Hour)

	gc := openAt(t, dir, Options{Clock: clock.Now})
	if _, err := gc.GC(t.Context(), GCOptions{MaxBytes: 1, MaxAge: time.Minute}); err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]Digest{"fresh": fresh, "reused": old, "after the jump": late} {
		if !w.Has(d) {
			t.Errorf("the %s blob is gone", name)
		}
	}
	if w.Has(unused) {
		t.Error("the unused blob stayed")
	}
	w.Close()
	if _, err := gc.GC(t.Context(), GCOptions{}); err != nil {
		t.Fatal(err)
	}
	if st, _ := gc.Stats(); st.Blobs != 0 {
		t.Errorf("orphans stay after their writer's end: %+v", st)
	}
}

func TestGCLeftovers(t *testing.T) {
	s, clock, _ := gcStore(t)
	tmp, lock, session := s.path(tmpDir, "w-1"), s.path(locksDir, keyLockPrefix+"x"), s.path(locksDir, writerPrefix+"1")
	for _, p := range []string{tmp, lock, session} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unlock, err := s.LockKey(t.Context(), testKey(9))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	clock.mu.Lock()
	clock.now = time.Now().Add(2 * time.Hour)
	clock.mu.Unlock()
	if _, err := s.GC(t.Context(), GCOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{tmp, lock, session} {
		if _, err := os.Stat(p); err == nil {
			t.Errorf("%s is still there", p)
		}
	}
	if again, err := s.tryLockKey(testKey(9)); err != nil || again != nil {
		t.Errorf("the lock in use is free after an eviction: %v", err)
	}
}

func TestGCRemovesExpiredAndCorrupt(t *testing.T) {
	s, clock, records := gcStore(t)
	r := *records[0]
	r.Expires = clock.Now().Add(time.Hour)
	if err := s.PutRecord(&r); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := os.WriteFile(s.entryPath(recordsDir, records[1].Key), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	clock.Advance(2 * time.Hour)
	res, err := s.GC(t.Context(), GCOptions{})
	if err != nil || res.Records != 2 {
		t.Errorf("%+v, %v", res, err)
	}
	_, miss := s.Lookup(r.Key)
	if miss.Kind != Evicted || !strings.Contains(miss.Reason, "expired") {
		t.Errorf("%+v", miss)
	}
	if _, miss := s.Lookup(records[1].Key); miss.Kind != Corrupt {
		t.Errorf("%+v", miss)
	}
}

func TestTrimOnceADay(t *testing.T) {
	clock := newClock()
	dir := filepath.Join(t.TempDir(), "cache")
	w := openAt(t, dir, Options{Clock: clock.Now})
	mustRecord(t, w, testKey(1), "x")
	w.Close()
	s := openAt(t, dir, Options{Clock: clock.Now, MaxBytes: 1})
	trim := func() (int, bool) {
		t.Helper()
		res, did, err := s.Trim(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return res.Records, did
	}
	if n, did := trim(); n != 1 || !did {
		t.Errorf("%d, %v", n, did)
	}
	clock.Advance(23 * time.Hour)
	if _, did := trim(); did {
		t.Error("twice a day")
	}
	clock.Advance(2 * time.Hour)
	if _, did := trim(); !did {
		t.Error("not after a day")
	}
	clock.Advance(-72 * time.Hour)
	if _, did := trim(); !did {
		t.Error("never again after the clock jumped back")
	}
}

func TestVerify(t *testing.T) {
	s, _, records := gcStore(t)
	mustVerify(t, s)
	blob := s.entryPath(blobsDir, records[0].Outputs[0].Digest)
	b, err := os.ReadFile(blob)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	if err := os.WriteFile(blob, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(s.entryPath(recordsDir, records[1].Key), 100); err != nil {
		t.Fatal(err)
	}
	os.Remove(s.entryPath(blobsDir, records[3].Outputs[0].Digest))

	for _, fix := range []bool{false, true} {
		v, err := s.Verify(t.Context(), VerifyOptions{Fix: fix})
		if err != nil {
			t.Fatal(err)
		}
		// The blob, its record, the truncated record, and the record without its blob.
		if len(v.Problems) != 4 || v.Problems[0].Fixed != fix || v.Records != 4 {
			t.Errorf("fix %v: %+v", fix, v)
		}
	}
	mustVerify(t, s)
	if got := hits(t, s, records); got != "--h-" {
		t.Errorf("hits %s", got)
	}
}

func TestListAndStats(t *testing.T) {
	s, clock, records := gcStore(t)
	if err := os.Truncate(s.entryPath(recordsDir, records[3].Key), 10); err != nil {
		t.Fatal(err)
	}
	var infos []RecordInfo
	if err := s.List(func(i RecordInfo) error { infos = append(infos, i); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(infos) != 4 {
		t.Fatalf("%d records", len(infos))
	}
	first := infos[0]
	if first.Stage != "stage" || first.Instance != "run=1" || first.Bytes != int64(len("own of 0")+len("shared")) || !first.Written.Equal(clock.Now().Add(-96*time.Hour)) {
		t.Errorf("%+v", first)
	}
	if infos[3].Problem == "" {
		t.Errorf("%+v", infos[3])
	}
	stop := errors.New("enough")
	if err := s.List(func(RecordInfo) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	st, err := s.Stats()
	if err != nil || st.Records != 4 || st.Blobs != 9 || st.BlobBytes == 0 || st.Dir != s.Dir() {
		t.Errorf("%+v, %v", st, err)
	}
}

// A record that is used after it was listed and before its removal stays, with its blobs.
func TestGCSparesWhatIsUsedMeanwhile(t *testing.T) {
	s, clock, records := gcStore(t)
	blobs, listed, err := s.gcScan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	never := func(time.Time) bool { return false }
	s.gcChoose(GCOptions{MaxBytes: 1}, blobs, listed, never)
	clock.Advance(2 * touchInterval)
	if _, miss := s.Lookup(records[1].Key); miss != nil {
		t.Fatal(miss)
	}
	var res GCResult
	if err := s.gcRecords(t.Context(), listed, &res); err != nil {
		t.Fatal(err)
	}
	if err := s.gcBlobs(t.Context(), blobs, never, &res); err != nil {
		t.Fatal(err)
	}
	if got := hits(t, s, records); got != "-h--" || res.Records != 3 || res.KeptRecords != 1 {
		t.Errorf("hits %s, %+v", got, res)
	}
	mustVerify(t, s)
}

// A writer that records a directory while an eviction works, and ends before the blobs are removed,
// keeps the files of the directory, whose times the record does not renew. The clock tells how far
// the eviction is.
func TestGCSparesBlobsOfWritersThatEndMeanwhile(t *testing.T) {
	for end := 1; ; end++ {
		clock := newClock()
		dir := filepath.Join(t.TempDir(), "cache")
		w := openAt(t, dir, Options{Clock: clock.Now})
		tree, _, err := w.PutTree(makeTree(t, "a", "d/", "d/b"))
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		gc := openAt(t, dir, Options{Clock: func() time.Time {
			if calls++; calls == end {
				r := &Record{Key: testKey(end), Stage: "s", Outputs: []RecordOutput{{Name: "t", Path: "out/t", Digest: tree, Dir: true}}}
				if err := w.PutRecord(r); err != nil {
					t.Error(err)
				}
				w.Close()
			}
			clock.Advance(time.Second)
			return clock.Now()
		}})
		calls = 0
		if _, err := gc.GC(t.Context(), GCOptions{MaxAge: time.Hour}); err != nil {
			t.Fatal(err)
		}
		ended := calls >= end
		calls = end
		mustVerify(t, gc)
		if !ended {
			if end < 4 {
				t.Errorf("the eviction asked the clock only %d times", end-1)
			}
			return
		}
	}
}
