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
	"time"

	"github.com/klauspost/compress/zstd"
)

// An archive is a zstd-compressed tar. Its first entry is archiveVersion,
// which holds the version of the format. After it, each record follows the
// blobs that it needs and that the archive does not hold yet: blobs/<digest>
// holds the bytes of a blob file, records/<key> those of a record's own file.
// signatures/<key> comes directly before the record whose bytes it signs. An
// archive holds no times and no origins, so equal content gives an equal archive.
const (
	archiveVersion = "VERSION"
	signaturesDir  = "signatures"
	maxArchiveName = 128
)

// Skipped names a part of a transfer that was left out, and the reason.
type Skipped struct{ Name, Reason string }

// Transfer is the result of Export or Import.
type Transfer struct {
	Records, Blobs int
	Bytes          int64 // of the blob files
	// Signed counts the records with a signature, of an import only those whose
	// signature was verified. Signers lists who signed these.
	Signed  int
	Signers []Signer
	Skipped []Skipped
}

// ExportOptions are the options of Export.
type ExportOptions struct {
	// Keys are those of the records to export; none means all.
	Keys []Key
	// Sign, if set, returns the signature of a record's own file. It is called for
	// the records that were made here. A record that was made elsewhere keeps its
	// signature, and is left out if it has none.
	Sign func(record []byte) (signature []byte, err error)
}

