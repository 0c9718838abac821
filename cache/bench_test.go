package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func BenchmarkPutFile(b *testing.B) {
	for _, size := range []int{100, 64 << 10, 16 << 20} {
		for _, fresh := range []bool{true, false} {
			name := fmt.Sprintf("%d/present", size)
			if fresh {
				name = fmt.Sprintf("%d/new", size)
			}
			b.Run(name, func(b *testing.B) {
				s := newStore(b)
				path := filepath.Join(b.TempDir(), "f")
				content := make([]byte, size)
				for i := range content {
					content[i] = "0123456789abcdef"[i*i%251%16]
				}
				b.SetBytes(int64(size))
				for n := 0; b.Loop(); n++ {
					b.StopTimer()
					if fresh {
						copy(content, fmt.Sprint(n))
					}
					if err := os.WriteFile(path, content, 0o600); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					if _, _, err := s.PutFile(path); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkAction measures the overhead of the store for a small action: one output, a
// log, a lock, a record and a line of history.
func BenchmarkAction(b *testing.B) {
	s := newStore(b)
	path := filepath.Join(b.TempDir(), "f")
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		if err := os.WriteFile(path, fmt.Append(nil, n), 0o600); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		unlock, err := s.LockKey(b.Context(), testKey(n))
		if err != nil {
			b.Fatal(err)
		}
		d, size, err := s.PutFile(path)
		if err != nil {
			b.Fatal(err)
		}
		r := &Record{Key: testKey(n), Stage: "s", Stdout: emptyDigest, Stderr: emptyDigest,
			Outputs: []RecordOutput{{Name: "o", Path: "out/o", Digest: d, Size: size, Mode: 0o644}}}
		if err := s.PutRecord(r); err != nil {
			b.Fatal(err)
		}
		if err := s.AppendHistory("p", "s", "", r.Key, r.Started); err != nil {
			b.Fatal(err)
		}
		unlock()
	}
}

// BenchmarkDurableFiles is the comparison for BenchmarkAction: two files that are written,
// flushed and renamed, which is the minimum for a store that is safe from crashes.
func BenchmarkDurableFiles(b *testing.B) {
	dir := b.TempDir()
	for n := 0; b.Loop(); n++ {
		for i := range 2 {
			tmp := filepath.Join(dir, "tmp")
			f, err := os.Create(tmp)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := f.Write(make([]byte, 300)); err != nil {
				b.Fatal(err)
			}
			if err := f.Sync(); err != nil {
				b.Fatal(err)
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
			if err := os.Rename(tmp, filepath.Join(dir, fmt.Sprint(n, i))); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// manyRecords returns a store with n records of 20 components each.
func manyRecords(b *testing.B, n int) *Store {
	s := newStore(b)
	for i := range n {
		d := mustPutFast(b, s, fmt.Appendf(nil, "content %d", i))
		r := &Record{Key: digestKey(i), Stage: "copy", Instance: fmt.Sprint("n=", i), Started: time.Unix(1_800_000_000, 0), Duration: time.Second,
			Stdout: emptyDigest, Stderr: emptyDigest, Outputs: []RecordOutput{{Name: "o", Path: "out/o", Digest: d, Size: 10, Mode: 0o644}}}
		for c := range 20 {
			r.Components = append(r.Components, Component{Name: fmt.Sprint("component:", c), Digest: d, Value: "value"})
		}
		enc, err := encodeRecord(r, time.Now())
		if err != nil {
			b.Fatal(err)
		}
		if err := s.writeFile(s.entryPath(recordsDir, r.Key), enc, 0); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func digestKey(i int) Key { return Key(digestOf(fmt.Sprint("key ", i))) }

// mustPutFast stores a file without waiting for the disk.
func mustPutFast(b *testing.B, s *Store, content []byte) Digest {
	d := digestOf(string(content))
	if err := s.writeFile(s.entryPath(blobsDir, d), encodeBlob(content), 0); err != nil {
		b.Fatal(err)
	}
	return d
}

// BenchmarkOutputs10000 measures the work of the store in a no-op run of 10,000 instances.
// b.N counts whole runs.
func BenchmarkOutputs10000(b *testing.B) {
	const n = 10_000
	s := manyRecords(b, n)
	b.ReportAllocs()
	for b.Loop() {
		for i := range n {
			if _, miss := s.Outputs(digestKey(i), 0); miss != nil {
				b.Fatal(miss.Reason)
			}
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	s := manyRecords(b, 100)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, miss := s.Lookup(digestKey(n % 100)); miss != nil {
			b.Fatal(miss.Reason)
		}
	}
}

// BenchmarkStatIndex10000 opens the index of 10,000 unchanged files and looks up each.
func BenchmarkStatIndex10000(b *testing.B) {
	const n = 10_000
	s := newStore(b)
	s.clock = func() time.Time { return time.Now().Add(time.Minute) }
	dir := b.TempDir()
	paths := make([]string, n)
	x := s.OpenStatIndex("p")
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprint("file", i))
		if err := os.WriteFile(paths[i], fmt.Append(nil, i), 0o600); err != nil {
			b.Fatal(err)
		}
		if _, _, _, err := x.File(paths[i]); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.Save(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		x := s.OpenStatIndex("p")
		for _, p := range paths {
			if _, _, _, err := x.File(p); err != nil {
				b.Fatal(err)
			}
		}
		if files, _ := x.hashed(); files != 0 {
			b.Fatalf("%d files were hashed", files)
		}
	}
}
