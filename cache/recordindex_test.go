package cache

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// indexed reopens a store an hour after its files were written, with an index
// of records.
func indexed(t *testing.T, dir string) *Store {
	t.Helper()
	clock := &fakeClock{now: time.Now().Add(touchInterval / 2)}
	s := openAt(t, dir, Options{Clock: clock.Now})
	s.IndexRecords("/project")
	return s
}

// wantOutputs looks up a record and checks how many record files were read.
func wantOutputs(t *testing.T, s *Store, want *Record, read int) {
	t.Helper()
	before := len(s.records.added)
	got, miss := s.Outputs(want.Key, 0)
	if miss != nil {
		t.Fatalf("a miss: %s", miss.Reason)
	}
	outputs, duration := got.Outputs, got.Duration
	if len(outputs) != len(want.Outputs) || duration != want.Duration {
		t.Fatalf("got %+v in %s, want %+v", outputs, duration, want)
	}
	for i := range outputs {
		if outputs[i] != want.Outputs[i] {
			t.Errorf("output %+v, want %+v", outputs[i], want.Outputs[i])
		}
	}
	if n := len(s.records.added) - before; n != read {
		t.Errorf("%d record files were read, want %d", n, read)
	}
}

func closeStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRecordIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := openAt(t, dir, Options{})
	first := mustRecord(t, s, testKey(1), "one", "two")
	second := mustRecord(t, s, testKey(2), "three")
	neighbour := mustRecord(t, s, testKey(1+1<<8), "four") // in the folder of the first
	closeStore(t, s)

	s = indexed(t, dir)
	wantOutputs(t, s, first, 1)
	wantOutputs(t, s, second, 1)
	wantOutputs(t, s, neighbour, 1)
	closeStore(t, s)

	s = indexed(t, dir)
	wantOutputs(t, s, first, 0)
	wantOutputs(t, s, second, 0)
	wantOutputs(t, s, neighbour, 0)
	if !s.records.unchanged(s, first.Key, s.entryPath(recordsDir, first.Key)) {
		t.Error("nothing was written, and the folder counts as changed")
	}
	before := snapshot(t, dir)
	closeStore(t, s)
	if snapshot(t, dir) != before {
		t.Error("the index was saved though nothing has changed")
	}
	other := openAt(t, dir, Options{})
	if other.IndexRecords("/other"); len(other.records.loaded) != 0 {
		t.Error("projects share an index")
	}

	// A different result of the same key and a removed record change the folder. The
	// file of the neighbour is unchanged.
	first = mustRecord(t, other, testKey(1), "other")
	if err := os.Remove(other.entryPath(recordsDir, second.Key)); err != nil {
		t.Fatal(err)
	}
	s = indexed(t, dir)
	wantOutputs(t, s, first, 1)
	wantOutputs(t, s, neighbour, 0)
	if _, miss := s.Outputs(second.Key, 0); miss == nil {
		t.Error("a hit without a record")
	}
	closeStore(t, s)

	// A record that was removed from the store is not used from the index.
	s = indexed(t, dir)
	wantOutputs(t, s, first, 0)
	if _, miss := s.Outputs(second.Key, 0); miss == nil {
		t.Error("a hit without a record")
	}
	// A missing blob is a miss, even if the record is in the index.
	if err := os.Remove(s.entryPath(blobsDir, first.Outputs[0].Digest)); err != nil {
		t.Fatal(err)
	}
	if _, miss := s.Outputs(first.Key, 0); miss == nil {
		t.Error("a hit without its output")
	}
}

// A record that was written shortly before it was read is read again, because a second
// one could have the same times.
func TestRecordIndexRacyRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := openAt(t, dir, Options{})
	rec := mustRecord(t, s, testKey(1), "one")
	st, err := lstat(s.entryPath(recordsDir, rec.Key))
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	justAfter := &fakeClock{now: time.Unix(0, max(st.mtime, st.ctime)).Add(time.Millisecond)}
	for range 2 {
		s = openAt(t, dir, Options{Clock: justAfter.Now})
		s.IndexRecords("/project")
		wantOutputs(t, s, rec, 1)
		closeStore(t, s)
	}
	s = indexed(t, dir)
	wantOutputs(t, s, rec, 1)
	closeStore(t, s)
	wantOutputs(t, indexed(t, dir), rec, 0)
}

// The time of a record is renewed as without an index: once an hour and not in every
// run.
func TestRecordIndexRenewsTimes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := openAt(t, dir, Options{})
	rec := mustRecord(t, s, testKey(1), "one")
	path := s.entryPath(recordsDir, rec.Key)
	closeStore(t, s)
	s = indexed(t, dir)
	wantOutputs(t, s, rec, 1)
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
		s.IndexRecords("/project")
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

func TestRecordIndexDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := openAt(t, dir, Options{})
	rec := mustRecord(t, s, testKey(1), "one")
	closeStore(t, s)
	s = indexed(t, dir)
	wantOutputs(t, s, rec, 1)
	path := s.records.path
	closeStore(t, s)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if i > 200 && i < recordIndexFixedSize-40 && i%97 != 0 {
			continue // the folders, which are all alike
		}
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		for _, b := range [][]byte{bad, good[:i]} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			wantOutputs(t, indexed(t, dir), rec, 1)
		}
	}
	// An index from the future is not used.
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	past := &fakeClock{now: time.Now().Add(-time.Hour)}
	s = openAt(t, dir, Options{Clock: past.Now})
	s.IndexRecords("/project")
	if len(s.records.loaded) != 0 {
		t.Error("an index from the future was used")
	}
}

// Results that were not looked up for a long time are removed from the index.
func TestRecordIndexForgetsIdle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := openAt(t, dir, Options{})
	idle := mustRecord(t, s, testKey(1), "one")
	used := mustRecord(t, s, testKey(2), "two")
	closeStore(t, s)
	s = indexed(t, dir)
	wantOutputs(t, s, idle, 1)
	wantOutputs(t, s, used, 1)
	closeStore(t, s)
	for range maxIdle + 1 {
		s = indexed(t, dir)
		wantOutputs(t, s, used, 0)
		s.records.dirty = true
		closeStore(t, s)
	}
	s = indexed(t, dir)
	if s.records.loaded[idle.Key] != nil || s.records.loaded[used.Key] == nil {
		t.Errorf("the index holds %d records, want the one that is used", len(s.records.loaded))
	}
}

func FuzzDecodeRecordIndex(f *testing.F) {
	h := recordHeader{
		key: testKey(1), written: time.Unix(1, 0), duration: time.Second, stdout: Digest{1},
		outputs: []RecordOutput{{Name: "a", Path: "out/a", Digest: Digest{2}, Size: 3, Mode: 0o644}},
	}
	b := encodeRecordIndex(map[Key]*indexedRecord{h.key: {fileStat: fileStat{size: 1, mtime: 2}, header: h}}, &[256]fileStat{1: {inode: 7}}, time.Unix(1, 0))
	f.Add(b)
	f.Add(b[:len(b)-1])
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= recordIndexFixedSize {
			b = bytes.Clone(b)
			sum := sha256.Sum256(b[36:])
			copy(b[4:], sum[:])
		}
		var folders, again [256]fileStat
		entries, saved, err := decodeRecordIndex(b, &folders)
		if err != nil {
			return
		}
		second, _, err := decodeRecordIndex(encodeRecordIndex(entries, &folders, saved), &again)
		if err != nil || len(second) != len(entries) || again != folders {
			t.Errorf("what was written cannot be read: %v", err)
		}
	})
}