// Export writes records and the blobs that they need to w. It leaves damaged
// records out and lists them in Transfer.Skipped.
func (s *Store) Export(ctx context.Context, w io.Writer, o ExportOptions) (Transfer, error) {
	var t Transfer
	keys := o.Keys
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
	ex := exporter{s: s, tw: tar.NewWriter(zw), sent: map[Digest]bool{}, t: &t, sign: o.Sign}
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
	sign func([]byte) ([]byte, error)
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
	record, signature, _, err := splitForeign(b)
	if err != nil {
		return err // decodeRecord has accepted it
	}
	switch {
	case ex.sign == nil:
	case r.Origin == nil:
		if signature, err = ex.sign(record); err != nil {
			return fmt.Errorf("signing the record of %s: %w", r.label(), err)
		}
	case len(signature) == 0:
		return skip(fmt.Sprintf("%s was %s: only who made a result signs it; to sign one of your own, execute the stage here with --force", r.label(), r.Origin))
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
	if len(signature) > 0 {
		ex.t.Signed++
		if err := ex.entry(signaturesDir+"/"+k.String(), signature); err != nil {
			return err
		}
	}
	return ex.entry(recordsDir+"/"+k.String(), record)
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

// ImportOptions are the options of Import.
type ImportOptions struct {
	// From is the name of the archive, for the origins of its records.
	From string
	// Verify returns who signed a record's own file. The error says why the
	// signature, which may be empty, does not count.
	Verify func(record, signature []byte) (Signer, error)
	// Trust imports records whatever Verify returns. Without it, Verify must be
	// set, and one record without a valid signature refuses the whole archive.
	Trust bool
}

// An UnverifiedError refuses an archive because of records that Verify did not
// accept. Nothing was imported.
type UnverifiedError struct {
	Records, Unverified int
	First               string // one of them
	Reason              error
}

func (e *UnverifiedError) Error() string {
	return fmt.Sprintf("nothing was imported: %d of %d results have no signature that counts, %s among them: %v", e.Unverified, e.Records, e.First, e.Reason)
}

func (e *UnverifiedError) Unwrap() error { return e.Reason }

// Import adds the records of an archive whose blobs are all in the archive or
// in the store, and lists what it left out in Transfer.Skipped. It compares all
// content with its digests. Names in the archive are ids, never paths. A record
// that was made here stays, also if the archive has another for its key.
//
// Digests cannot prove that outputs are what the stage makes, so the caller
// names who says so: with Options.Verify the signers that it accepts, or with
// Options.Trust whoever wrote the archive. With Verify, the archive is read
// twice, so r must be an io.Seeker, and a refused archive changes nothing. After
// another error, the records imported before it remain and are complete.
func (s *Store) Import(ctx context.Context, r io.Reader, o ImportOptions) (Transfer, error) {
	var t Transfer
	if s.readOnly {
		return t, s.refuse("importing results")
	}
	if !o.Trust {
		seeker, ok := r.(io.ReadSeeker)
		if !ok {
			return t, errors.New("import: the signatures are checked before anything is imported, which needs an archive that can be read twice; give a regular file")
		}
		if err := verifyArchive(ctx, seeker, o.Verify); err != nil {
			return t, err
		}
	}
	// An eviction must not remove imported blobs before their record exists.
	if err := s.writer.begin(); err != nil {
		return t, err
	}
	in := importer{s: s, opts: o, t: &t}
	return t, readArchive(ctx, r, in.entry)
}

// verifyArchive reads an archive to its end, and returns an *UnverifiedError if
// one of its records is not accepted.
func verifyArchive(ctx context.Context, r io.ReadSeeker, verify func(record, signature []byte) (Signer, error)) error {
	at, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("import: %w; give a regular file", err)
	}
	var refused UnverifiedError
	var next signatureReader
	err = readArchive(ctx, r, func(h *tar.Header, r io.Reader) error {
		id, record, signature, err := next.read(h, r)
		if err != nil || record == nil {
			return err
		}
		refused.Records++
		label := recordsDir + "/" + Key(id).String()
		rec, err := decodeOwn(record, id)
		if err == nil {
			label = fmt.Sprintf("%s (key %s)", rec.label(), rec.Key.Short())
			_, err = verify(record, signature)
		}
		if err != nil {
			if refused.Unverified++; refused.Reason == nil {
				refused.First, refused.Reason = label, err
			}
		}
		return nil
	})
	if err == nil && refused.Unverified > 0 {
		return &refused
	}
	if err == nil {
		_, err = r.Seek(at, io.SeekStart)
	}
	return err
}

// signatureReader keeps the signature before a record.
type signatureReader struct {
	id        [32]byte
	signature []byte
}

// read returns the next record with its signature. record is nil for another
// entry, whose content it may have consumed if it is a signature.
func (n *signatureReader) read(h *tar.Header, r io.Reader) (id [32]byte, record, signature []byte, err error) {
	folder, name, _ := strings.Cut(h.Name, "/")
	if h.Typeflag != tar.TypeReg || parseID(id[:], name) != nil {
		return id, nil, nil, nil
	}
	switch folder {
	case signaturesDir:
		n.id, n.signature = id, nil
		if h.Size <= maxSignature {
			if n.signature, err = io.ReadAll(r); err != nil {
				return id, nil, nil, badArchive(err)
			}
		}
	case recordsDir:
		if n.id == id {
			signature = n.signature
		}
		n.signature = nil
		if h.Size > maxRecordBody {
			return id, []byte{}, signature, nil // no record is so long
		}
		if record, err = io.ReadAll(r); err != nil {
			return id, nil, nil, badArchive(err)
		}
		if record == nil {
			record = []byte{}
		}
	}
	return id, record, signature, nil
}

// readArchive calls visit for each entry of an archive after its version.
func readArchive(ctx context.Context, r io.Reader, visit func(*tar.Header, io.Reader) error) error {
	zr, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return err
	}
	defer zr.Close()
	tr := tar.NewReader(zr)
	for first := true; ; first = false {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		h, err := tr.Next()
		if errors.Is(err, io.EOF) && !first {
			return nil
		}
		if err != nil {
			return badArchive(err)
		}
		if first {
			err = checkArchive(h, tr)
		} else {
			err = visit(h, tr)
		}
		if err != nil {
			return err
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

// importer is one Import.
type importer struct {
	s    *Store
	opts ImportOptions
	t    *Transfer
	next signatureReader
}

func (in *importer) entry(h *tar.Header, r io.Reader) error {
	id, record, signature, err := in.next.read(h, r)
	if err != nil {
		return err
	}
	folder, name, _ := strings.Cut(h.Name, "/")
	var reason string
	switch {
	case h.Typeflag != tar.TypeReg || parseID(id[:], name) != nil:
		reason = "it is neither a blob nor a record"
	case folder == blobsDir:
		reason, err = in.s.importBlob(id, r, in.t)
	case folder == recordsDir:
		reason, err = in.record(id, record, signature)
	case folder != signaturesDir:
		reason = "it is neither a blob nor a record"
	}
	if reason != "" {
		name := h.Name
		if len(name) > maxArchiveName {
			name = name[:maxArchiveName] + "..."
		}
		in.t.Skipped = append(in.t.Skipped, Skipped{Name: fmt.Sprintf("%q", name), Reason: reason})
	}
	return err
}

// record adds a record whose blobs came before it.
func (in *importer) record(k Key, record, signature []byte) (reason string, err error) {
	origin := &Origin{Way: Imported, From: in.opts.From, At: in.s.clock().UTC().Truncate(time.Second)}
	if in.opts.Verify != nil {
		signer, err := in.opts.Verify(record, signature)
		switch {
		case err == nil:
			origin.Signer = &signer
		case !in.opts.Trust:
			return err.Error(), nil // the file has changed since its signatures were verified
		}
	}
	// A stage that is running must not find its own result replaced.
	unlock, err := in.s.tryLockKey(k)
	if err != nil {
		return "", err
	}
	if unlock == nil {
		return "its stage is running here", nil
	}
	defer unlock()
	added, reason, err := in.s.Adopt(k, record, signature, origin)
	if !added {
		return reason, err
	}
	in.t.Records++
	if s := origin.Signer; s != nil {
		if in.t.Signed++; !slices.Contains(in.t.Signers, *s) {
			in.t.Signers = append(in.t.Signers, *s)
		}
	}
	return "", nil
}

// importBlob writes the blob to a temporary file, verifies it, and then
// renames it into place.
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
		return "the content does not match its digest: " + reason, nil
	}
	if err := s.publish(f, s.entryPath(blobsDir, d), 0, s.writer.now()); err != nil {
		return "", err
	}
	s.unbury(d)
	t.Blobs++
	t.Bytes += n
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
