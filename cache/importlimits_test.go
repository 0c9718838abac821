package cache

import (
	"archive/tar"
	"bytes"
	"strings"
	"testing"
)

// An archive that expands excessively is refused before it fills the disk, and
// leaves nothing behind, not even what came before.
func TestImportRefusesToExpand(t *testing.T) {
	first := encodeBlob([]byte("content"))
	huge := append(blobHeader{codecRaw, freeExpansion + 1<<20}.append(nil), make([]byte, freeExpansion+1<<20)...)
	reg := func(d Digest) tar.Header { return tar.Header{Name: "blobs/" + d.String(), Typeflag: tar.TypeReg} }
	archive := pack(t, "touchstone cache 1\n", []tar.Header{reg(digestOf("content")), reg(Digest{1})}, [][]byte{first, huge})
	if len(archive) > 1<<20 {
		t.Fatalf("the archive has %d bytes", len(archive))
	}
	s := newStore(t)
	tr, err := s.Import(t.Context(), bytes.NewReader(archive), ImportOptions{Trust: true})
	if err == nil || !strings.Contains(err.Error(), "import: it expands more than 100 times") {
		t.Errorf("got %v", err)
	}
	if st, _ := s.Stats(); st.Blobs != 0 || tr.Blobs != 0 || tr.Bytes != 0 {
		t.Errorf("%+v are left, %+v", st, tr)
	}
	assertEmpty(t, s.path(tmpDir))
}

// What came in before an archive ends too early remains if a record needs it.
func TestImportCutOff(t *testing.T) {
	src := newStore(t)
	mustRecord(t, src, testKey(1), "first")
	whole := exported(t, src)
	s := newStore(t)
	tr, err := s.Import(t.Context(), bytes.NewReader(whole), ImportOptions{Trust: true})
	if err != nil || tr.Records != 1 || tr.Blobs == 0 {
		t.Fatalf("%+v, %v", tr, err)
	}
	for _, n := range []int{len(whole) / 4, len(whole) / 2, len(whole) - 1} {
		s := newStore(t)
		tr, err := s.Import(t.Context(), bytes.NewReader(whole[:n]), ImportOptions{Trust: true})
		if err == nil {
			t.Errorf("%d bytes are an archive", n)
		}
		if st, _ := s.Stats(); tr.Records == 0 && st.Blobs > 0 || st.Blobs != tr.Blobs {
			t.Errorf("%d bytes: %+v, %+v", n, st, tr)
		}
	}
}

func TestTooLarge(t *testing.T) {
	for _, tt := range []struct {
		file, plain int64
		want        string
	}{
		{100, 1 << 20, ""},
		{100, freeBlob, ""},
		{1 << 20, maxBlobRatio << 20, ""},
		{100, freeBlob + 200_000, "expands more than 1000 times"},
		{maxImported + 1, 7, "larger than 8 GiB"},
		{1 << 30, maxImported + 1, "larger than 8 GiB"},
	} {
		if got := tooLarge(tt.file, blobHeader{codecZstd, tt.plain}.append(nil)); !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%d bytes that expand to %d: %q, want %q", tt.file, tt.plain, got, tt.want)
		}
	}
}
