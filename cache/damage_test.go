package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFlipEveryByte damages each byte of each blob and record of a small store, one at a
// time, and truncates each file at each length. What is read afterwards must be correct, or
// a miss with a reason.
func TestFlipEveryByte(t *testing.T) {
	s := newStore(t)
	text := strings.Repeat("a line that compresses well\n", 100)
	rec := mustRecord(t, s, testKey(1), "small", text, string(randomBytes(300)))
	tree, _, err := s.PutTree(makeTree(t, "x", "d/", "d/y*", "l -> d/y"))
	if err != nil {
		t.Fatal(err)
	}
	rec.Outputs = append(rec.Outputs, RecordOutput{Name: "tree", Path: "out/tree", Digest: tree, Dir: true})
	if err := s.PutRecord(rec); err != nil {
		t.Fatal(err)
	}
	want := map[Digest][]byte{}
	var files []string
	for _, folder := range []string{blobsDir, recordsDir} {
		if err := s.walk(folder, func(e entry) error {
			files = append(files, e.path)
			if folder == blobsDir {
				b, err := s.Bytes(e.id)
				want[e.id] = b
				return err
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}

	dst := filepath.Join(t.TempDir(), "t")
	use := func(t *testing.T) (noticed bool) {
		t.Helper()
		got, miss := s.Lookup(rec.Key)
		_, _, hot := s.Outputs(rec.Key, 0)
		if (miss == nil) != (hot == nil) {
			// Lookup has removed a corrupt record, so both are misses.
			t.Errorf("Lookup %+v and Outputs %+v disagree", miss, hot)
		}
		if miss != nil {
			if miss.Reason == "" || miss.Reason == "no record" {
				t.Errorf("a miss without a reason: %+v", miss)
			}
			return true
		}
		if got.Stage != rec.Stage || len(got.Outputs) != len(rec.Outputs) {
			t.Fatalf("wrong answer: %+v", got)
		}
		for d, content := range want {
			b, err := s.Bytes(d)
			switch {
			case err == nil && !bytes.Equal(b, content):
				t.Fatalf("wrong bytes for %s", d.Short())
			case err == nil:
			case errors.As(err, new(*CorruptError)):
				noticed = true
			case errors.Is(err, ErrNotFound):
				noticed = true
			default:
				t.Fatalf("%v", err)
			}
		}
		if err := s.MaterializeTree(tree, dst); err == nil {
			if d := dirDigest(t, dst); d != tree {
				t.Fatalf("wrong tree %v", d)
			}
			if err := os.RemoveAll(dst); err != nil {
				t.Fatal(err)
			}
		}
		if noticed {
			if _, miss := s.Lookup(rec.Key); miss == nil && hasOutput(rec, s) {
				t.Error("a blob of the record is gone, and the next lookup is a hit")
			}
		}
		return noticed
	}
	if use(t) {
		t.Fatal("the undamaged store has a miss")
	}
	intact := map[string][]byte{}
	for _, file := range files {
		if intact[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		good := intact[file]
		name, _ := filepath.Rel(s.dir, file)
		restore := func() {
			// Restore the files that were removed because of the damage.
			for path, b := range intact {
				if st, err := os.Stat(path); err == nil && path != file && st.Size() == int64(len(b)) {
					continue
				}
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.RemoveAll(s.path(goneDir)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range good {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << (i % 8)
			if err := os.WriteFile(file, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if !use(t) {
				// zstd does not use this bit of the frame, so the content is
				// unchanged.
				if !bytes.Contains(good[:blobHeaderSize], []byte{codecZstd}) || strings.HasPrefix(name, recordsDir) {
					t.Errorf("%s: byte %d flipped and nobody noticed", name, i)
				}
			}
			restore()
			if i%7 != 0 {
				continue
			}
			if err := os.WriteFile(file, good[:i], 0o600); err != nil {
				t.Fatal(err)
			}
			if !use(t) {
				t.Errorf("%s: cut at %d and nobody noticed", name, i)
			}
			restore()
		}
	}
	mustVerify(t, s)
}

// hasOutput reports whether an output itself is missing, and not only a file of a tree.
func hasOutput(r *Record, s *Store) bool {
	for _, o := range r.Outputs {
		if !s.Has(o.Digest) {
			return true
		}
	}
	return false
}

// dirDigest returns the digest that PutTree would return, without storing anything.
func dirDigest(t *testing.T, dir string) Digest {
	t.Helper()
	var entries []TreeEntry
	err := filepath.WalkDir(dir, func(p string, de os.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		st, err := de.Info()
		if err != nil {
			return err
		}
		e := TreeEntry{Path: filepath.ToSlash(rel), Mode: st.Mode()}
		switch {
		case st.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			e.Size, e.Digest = int64(len(b)), digestOf(string(b))
		case st.Mode()&os.ModeSymlink != 0:
			if e.Symlink, err = os.Readlink(p); err != nil {
				return err
			}
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return Digest(sha256.Sum256(encodeTree(entries)))
}

// A frame that unpacks to far more than its header says is cut off at that size.
func TestBomb(t *testing.T) {
	s := newStore(t)
	bomb := encodeBlob(make([]byte, 64<<20))
	bomb = append(blobHeader{codecZstd, 10}.append(nil), bomb[blobHeaderSize:]...)
	path := s.entryPath(blobsDir, Digest{1})
	if err := s.writeFile(path, bomb, 0); err != nil {
		t.Fatal(err)
	}
	var n counter
	if err := s.Copy(Digest{1}, &n); !errors.As(err, new(*CorruptError)) {
		t.Errorf("got %v", err)
	}
	if n > 11 {
		t.Errorf("%d bytes were written", n)
	}
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// After Materialize of damaged content, the file at the path is unchanged and no other file
// is left.
func TestMaterializeVerifiesFirst(t *testing.T) {
	s := newStore(t)
	d := mustPut(t, s, "right")
	if err := os.WriteFile(s.entryPath(blobsDir, d), encodeBlob([]byte("wrong")), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Materialize(d, path, 0o644); !errors.As(err, new(*CorruptError)) {
		t.Errorf("got %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "old" {
		t.Errorf("the file reads %q", b)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
	if s.Has(d) {
		t.Error("the damaged blob is still there")
	}
}
