package cache

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// An archive is a zstd-compressed tar: first archiveVersion with the format's
// version, then for each record the blobs that it needs and that have not come
// yet, blobs/<digest> with the bytes of the blob file, and records/<key> with
// the bytes of the record file. It holds no times, so equal content makes an
// equal archive.
const (
	archiveVersion = "VERSION"
	maxArchiveName = 128
)

// Skipped is a part of a transfer that was left out, and why.
type Skipped struct{ Name, Reason string }

// Transfer is what Export wrote or Import took.
type Transfer struct {
	Records, Blobs int
	Bytes          int64 // of the blob files
	Skipped        []Skipped
}

// Export writes records with everything that they need to one file, all
// records when no keys are given. What is damaged is left out and named.
func (s *Store) Export(ctx context.Context, w io.Writer, keys ...Key) (Transfer, error) {
	var t Transfer
	if len(keys) == 0 {
		if err := s.walk(recordsDir, func(e entry) error {
			keys = append(keys, e.id)
			return nil
		}); err != nil {
			return t, err
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return slices.Compare(a[:], b[:]) })
	keys = slices.Compact(keys)

	zw, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return t, err
	}
	ex := exporter{s: s, tw: tar.NewWriter(zw), sent: map[Digest]bool{}, t: &t}
	err = ex.entry(archiveVersion, fmt.Appendf(nil, "%s%d\n", versionPrefix, formatVersion))
	for _, k := range keys {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			err = ex.record(k)
		}
	}
	if err == nil {
		err = ex.tw.Close()
	}
	if cerr := zw.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return t, fmt.Errorf("export: %w; check the file that is written and its disk", err)
	}
	return t, nil
}

type exporter struct {
	s    *Store
	tw   *tar.Writer
	sent map[Digest]bool
	t    *Transfer
}

func (ex *exporter) entry(name string, b []byte) error {
	if err := ex.header(name, int64(len(b))); err != nil {
		return err
	}
	_, err := ex.tw.Write(b)
	return err
}

func (ex *exporter) header(name string, size int64) error {
	return ex.tw.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, Format: tar.FormatPAX})
}

// record sends a record after its blobs; all of them are read and verified
// before the first is sent.
func (ex *exporter) record(k Key) error {
	skip := func(reason string) error {
		ex.t.Skipped = append(ex.t.Skipped, Skipped{Name: recordsDir + "/" + k.String(), Reason: reason})
		return nil
	}
	b, _, err := readWhole(ex.s.entryPath(recordsDir, k), nil, maxRecordFile)
	if err != nil {
		return skip(err.Error())
	}
	r, err := decodeRecord(b)
	if err != nil {
		return skip("the record is corrupt: " + err.Error())
	}
	if r.Key != k {
		return skip("it is the record of " + r.Key.Short())
	}
	var blobs []Digest
	listed := map[Digest]bool{}
	for _, d := range ex.s.blobsOf(r, map[Digest][]Digest{}) {
		if d == emptyDigest || ex.sent[d] || listed[d] {
			continue
		}
		listed[d] = true
		if reason, err := ex.s.read(d, io.Discard); reason != "" || err != nil {
			return skip(fmt.Sprintf("it needs content %s, which cannot be used: %s", d.Short(), orError(reason, err)))
		}
		blobs = append(blobs, d)
	}
	for _, d := range blobs {
		if err := ex.blob(d); err != nil {
			return err
		}
	}
	ex.t.Records++
	return ex.entry(recordsDir+"/"+k.String(), b)
}

func orError(reason string, err error) string {
	if reason != "" {
		return reason
	}
	return err.Error()
}

func (ex *exporter) blob(d Digest) error {
	f, err := os.Open(ex.s.entryPath(blobsDir, d))
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if err := ex.header(blobsDir+"/"+d.String(), st.Size()); err != nil {
		return err
	}
	n, err := io.Copy(ex.tw, f)
	ex.sent[d] = true
	ex.t.Blobs++
	ex.t.Bytes += n
	return err
}

// Import takes the records of an archive that came with all their blobs, and
// says what it left out. Everything is verified as if it had been read from a
// damaged disk; names in the archive are ids and never paths. A record that the
// store has already is not replaced. Digests cannot prove that a record is
// true: import only what you would also run. After an error what was taken so
// far stays, and is whole.
func (s *Store) Import(ctx context.Context, r io.Reader) (Transfer, error) {
	var t Transfer
	if s.readOnly {
		return t, fmt.Errorf("cache %s: %w; open it for writing to import", s.dir, ErrReadOnly)
	}
	// Nothing of an import may be evicted before its record is there.
	if err := s.writer.begin(); err != nil {
		return t, err
	}
	zr, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return t, err
	}
	defer zr.Close()
	tr := tar.NewReader(zr)
	for first := true; ; first = false {
		if err := context.Cause(ctx); err != nil {
			return t, err
		}
		h, err := tr.Next()
		if errors.Is(err, io.EOF) && !first {
			return t, nil
		}
		if err != nil {
			return t, badArchive(err)
		}
		if first {
			err = checkArchive(h, tr)
		} else {
			err = s.importEntry(h, tr, &t)
		}
		if err != nil {
			return t, err
		}
	}
}

