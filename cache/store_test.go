package cache

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeClock is a clock that tests set.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *fakeClock { return &fakeClock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)} }

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func openAt(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newStore(t testing.TB) *Store {
	return openAt(t, filepath.Join(t.TempDir(), "cache"), Options{})
}

func testKey(n int) Key {
	return Key{0: byte(n), 1: byte(n >> 8), 2: byte(n >> 16), 31: 1}
}

func mustPut(t testing.TB, s *Store, content string) Digest {
	t.Helper()
	d, err := s.PutBytes([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// mustRecord stores a record with one output for each given content.
func mustRecord(t testing.TB, s *Store, k Key, contents ...string) *Record {
	t.Helper()
	r := &Record{
		Key: k, Stage: "stage", Instance: "run=1", Started: s.clock(), Duration: 1500 * time.Millisecond,
		PeakMemory: 12 << 20, Attempts: 1, Executor: "local", Isolation: []string{"landlock"},
		Components: []Component{{Name: "command", Digest: Digest{1}, Value: "cp a b"}, {Name: "input:a", Digest: Digest{2}}},
		Stdout:     mustPut(t, s, "some log of "+k.Short()), Stderr: emptyDigest,
	}
	for i, c := range contents {
		name := string(rune('a' + i))
		r.Outputs = append(r.Outputs, RecordOutput{Name: name, Path: "out/" + name, Digest: mustPut(t, s, c), Size: int64(len(c)), Mode: 0o644})
	}
	if err := s.PutRecord(r); err != nil {
		t.Fatal(err)
	}
	return r
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(b)
	return b
}

func TestBlobRoundTrip(t *testing.T) {
	s := newStore(t)
	contents := map[string][]byte{
		"empty":              nil,
		"one byte":           {'x'},
		"just raw":           bytes.Repeat([]byte("a"), minCompress-1),
		"just compressed":    bytes.Repeat([]byte("a"), minCompress),
		"random":             randomBytes(100_000),
		"small file's limit": bytes.Repeat([]byte("0123456789"), smallFile/10+1)[:smallFile],
		"large":              bytes.Repeat([]byte("0123456789"), smallFile/5),
		"large random":       randomBytes(smallFile + 12345),
	}
	for name, want := range contents {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, want, 0o600); err != nil {
				t.Fatal(err)
			}
			d, n, err := s.PutFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if n != int64(len(want)) {
				t.Errorf("size %d, want %d", n, len(want))
			}
			if d2, err := s.PutBytes(want); err != nil || d2 != d {
				t.Errorf("PutBytes gives %v, %v and PutFile %v", d2, err, d)
			}
			if !s.Has(d) {
				t.Error("the store does not have it")
			}
			got, err := s.Bytes(d)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %d bytes back, %v", len(got), err)
			}
			out := filepath.Join(t.TempDir(), "out")
			if err := s.Materialize(d, out, 0o751); err != nil {
				t.Fatal(err)
			}
			if got, _ := os.ReadFile(out); !bytes.Equal(got, want) {
				t.Error("other bytes in the materialised file")
			}
			if st, _ := os.Stat(out); st.Mode().Perm() != 0o751 {
				t.Errorf("mode %v", st.Mode())
			}
		})
	}
}

func TestCompression(t *testing.T) {
	s := newStore(t)
	for _, tc := range []struct {
		name    string
		content []byte
		max     int64
	}{
		{"text shrinks", bytes.Repeat([]byte("all work and no play "), 100_000), 10_000},
		{"noise stays", randomBytes(3 << 20), 3<<20 + blobHeaderSize},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, tc.content, 0o600); err != nil {
			t.Fatal(err)
		}
		d, _, err := s.PutFile(path)
		if err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(s.entryPath(blobsDir, d))
		if err != nil || st.Size() > tc.max {
			t.Errorf("%s: %d bytes on disk, want at most %d (%v)", tc.name, st.Size(), tc.max, err)
		}
	}
}

