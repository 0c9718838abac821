package cache

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

var onTrust = ImportOptions{From: "a.cache", Trust: true}

func exported(t testing.TB, s *Store, keys ...Key) []byte {
	t.Helper()
	var buf bytes.Buffer
	tr, err := s.Export(t.Context(), &buf, ExportOptions{Keys: keys})
	if err != nil || len(tr.Skipped) != 0 {
		t.Fatalf("%+v, %v", tr, err)
	}
	return buf.Bytes()
}

func TestExportImport(t *testing.T) {
	a, b := newStore(t), newStore(t)
	tree, _, err := a.PutTree(makeTree(t, "x", "d/", "d/y*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		r := mustRecord(t, a, testKey(i), fmt.Sprint("content ", i), strings.Repeat("long and dull ", 1000))
		r.Outputs = append(r.Outputs, RecordOutput{Name: "tree", Path: "out/tree", Digest: tree, Dir: true})
		if err := a.PutRecord(r); err != nil {
			t.Fatal(err)
		}
	}
	archive := exported(t, a)
	if !bytes.Equal(archive, exported(t, a)) {
		t.Error("the same store gives two archives")
	}
	tr, err := b.Import(t.Context(), bytes.NewReader(archive), onTrust)
	if err != nil || tr.Records != 3 || len(tr.Skipped) != 0 {
		t.Fatalf("%+v, %v", tr, err)
	}
	for i := range 3 {
		ra, _ := a.Lookup(testKey(i))
		rb, miss := b.Lookup(testKey(i))
		if miss != nil {
			t.Fatalf("record %d: %+v", i, miss)
		}
		if o := rb.Origin; o == nil || o.Way != Imported || o.From != "a.cache" || o.Signer != nil {
			t.Errorf("record %d has the origin %v", i, o)
		}
		if rb.Origin = nil; cmp.Diff(ra, rb) != "" {
			t.Errorf("record %d:\n%s", i, cmp.Diff(ra, rb))
		}
	}
	mustVerify(t, b)
	if err := b.MaterializeTree(tree, filepath.Join(t.TempDir(), "t")); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(archive, exported(t, b)) {
		t.Error("the archive of the copy differs")
	}
	// The second import has nothing to do.
	if tr, err := b.Import(t.Context(), bytes.NewReader(archive), onTrust); err != nil || tr.Records+tr.Blobs != 0 {
		t.Errorf("%+v, %v", tr, err)
	}
	// An export of one key only contains what that key needs.
	c := newStore(t)
	if tr, err := c.Import(t.Context(), bytes.NewReader(exported(t, a, testKey(1))), onTrust); err != nil || tr.Records != 1 {
		t.Errorf("%+v, %v", tr, err)
	}
}

func TestExportSkipsDamage(t *testing.T) {
	s := newStore(t)
	good, bad := mustRecord(t, s, testKey(1), "good"), mustRecord(t, s, testKey(2), "bad")
	if err := os.WriteFile(s.entryPath(blobsDir, bad.Outputs[0].Digest), encodeBlob([]byte("worse")), 0o600); err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	tr, err := s.Export(t.Context(), &buf, ExportOptions{Keys: []Key{good.Key, bad.Key, testKey(3)}})
	if err != nil || tr.Records != 1 || len(tr.Skipped) != 2 {
		t.Errorf("%+v, %v", tr, err)
	}
	b := newStore(t)
	if tr, err := b.Import(t.Context(), &buf, onTrust); err != nil || tr.Records != 1 || len(tr.Skipped) != 0 {
		t.Errorf("%+v, %v", tr, err)
	}
}

// pack builds an archive.
func pack(t testing.TB, version string, headers []tar.Header, bodies [][]byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw, err := zstd.NewWriter(&buf)
	if err != nil {
		t.Fatal(err)
	}
	tw := tar.NewWriter(zw)
	put := func(h tar.Header, b []byte) {
		h.Size = int64(len(b))
		if err := tw.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if version != "" {
		put(tar.Header{Name: archiveVersion, Typeflag: tar.TypeReg}, []byte(version))
	}
	for i, h := range headers {
		put(h, bodies[i])
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestImportRefuses(t *testing.T) {
	src := newStore(t)
	rec := mustRecord(t, src, testKey(1), "content")
	recBytes, err := os.ReadFile(src.entryPath(recordsDir, rec.Key))
	if err != nil {
		t.Fatal(err)
	}
	tree := encodeTree([]TreeEntry{{Path: "../../x", Mode: 0o644, Digest: emptyDigest}})
	treeDigest := digestOf(string(tree))
	hostile := &Record{Key: testKey(2), Stage: "s", Outputs: []RecordOutput{{Name: "t", Path: "out/t", Digest: treeDigest, Dir: true}}}
	hostileBytes, err := encodeRecord(hostile, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	expired := &Record{Key: testKey(3), Stage: "s", Expires: time.Now().Add(-time.Hour)}
	expiredBytes, err := encodeRecord(expired, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var bomb bytes.Buffer // a hundredth of what it unpacks to, or less
	bombDigest, err := encodeStream(&bomb, io.LimitReader(zeros{}, maxManifest+1), maxManifest+1)
	if err != nil {
		t.Fatal(err)
	}
	bomber := &Record{Key: testKey(4), Stage: "s", Outputs: []RecordOutput{{Name: "t", Path: "out/t", Digest: bombDigest, Dir: true}}}
	bomberBytes, err := encodeRecord(bomber, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	blob := encodeBlob([]byte("content"))
	reg := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg} }
	d := digestOf("content")

	for _, tc := range []struct {
		name    string
		headers []tar.Header
		bodies  [][]byte
		want    []string
	}{
		{"traversal", []tar.Header{reg("blobs/../../../../tmp/x"), reg("../x"), reg("/etc/x"), reg("VERSION")}, [][]byte{blob, blob, blob, blob},
			[]string{"neither", "neither", "neither", "neither"}},
		{"link", []tar.Header{{Name: "blobs/" + d.String(), Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}}, [][]byte{nil}, []string{"neither"}},
		{"wrong content", []tar.Header{reg("blobs/" + Digest{1}.String())}, [][]byte{blob}, []string{"does not match its digest"}},
		{"no blob", []tar.Header{reg("blobs/" + d.String())}, [][]byte{[]byte("content")}, []string{"does not match its digest"}},
		{"record without blobs", []tar.Header{reg("records/" + rec.Key.String())}, [][]byte{recBytes}, []string{"neither in the cache nor earlier in the archive"}},
		{"another's record", []tar.Header{reg("records/" + testKey(5).String())}, [][]byte{recBytes}, []string{"it holds the record of"}},
		{"damaged record", []tar.Header{reg("records/" + rec.Key.String())}, [][]byte{recBytes[:100]}, []string{"record is corrupt"}},
		{"hostile tree", []tar.Header{reg("blobs/" + treeDigest.String()), reg("records/" + hostile.Key.String())}, [][]byte{encodeBlob(tree), hostileBytes}, []string{"directory of output t"}},
		{"bomb", []tar.Header{reg("blobs/" + bombDigest.String()), reg("records/" + bomber.Key.String())}, [][]byte{bomb.Bytes(), bomberBytes}, []string{"larger than the limit for a list of files"}},
		{"expired", []tar.Header{reg("records/" + expired.Key.String())}, [][]byte{expiredBytes}, []string{"expired"}},
	} {
		s := newStore(t)
		tr, err := s.Import(t.Context(), bytes.NewReader(pack(t, "touchstone cache 1\n", tc.headers, tc.bodies)), onTrust)
		if err != nil || tr.Records != 0 || len(tr.Skipped) != len(tc.want) {
			t.Errorf("%s: %+v, %v", tc.name, tr, err)
			continue
		}
		for i, w := range tc.want {
			if !strings.Contains(tr.Skipped[i].Reason, w) {
				t.Errorf("%s: %q, want %q in it", tc.name, tr.Skipped[i].Reason, w)
			}
		}
		if st, _ := s.Stats(); st.Records != 0 || st.Blobs != 0 || tr.Blobs != 0 || tr.Bytes != 0 {
			t.Errorf("%s: %+v came in, %+v", tc.name, st, tr)
		}
		assertEmpty(t, s.path(tmpDir))
	}

	t.Run("not an archive", func(t *testing.T) {
		for name, b := range map[string][]byte{
			"garbage":       []byte("hello"),
			"nothing":       nil,
			"other tar":     pack(t, "", []tar.Header{reg("a")}, [][]byte{nil}),
			"newer version": pack(t, "touchstone cache 2\n", nil, nil),
		} {
			if _, err := newStore(t).Import(t.Context(), bytes.NewReader(b), onTrust); err == nil || !strings.HasPrefix(err.Error(), "import: ") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("ours stays", func(t *testing.T) {
		s := newStore(t)
		mine := mustRecord(t, s, rec.Key, "mine")
		if _, err := s.Import(t.Context(), bytes.NewReader(exported(t, src)), onTrust); err != nil {
			t.Fatal(err)
		}
		if got, miss := s.Lookup(rec.Key); miss != nil || got.Outputs[0].Digest != mine.Outputs[0].Digest {
			t.Errorf("replaced: %+v", got)
		}
	})
}

func TestImportCutArchive(t *testing.T) {
	src := newStore(t)
	for i := range 5 {
		mustRecord(t, src, testKey(i), string(randomBytes(5000+i)))
	}
	archive := exported(t, src)
	for cut := 0; cut < len(archive); cut += 997 {
		s := newStore(t)
		if _, err := s.Import(t.Context(), bytes.NewReader(archive[:cut]), onTrust); err == nil {
			t.Errorf("cut at %d of %d: no error", cut, len(archive))
		}
		mustVerify(t, s)
		assertEmpty(t, s.path(tmpDir))
	}
}

func FuzzImport(f *testing.F) {
	src := newStore(f)
	mustRecord(f, src, testKey(1), "content")
	archive := exported(f, src)
	dec, err := zstd.NewReader(nil)
	if err != nil {
		f.Fatal(err)
	}
	plain, err := dec.DecodeAll(archive, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	f.Add(plain[:len(plain)/2])
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	// Use one store for all inputs: creating one takes longer than an import.
	s := newStore(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, in := range [][]byte{b, enc.EncodeAll(b, nil)} {
			tr, err := s.Import(t.Context(), bytes.NewReader(in), onTrust)
			if err != nil && !strings.HasPrefix(err.Error(), "import: ") {
				t.Errorf("not an error of the archive: %v", err)
			}
			if tr.Records+tr.Blobs > 0 {
				mustVerify(t, s)
			}
		}
	})
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
