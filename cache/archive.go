package cache

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// An archive is a zstd-compressed tar. Its first entry is archiveVersion,
// which holds the version of the format. After it, each record follows the
// blobs that it needs and that the archive does not hold yet: blobs/<digest>
// holds the bytes of a blob file, records/<key> those of a record file. An
// archive holds no times, so equal content gives an equal archive.
const (
	archiveVersion = "VERSION"
	maxArchiveName = 128
)

// Skipped names a part of a transfer that was left out, and the reason.
type Skipped struct{ Name, Reason string }

// Transfer is the result of Export or Import.
type Transfer struct {
	Records, Blobs int
	Bytes          int64 // of the blob files
	Skipped        []Skipped
}

// Export writes the records with the given keys, and the blobs that they
// need, to w. Without keys it writes all records. It leaves damaged records
// out and lists them in Transfer.Skipped.
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
		return t, fmt.Errorf("export: %w; check the output file and its disk", err)
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

// record writes a record after its blobs. It reads and verifies all blobs
// before it writes the first one.
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
		return skip("it holds the record of " + r.Key.Short())
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

// Import adds the records of an archive whose blobs are all in the archive or
// in the store, and lists what it left out in Transfer.Skipped. It verifies
// everything it reads. Names in the archive are ids, never paths. Import does
// not replace a record that the store already has. Digests cannot prove that a
// record is true: import only from sources whose code you would also run.
// Import refuses an archive or a blob that expands excessively. After an error,
// the records imported before it remain and are complete. Blobs that no imported
// record needs do not remain.
func (s *Store) Import(ctx context.Context, r io.Reader) (t Transfer, err error) {
	if s.readOnly {
		return t, s.refuse("importing results")
	}
	// An eviction must not remove imported blobs before their record exists.
	if err := s.writer.begin(); err != nil {
		return t, err
	}
	in := &expansion{packed: r}
	zr, err := zstd.NewReader(in.packedBytes(), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return t, err
	}
	defer zr.Close()
	in.plain = zr
	im := importer{s: s, t: &t, unneeded: map[Digest]time.Time{}}
	defer func() {
		if rerr := im.removeUnneeded(); err == nil {
			err = rerr
		}
		if in.exceeded {
			err = fmt.Errorf("import: %w, which no archive of results does; if you trust it, export less at a time", errExpands)
		}
	}()
	tr := tar.NewReader(in)
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
			err = im.entry(h, tr)
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
		return errors.New("import: the file is not an archive of a touchstone cache; give a file written by \"touchstone cache export\"")
	}
	if got, want := strings.TrimSpace(string(b)), fmt.Sprintf("%s%d", versionPrefix, formatVersion); got != want {
		return fmt.Errorf("import: the archive has format %q, but this touchstone reads %q; use the same version on both sides", got, want)
	}
	return nil
}

// importer is one import.
type importer struct {
	s *Store
	t *Transfer
	// unneeded are imported blobs, with the times of their files, that no record
	// needs yet.
	unneeded map[Digest]time.Time
}

func (im *importer) entry(h *tar.Header, r io.Reader) error {
	skip := func(reason string) error {
		name := h.Name
		if len(name) > maxArchiveName {
			name = name[:maxArchiveName] + "..."
		}
		im.t.Skipped = append(im.t.Skipped, Skipped{Name: fmt.Sprintf("%q", name), Reason: reason})
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
		reason, err = im.blob(raw, h.Size, r)
	} else {
		reason, err = im.record(raw, h.Size, r)
	}
	if err != nil {
		return err
	}
	if reason != "" {
		return skip(reason)
	}
	return nil
}

// blob writes a blob of size bytes to a temporary file, verifies it, and then
// renames it into place.
func (im *importer) blob(d Digest, size int64, r io.Reader) (reason string, err error) {
	s := im.s
	present, err := s.reuse(d)
	if err != nil || present {
		return "", err
	}
	header := make([]byte, min(size, blobHeaderSize))
	if _, err := io.ReadFull(r, header); err != nil {
		return "", badArchive(err)
	}
	if reason := tooLarge(size, header); reason != "" {
		return reason, nil
	}
	f, err := s.temp()
	if err != nil {
		return "", err
	}
	n, err := io.Copy(f, io.MultiReader(bytes.NewReader(header), &archiveReader{r: r}))
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
		return "the content does not match its digest: " + reason, nil
	}
	if err := s.publish(f, s.entryPath(blobsDir, d), 0, s.writer.now()); err != nil {
		return "", err
	}
	s.unbury(d)
	im.wrote(d)
	im.t.Blobs++
	im.t.Bytes += n
	return "", nil
}

// archiveReader wraps errors of the archive, to distinguish them from errors of
// the store.
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

func (im *importer) record(k Key, size int64, r io.Reader) (reason string, err error) {
	s := im.s
	if size > maxRecordBody {
		return fmt.Sprintf("the record has %d bytes, more than a record can have", size), nil
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
		return "it holds the record of " + rec.Key.Short(), nil
	}
	if !rec.Expires.IsZero() && !s.clock().Before(rec.Expires) {
		return "the record expired at " + rec.Expires.String(), nil
	}
	for i := range rec.Outputs {
		if o := &rec.Outputs[i]; o.Dir {
			if _, err := s.peekTree(o.Digest); err != nil {
				return fmt.Sprintf("the directory of output %s: %v", o.Name, err), nil
			}
		}
	}
	blobs := s.blobsOf(rec, map[Digest][]Digest{})
	for _, d := range blobs {
		present, err := im.has(d)
		if err != nil {
			return "", err
		}
		if !present {
			return fmt.Sprintf("it needs content %s, which is neither in the cache nor earlier in the archive", d.Short()), nil
		}
	}
	if own, miss := s.Lookup(k); miss == nil {
		im.needs(s.blobsOf(own, map[Digest][]Digest{}))
		return "", nil // the store's own record stays
	}
	if err := s.putRecordBytes(k, b, s.writer.now()); err != nil {
		return "", err
	}
	im.needs(blobs)
	im.t.Records++
	return "", nil
}