func TestMissingBlob(t *testing.T) {
	s := newStore(t)
	if s.Has(Digest{1}) {
		t.Error("has what nobody put")
	}
	if err := s.Copy(Digest{1}, io.Discard); !errors.Is(err, ErrNotFound) {
		t.Errorf("Copy: %v", err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := s.Materialize(Digest{1}, out, 0o644); !errors.Is(err, ErrNotFound) {
		t.Errorf("Materialize: %v", err)
	}
	assertEmpty(t, filepath.Dir(out))
}

func assertEmpty(t *testing.T, dir string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		t.Errorf("%s was left in %s", e.Name(), dir)
	}
}

func TestPutFileRefuses(t *testing.T) {
	s := newStore(t)
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("target", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                          "a directory",
		link:                         "a symbolic link",
		filepath.Join(dir, "nobody"): "no such file",
	} {
		_, _, err := s.PutFile(path)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("PutFile(%s): %v", path, err)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Run("newer version", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "VERSION"), []byte("touchstone cache 2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, Options{})
		var ve *VersionError
		if !errors.As(err, &ve) || ve.Version != 2 || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "TOUCHSTONE_CACHE") {
			t.Errorf("got %v", err)
		}
		if list, _ := os.ReadDir(dir); len(list) != 1 {
			t.Errorf("the newer store was touched: %v", list)
		}
	})
	t.Run("damaged version", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "VERSION"), []byte("touchstone c"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("somebody else's directory", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "thesis.tex") {
			t.Errorf("got %v", err)
		}
		if list, _ := os.ReadDir(dir); len(list) != 1 {
			t.Errorf("files were made in it: %v", list)
		}
	})
	t.Run("not a directory", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(filepath.Join(file, "cache"), Options{}); err == nil || !strings.Contains(err.Error(), "TOUCHSTONE_CACHE") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("read-only needs a store", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "none")
		if _, err := Open(dir, Options{ReadOnly: true}); err == nil {
			t.Error("opened what is not there")
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("created it")
		}
	})
	t.Run("private", func(t *testing.T) {
		s := newStore(t)
		if st, err := os.Stat(s.dir); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("mode %v, %v", st.Mode(), err)
		}
	})
}

func TestDefaultDir(t *testing.T) {
	t.Setenv("TOUCHSTONE_CACHE", "some/where")
	if dir, err := DefaultDir(); err != nil || !filepath.IsAbs(dir) || !strings.HasSuffix(dir, filepath.FromSlash("some/where")) {
		t.Errorf("got %q, %v", dir, err)
	}
	t.Setenv("TOUCHSTONE_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if dir, err := DefaultDir(); err != nil || filepath.Base(dir) != "touchstone" {
		t.Errorf("got %q, %v", dir, err)
	}
}

func TestReadOnlyChangesNothing(t *testing.T) {
	clock := newClock()
	dir := filepath.Join(t.TempDir(), "cache")
	w := openAt(t, dir, Options{Clock: clock.Now})
	rec := mustRecord(t, w, testKey(1), "hello")
	w.Close()
	before := snapshot(t, dir)

	clock.Advance(48 * time.Hour)
	s := openAt(t, dir, Options{ReadOnly: true, Clock: clock.Now})
	if _, miss := s.Lookup(rec.Key); miss != nil {
		t.Errorf("miss: %v", miss)
	}
	if b, err := s.Bytes(rec.Outputs[0].Digest); err != nil || string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := s.PutBytes([]byte("new")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("PutBytes: %v", err)
	}
	if err := s.PutRecord(rec); !errors.Is(err, ErrReadOnly) {
		t.Errorf("PutRecord: %v", err)
	}
	if _, err := s.LockKey(t.Context(), rec.Key); !errors.Is(err, ErrReadOnly) {
		t.Errorf("LockKey: %v", err)
	}
	if err := s.AppendHistory("p", "s", "", rec.Key, clock.Now()); !errors.Is(err, ErrReadOnly) {
		t.Errorf("AppendHistory: %v", err)
	}
	if err := s.PutRun("p", "r", nil); !errors.Is(err, ErrReadOnly) {
		t.Errorf("PutRun: %v", err)
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the store changed\nbefore:\n%s\nafter:\n%s", before, after)
	}
}

// snapshot returns all files below dir with their times.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, de os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := de.Info()
		if err != nil {
			return err
		}
		b.WriteString(p + " " + st.Mode().String() + " " + st.ModTime().String() + "\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
