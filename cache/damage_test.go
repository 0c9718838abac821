package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// TestFlippedBytes damages bytes of each blob and record of a small
// store, one at a time, and truncates each file to many lengths. Every read must
// return the correct content or a miss with a reason.
func TestFlippedBytes(t *testing.T) {
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
	d := damaged{s: s, rec: rec, tree: tree, dst: filepath.Join(t.TempDir(), "t"), want: map[Digest][]byte{}, intact: map[string][]byte{}}
	files := d.read(t)
	if d.use(t) {
		t.Fatal("the undamaged store has a miss")
	}
	for _, file := range files {
		d.flip(t, file)
	}
	mustVerify(t, s)
}

// damaged is a store whose files are damaged one after the other. want holds the
// blobs, and intact the files.
type damaged struct {
	s      *Store
	rec    *Record
	tree   Digest
	dst    string
	want   map[Digest][]byte
	intact map[string][]byte
}

// read lists the files of the store and keeps their content.
func (d *damaged) read(t *testing.T) (files []string) {
	for _, folder := range []string{blobsDir, recordsDir} {
		err := d.s.walk(folder, func(e entry) error {
			content, err := os.ReadFile(e.path)
			if err != nil {
				return err
			}
			files, d.intact[e.path] = append(files, e.path), content
			if folder == blobsDir {
				d.want[e.id], err = d.s.Bytes(e.id)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// use reads everything and reports whether the damage was noticed. Wrong content
// fails the test.
func (d *damaged) use(t *testing.T) (noticed bool) {
	t.Helper()
	got, miss := d.s.Lookup(d.rec.Key)
	_, hot := d.s.Outputs(d.rec.Key, 0)
	if (miss == nil) != (hot == nil) {
		// Lookup has removed a corrupt record, so both miss.
		t.Errorf("Lookup %+v and Outputs %+v disagree", miss, hot)
	}
	if miss != nil {
		if miss.Reason == "" || miss.Reason == "no record" {
			t.Errorf("a miss without a reason: %+v", miss)
		}
		return true
	}
	if got.Stage != d.rec.Stage || len(got.Outputs) != len(d.rec.Outputs) {
		t.Fatalf("wrong answer: %+v", got)
	}
	for id, content := range d.want {
		b, err := d.s.Bytes(id)
		switch {
		case err == nil && !bytes.Equal(b, content):
			t.Fatalf("wrong bytes for %s", id.Short())
		case err == nil:
		case errors.As(err, new(*CorruptError)), errors.Is(err, ErrNotFound):
			noticed = true
		default:
			t.Fatalf("%v", err)
		}
	}
	if err := d.s.MaterializeTree(d.tree, d.dst); err == nil {
		if id := dirDigest(t, d.dst); id != d.tree {
			t.Fatalf("wrong tree %v", id)
		}
		if err := os.RemoveAll(d.dst); err != nil {
			t.Fatal(err)
		}
	}
	if noticed {
		if _, miss := d.s.Lookup(d.rec.Key); miss == nil && hasOutput(d.rec, d.s) {
			t.Error("a blob of the record is gone, and the next lookup is a hit")
		}
	}
	return noticed
}

// flip changes one bit of a byte of a file, of every third or of each, and truncates the
// file at every twenty-first or seventh byte.
func (d *damaged) flip(t *testing.T, file string) {
	good := d.intact[file]
	name, _ := filepath.Rel(d.s.dir, file)
	step := level.Rounds(3, 1)
	for i := 0; i < len(good); i += step {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		// A zstd frame does not use every bit, so the content may be unchanged.
		if !d.use(t) && (!bytes.Contains(good[:blobHeaderSize], []byte{codecZstd}) || strings.HasPrefix(name, recordsDir)) {
			t.Errorf("%s: byte %d flipped and nobody noticed", name, i)
		}
		d.restore(t, file)
		if i%(7*step) != 0 {
			continue
		}
		if err := os.WriteFile(file, good[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		if !d.use(t) {
			t.Errorf("%s: cut at %d and nobody noticed", name, i)
		}
		d.restore(t, file)
	}
}

// restore restores a damaged file, and everything that the store has removed because of
// the damage.
func (d *damaged) restore(t *testing.T, file string) {
	for path, b := range d.intact {
		if st, err := os.Stat(path); err == nil && path != file && st.Size() == int64(len(b)) {
			continue
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(d.s.path(goneDir)); err != nil {
		t.Fatal(err)
	}
}

// hasOutput reports whether the store lacks an output itself, and not only a file of a
// tree.
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

// Reading a frame that unpacks to far more than the length in its header stops at that
// length.
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

// Materialize writes nothing if the content is damaged, and keeps an existing file at
// the path.
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