func badArchive(err error) error {
	return fmt.Errorf("import: the archive is damaged or cut off: %w; export it again", err)
}

func checkArchive(h *tar.Header, r io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(r, maxArchiveName))
	if err != nil {
		return badArchive(err)
	}
	if h.Name != archiveVersion || !strings.HasPrefix(string(b), versionPrefix) {
		return errors.New("import: this is not an archive of a touchstone cache; give a file that \"touchstone cache export\" wrote")
	}
	if got, want := strings.TrimSpace(string(b)), fmt.Sprintf("%s%d", versionPrefix, formatVersion); got != want {
		return fmt.Errorf("import: the archive is of %q and this touchstone reads %q; use the same version on both sides", got, want)
	}
	return nil
}

func (s *Store) importEntry(h *tar.Header, r io.Reader, t *Transfer) error {
	skip := func(reason string) error {
		name := h.Name
		if len(name) > maxArchiveName {
			name = name[:maxArchiveName] + "..."
		}
		t.Skipped = append(t.Skipped, Skipped{Name: fmt.Sprintf("%q", name), Reason: reason})
		return nil
	}
	folder, id, _ := strings.Cut(h.Name, "/")
	var raw [32]byte
	if h.Typeflag != tar.TypeReg || folder != blobsDir && folder != recordsDir || parseID(raw[:], id) != nil {
		return skip("it is neither a blob nor a record")
	}
	var reason string
	var err error
	if folder == blobsDir {
		reason, err = s.importBlob(raw, r, t)
	} else {
		reason, err = s.importRecord(raw, h.Size, r, t)
	}
	if err != nil {
		return err
	}
	if reason != "" {
		return skip(reason)
	}
	return nil
}

// importBlob writes the blob file to a temporary file, verifies it there, and
// only then gives it its name.
func (s *Store) importBlob(d Digest, r io.Reader, t *Transfer) (reason string, err error) {
	present, err := s.reuse(d)
	if err != nil || present {
		return "", err
	}
	f, err := s.temp()
	if err != nil {
		return "", err
	}
	n, err := io.Copy(f, &archiveReader{r: r})
	if err != nil {
		discard(f)
		if errors.As(err, new(*archiveError)) {
			return "", badArchive(err)
		}
		return "", s.failed("write", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		discard(f)
		return "", s.failed("read", err)
	}
	if reason, _ := copyBlob(io.Discard, f, d); reason != "" {
		discard(f)
		return "the content is not what its name says: " + reason, nil
	}
	if err := s.publish(f, s.entryPath(blobsDir, d), 0, s.writer.now()); err != nil {
		return "", err
	}
	s.unbury(d)
	t.Blobs++
	t.Bytes += n
	return "", nil
}

// archiveReader marks errors of the archive, to tell them from the store's.
type archiveReader struct{ r io.Reader }

type archiveError struct{ err error }

func (e *archiveError) Error() string { return e.err.Error() }
func (e *archiveError) Unwrap() error { return e.err }

func (a *archiveReader) Read(b []byte) (int, error) {
	n, err := a.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = &archiveError{err}
	}
	return n, err
}

func (s *Store) importRecord(k Key, size int64, r io.Reader, t *Transfer) (reason string, err error) {
	if size > maxRecordBody {
		return fmt.Sprintf("a record of %d bytes is not possible", size), nil
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return "", badArchive(err)
	}
	rec, err := decodeRecord(b)
	switch {
	case err != nil:
		return "the record is corrupt: " + err.Error(), nil
	case rec.Key != k:
		return "it is the record of " + rec.Key.Short(), nil
	}
	if !rec.Expires.IsZero() && !s.clock().Before(rec.Expires) {
		return "the record expired " + rec.Expires.String(), nil
	}
	for i := range rec.Outputs {
		if o := &rec.Outputs[i]; o.Dir {
			if _, err := s.peekTree(o.Digest); err != nil {
				return fmt.Sprintf("the directory of output %s: %v", o.Name, err), nil
			}
		}
	}
	for _, d := range s.blobsOf(rec, map[Digest][]Digest{}) {
		present, err := s.reuse(d)
		if err != nil {
			return "", err
		}
		if !present {
			return fmt.Sprintf("it needs content %s, which did not come before it", d.Short()), nil
		}
	}
	if _, miss := s.Lookup(k); miss == nil {
		return "", nil // ours stays
	}
	if err := s.putRecordBytes(k, b, s.writer.now()); err != nil {
		return "", err
	}
	t.Records++
	return "", nil
}
