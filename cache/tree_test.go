package cache

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// makeTree creates files in a new directory: "d/" is a directory, "l -> t" a link, "x*" an
// executable file with its name as content, and anything else a regular file.
func makeTree(t testing.TB, members ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, m := range members {
		link, target, isLink := strings.Cut(m, " -> ")
		p := filepath.Join(dir, link)
		var err error
		switch {
		case isLink:
			err = os.Symlink(target, p)
		case strings.HasSuffix(m, "/"):
			err = os.MkdirAll(p, 0o750)
		case strings.HasSuffix(m, "*"):
			err = os.WriteFile(strings.TrimSuffix(p, "*"), []byte(m), 0o700)
		default:
			err = os.WriteFile(p, []byte(m), 0o640)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTreeRoundTrip(t *testing.T) {
	s := newStore(t)
	src := makeTree(t, "a-b", "a/", "a/b", "a/empty/", "tool*", "a/up -> ../tool", "dangling -> a/none", "self -> .", "deep/", "deep/er/", "deep/er/link -> ../../a/b")
	d, entries, err := s.PutTree(src)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Tree(d); err != nil || cmp.Diff(entries, got) != "" {
		t.Errorf("manifest: %v\n%s", err, cmp.Diff(entries, got))
	}
	for _, name := range []string{"new", "empty"} {
		dst := filepath.Join(t.TempDir(), name)
		if name == "empty" {
			if err := os.Mkdir(dst, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.MaterializeTree(d, dst); err != nil {
			t.Fatal(err)
		}
		d2, _, err := s.PutTree(dst)
		if err != nil || d2 != d {
			t.Errorf("materialised: %v, %v; want %v", d2, err, d)
		}
		if st, err := os.Stat(filepath.Join(dst, "tool")); err != nil || st.Mode().Perm() != 0o755 {
			t.Errorf("tool: %v, %v", st.Mode(), err)
		}
		if st, err := os.Stat(filepath.Join(dst, "a-b")); err != nil || st.Mode().Perm() != 0o644 {
			t.Errorf("a-b: %v, %v", st.Mode(), err)
		}
	}
}

func TestEmptyTree(t *testing.T) {
	s := newStore(t)
	d, entries, err := s.PutTree(t.TempDir())
	if err != nil || len(entries) != 0 || d != Digest(sha256.Sum256([]byte(treeMagic))) {
		t.Fatalf("%v, %v, %v", d, entries, err)
	}
	dst := filepath.Join(t.TempDir(), "d")
	if err := s.MaterializeTree(d, dst); err != nil {
		t.Fatal(err)
	}
	assertEmpty(t, dst)
}

func TestPutTreeRefuses(t *testing.T) {
	for _, tc := range []struct {
		members []string
		want    string
	}{
		{[]string{"l -> /etc/passwd"}, `"l" to "/etc/passwd" is absolute`},
		{[]string{"l -> ../x"}, "leaves the directory"},
		{[]string{"a/", "a/l -> ../../x"}, "leaves the directory"},
		{[]string{"a/", "a/b/", "a/b/s -> ../..", "t -> a/b/s/../x"}, `"t" to "a/b/s/../x" leaves the directory`},
		{[]string{"a -> b", "b -> a"}, "loop"},
	} {
		s := newStore(t)
		_, _, err := s.PutTree(makeTree(t, tc.members...))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v, want %q in it", tc.members, err, tc.want)
		}
	}
	t.Run("file", func(t *testing.T) {
		file := filepath.Join(makeTree(t, "f"), "f")
		if _, _, err := newStore(t).PutTree(file); err == nil || !strings.Contains(err.Error(), "not a directory") {
			t.Errorf("got %v", err)
		}
	})
}

// A hostile manifest is stored as a blob with the correct digest, so that only decoding can
// refuse it.
func TestHostileManifest(t *testing.T) {
	s := newStore(t)
	x := mustPut(t, s, "x")
	file := func(p string) TreeEntry { return TreeEntry{Path: p, Mode: 0o644, Size: 1, Digest: x} }
	link := func(p, to string) TreeEntry {
		return TreeEntry{Path: p, Mode: os.ModeSymlink | 0o777, Symlink: to}
	}
	folder := func(p string) TreeEntry { return TreeEntry{Path: p, Mode: os.ModeDir | 0o755} }
	for name, entries := range map[string][]TreeEntry{
		"parent":           {file("../x")},
		"absolute":         {file("/x")},
		"dot":              {file(".")},
		"unclean":          {folder("a"), file("a//b")},
		"nul":              {file("a\x00b")},
		"twice":            {file("a"), file("a")},
		"below a file":     {file("a"), file("a/b")},
		"below a link":     {folder("d"), link("d/l", "."), file("d/l/x")},
		"no parent":        {file("a/b")},
		"link out":         {link("l", "..")},
		"link absolute":    {link("l", "/")},
		"link to nothing":  {link("l", "")},
		"chained link out": {folder("a"), folder("a/b"), link("a/b/s", "../.."), link("t", "a/b/s/..")},
		"chained by dots":  {folder("a"), link("a/s", ".."), link("t", "./a//s/./../x")},
	} {
		manifest := encodeTree(entries)
		d := mustPut(t, s, string(manifest))
		parent := t.TempDir()
		err := s.MaterializeTree(d, filepath.Join(parent, "dst"))
		var ce *CorruptError
		if !errors.As(err, &ce) {
			t.Errorf("%s: %v", name, err)
		}
		assertEmpty(t, parent)
	}
}

func TestManifestSpelling(t *testing.T) {
	good := encodeTree([]TreeEntry{{Path: "a", Mode: 0o644, Size: 1, Digest: Digest{1}}})
	if _, err := decodeTree(good); err != nil {
		t.Fatal(err)
	}
	// The length of the path, 1, as two bytes instead of one.
	long := append([]byte(treeMagic+"f\x81\x00"), good[len(treeMagic)+2:]...)
	if _, err := decodeTree(long); err == nil {
		t.Error("two spellings of one tree are accepted")
	}
}

func TestMaterializeTreeLostFile(t *testing.T) {
	s := newStore(t)
	d, entries, err := s.PutTree(makeTree(t, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	r := &Record{Key: testKey(1), Stage: "s", Outputs: []RecordOutput{{Name: "d", Path: "out/d", Digest: d, Dir: true}}}
	if err := s.PutRecord(r); err != nil {
		t.Fatal(err)
	}
	os.Remove(s.entryPath(blobsDir, entries[1].Digest))
	parent := t.TempDir()
	if err := s.MaterializeTree(d, filepath.Join(parent, "dst")); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	assertEmpty(t, parent)
	if _, miss := s.Lookup(r.Key); miss == nil || miss.Kind != Corrupt || !strings.Contains(miss.Reason, "output d") {
		t.Errorf("the next lookup: %+v", miss)
	}
}

func FuzzDecodeTree(f *testing.F) {
	f.Add(encodeTree(nil))
	f.Add(encodeTree([]TreeEntry{
		{Path: "a", Mode: os.ModeDir | 0o755}, {Path: "a/b", Mode: 0o755, Size: 300, Digest: Digest{1}},
		{Path: "a/c", Mode: os.ModeSymlink, Symlink: "../a/b"}, {Path: "z", Mode: 0o644},
	}))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := decodeTree(b)
		if err != nil {
			return
		}
		if string(encodeTree(entries)) != string(b) {
			t.Error("not canonical")
		}
		// The kernel must resolve every accepted tree inside the directory.
		dir := t.TempDir()
		root := filepath.Join(dir, "a", "b", "root")
		for _, e := range entries {
			p := filepath.Join(root, filepath.FromSlash(e.Path))
			if !strings.HasPrefix(p, root+string(filepath.Separator)) {
				t.Fatalf("%q leaves the directory", e.Path)
			}
		}
	})
}

// A backslash is a separator on Windows, and an ordinary character elsewhere.
func TestABackslashIsACharacterWhereItSeparatesNothing(t *testing.T) {
	entries := []TreeEntry{{Path: `x\y`, Mode: 0o644}, {Path: "z", Mode: fs.ModeSymlink | 0o777, Symlink: `x\y`}}
	if err := checkTree(entries); (err == nil) != (filepath.Separator == '/') {
		t.Errorf("checkTree: %v", err)
	}
}
