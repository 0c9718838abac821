package cache

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// aged writes a file that was last changed well before now.
func aged(t testing.TB, path, content string, clock *fakeClock) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	clock.mu.Lock()
	clock.now = time.Now().Add(time.Minute)
	clock.mu.Unlock()
}

func digestOf(content string) Digest { return sha256.Sum256([]byte(content)) }

func wantFile(t *testing.T, x *StatIndex, path, content string, hashed int) {
	t.Helper()
	before, _ := x.hashed()
	d, n, mode, err := x.File(path)
	if err != nil {
		t.Fatal(err)
	}
	if d != digestOf(content) || n != int64(len(content)) || mode.Perm() != mode || mode == 0 {
		t.Errorf("%s: wrong answer %v %d %v", path, d.Short(), n, mode)
	}
	if after, _ := x.hashed(); after-before != hashed {
		t.Errorf("%s: hashed %d files, want %d", path, after-before, hashed)
	}
}

func TestStatIndex(t *testing.T) {
	clock := newClock()
	dir := filepath.Join(t.TempDir(), "cache")
	s := openAt(t, dir, Options{Clock: clock.Now})
	file := filepath.Join(t.TempDir(), "data.json")
	aged(t, file, "one", clock)

	x := s.OpenStatIndex("/project")
	wantFile(t, x, file, "one", 1)
	wantFile(t, x, file, "one", 0)
	if err := x.Save(); err != nil {
		t.Fatal(err)
	}

	x = s.OpenStatIndex("/project")
	wantFile(t, x, file, "one", 0)
	if other := s.OpenStatIndex("/other"); len(other.entries) != 0 {
		t.Error("projects share an index")
	}
	before := snapshot(t, dir)
	if err := x.Save(); err != nil {
		t.Fatal(err)
	}
	if snapshot(t, dir) != before {
		t.Error("saved though nothing has changed")
	}

	// The change time reveals an edit that keeps size and modification time.
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	aged(t, file, "two", clock)
	if err := os.Chtimes(file, st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	wantFile(t, x, file, "two", 1)

	// So does a different file at the same path.
	other := file + ".new"
	aged(t, other, "six", clock)
	if err := os.Rename(other, file); err != nil {
		t.Fatal(err)
	}
	wantFile(t, x, file, "six", 1)
}

func TestStatIndexRacyFile(t *testing.T) {
	s := newStore(t)
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	clock := &fakeClock{now: st.ModTime().Add(time.Millisecond)}
	s.clock = clock.Now
	x := s.OpenStatIndex("p")
	wantFile(t, x, file, "one", 1)
	wantFile(t, x, file, "one", 1)
	clock.Advance(time.Minute)
	wantFile(t, x, file, "one", 1)
	wantFile(t, x, file, "one", 0)
}

func TestSettled(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 500_000_000, time.UTC)
	at := func(d time.Duration) int64 { return now.Add(d).UnixNano() }
	for _, tc := range []struct {
		name         string
		mtime, ctime int64
		want         bool
	}{
		{"just now", at(0), at(0), false},
		{"within a tick", at(-40 * time.Millisecond), at(-40 * time.Millisecond), false},
		{"before the tick", at(-60 * time.Millisecond), at(-60 * time.Millisecond), true},
		{"old content moved here just now", at(-time.Hour), at(0), false},
		{"whole seconds, short ago", now.Truncate(time.Second).UnixNano(), now.Truncate(time.Second).UnixNano(), false},
		{"whole seconds, long ago", now.Truncate(time.Minute).Add(-time.Minute).UnixNano(), now.Truncate(time.Minute).Add(-time.Minute).UnixNano(), true},
		{"future", at(time.Hour), at(0), false},
	} {
		e := fileStat{mtime: tc.mtime, ctime: tc.ctime}
		if got := e.settled(now); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestStatIndexClockJumpsBack(t *testing.T) {
	clock := newClock()
	s := openAt(t, filepath.Join(t.TempDir(), "c"), Options{Clock: clock.Now})
	file := filepath.Join(t.TempDir(), "f")
	aged(t, file, "one", clock)
	x := s.OpenStatIndex("p")
	wantFile(t, x, file, "one", 1)
	if err := x.Save(); err != nil {
		t.Fatal(err)
	}
	clock.Advance(-24 * time.Hour)
	// In this process: the file's times are now in the future.
	wantFile(t, x, file, "one", 1)
	// On the disk: the index is in the future.
	x = s.OpenStatIndex("p")
	if !strings.Contains(x.Problem, "in the future") {
		t.Errorf("problem %q", x.Problem)
	}
	wantFile(t, x, file, "one", 1)
}

func TestStatIndexDamaged(t *testing.T) {
	clock := newClock()
	s := openAt(t, filepath.Join(t.TempDir(), "c"), Options{Clock: clock.Now})
	file := filepath.Join(t.TempDir(), "f")
	aged(t, file, "one", clock)
	x := s.OpenStatIndex("p")
	wantFile(t, x, file, "one", 1)
	if err := x.Save(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(x.path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		bad := append([]byte(nil), good...)
		bad[i] ^= 1 << (i % 8)
		if err := os.WriteFile(x.path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		y := s.OpenStatIndex("p")
		if y.Problem == "" {
			t.Fatalf("byte %d flipped: nobody noticed", i)
		}
		if err := os.WriteFile(x.path, good[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		if y := s.OpenStatIndex("p"); y.Problem == "" {
			t.Fatalf("cut at %d: nobody noticed", i)
		}
	}
	y := s.OpenStatIndex("p")
	wantFile(t, y, file, "one", 1)
	if err := y.Save(); err != nil {
		t.Fatal(err)
	}
	if z := s.OpenStatIndex("p"); z.Problem != "" {
		t.Errorf("saving did not repair it: %s", z.Problem)
	}
}

func TestStatIndexErrors(t *testing.T) {
	s := newStore(t)
	x := s.OpenStatIndex("p")
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                        "a directory, not a regular file",
		link:                       "a symbolic link",
		filepath.Join(dir, "none"): "create the file or correct its name",
	} {
		_, _, _, err := x.File(path)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestStatIndexForgets(t *testing.T) {
	clock := newClock()
	s := openAt(t, filepath.Join(t.TempDir(), "c"), Options{Clock: clock.Now})
	dir := t.TempDir()
	kept, gone := filepath.Join(dir, "kept"), filepath.Join(dir, "gone")
	aged(t, kept, "k", clock)
	aged(t, gone, "g", clock)
	x := s.OpenStatIndex("p")
	wantFile(t, x, gone, "g", 1)
	wantFile(t, x, kept, "k", 1)
	for range maxIdle + 2 {
		if err := x.Save(); err != nil {
			t.Fatal(err)
		}
		x = s.OpenStatIndex("p")
		wantFile(t, x, kept, "k", 0)
		x.dirty = true
	}
	if x.entries[gone] != nil || x.entries[kept] == nil {
		t.Errorf("entries: %v", x.entries)
	}
}

func TestStatIndexConcurrent(t *testing.T) {
	clock := newClock()
	s := openAt(t, filepath.Join(t.TempDir(), "c"), Options{Clock: clock.Now})
	dir := t.TempDir()
	x := s.OpenStatIndex("p")
	for i := range 20 {
		aged(t, filepath.Join(dir, fmt.Sprint(i)), fmt.Sprint("content ", i), clock)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				n := (i + g) % 20
				d, _, _, err := x.File(filepath.Join(dir, fmt.Sprint(n)))
				if err != nil || d != digestOf(fmt.Sprint("content ", n)) {
					t.Errorf("%d: %v %v", n, d.Short(), err)
				}
			}
			if err := x.Save(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func FuzzDecodeStatIndex(f *testing.F) {
	encoded := func(entries map[string]*statEntry, saved time.Time) []byte {
		var b bytes.Buffer
		if err := encodeStatIndex(&b, entries, saved); err != nil {
			f.Fatal(err)
		}
		return b.Bytes()
	}
	b := encoded(map[string]*statEntry{"/a": {fileStat: fileStat{size: 1, mtime: 2, ctime: 3, inode: 4, mode: 5}, digest: Digest{6}}, "/b": {}}, time.Unix(1, 0))
	f.Add(b)
	f.Add(b[:len(b)-1])
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= statFixedSize {
			b = append([]byte(nil), b...)
			sum := sha256.Sum256(b[36:])
			copy(b[4:], sum[:])
		}
		entries, saved, err := decodeStatIndex(b)
		if err != nil {
			return
		}
		again, _, err := decodeStatIndex(encoded(entries, saved))
		if err != nil || len(again) != len(entries) {
			t.Errorf("what was written cannot be read: %v", err)
		}
	})
}
