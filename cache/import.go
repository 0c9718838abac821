package cache

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// ImportOptions are the options of Import.
type ImportOptions struct {
	// From is the name of the archive, for the origins of its records.
	From string
	// Verify returns who signed a record's own file. The error says why the
	// signature, which may be empty, is not accepted.
	Verify func(record, signature []byte) (Signer, error)
	// Trust imports records whatever Verify returns. Without it, Verify must be
	// set, and an archive with a record that lacks a valid signature is rejected.
	Trust bool
}

// An UnverifiedError rejects an archive because of records that Verify did not
// accept. Nothing was imported.
type UnverifiedError struct {
	Records, Unverified int
	First               string // one of them
	Reason              error
}

func (e *UnverifiedError) Error() string {
	return fmt.Sprintf("nothing was imported: %d of %d results have no accepted signature, %s among them: %v",
		e.Unverified, e.Records, e.First, e.Reason)
}

func (e *UnverifiedError) Unwrap() error { return e.Reason }

// Import adds the records of an archive whose blobs are all in the archive or
// in the store, and lists what it left out in Transfer.Skipped. It compares all
// content with its digests. Names in the archive are ids, never paths. A record
// that was made here stays, also if the archive has another for its key.
//
// Digests cannot prove that outputs are what the stage makes, so the caller
// decides whom to trust: with Options.Verify the signers that it accepts, or with
// Options.Trust whoever wrote the archive. With Verify, the archive is read
// twice, so r must be an io.Seeker, and a refused archive changes nothing.
//
// Import refuses an archive or a blob that expands excessively. After an error,
// the records imported before it remain and are complete. Blobs that no imported
// record needs do not remain.
func (s *Store) Import(ctx context.Context, r io.Reader, o ImportOptions) (t Transfer, err error) {
	if s.readOnly {
		return t, s.refuse("importing results")
	}

	im := importer{s: s, opts: o, t: &t, unneeded: map[Digest]time.Time{}}
	if !o.Trust {
		seeker, ok := r.(io.ReadSeeker)
		if !ok {
			return t, errors.New("import: the signatures are checked before anything is imported, which needs an " +
				"archive that can be read twice; give a regular file")
		}

		if im.verified, err = verifyArchive(ctx, seeker, o.Verify); err != nil {
			return t, err
		}
	}

	// An eviction must not remove imported blobs before their record exists.
	if err := s.writer.begin(); err != nil {
		return t, err
	}

	defer func() {
		if rerr := im.removeUnneeded(); err == nil {
			err = rerr
		}
	}()
	err = readArchive(ctx, r, im.entry)
	return t, err
}

// verifyArchive reads an archive to its end, and returns who signed its records,
// by signedID, or an *UnverifiedError if one of them is not accepted.
func verifyArchive(ctx context.Context, r io.ReadSeeker,
	verify func(record, signature []byte) (Signer, error)) (map[Digest]Signer, error) {
	at, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, fmt.Errorf("import: %w; give a regular file", err)
	}

	verified := map[Digest]Signer{}
	var refused UnverifiedError
	var next signatureReader
	err = readArchive(ctx, r, func(h *tar.Header, r io.Reader) error {
		id, record, signature, err := next.read(h, r)
		if err != nil || record == nil {
			return err
		}

		refused.Records++
		label := recordsDir + "/" + Key(id).String()
		rec, err := DecodeOwn(record, id)
		if err == nil {
			label = fmt.Sprintf("%s (key %s)", printable(rec.label()), rec.Key.Short())
			verified[signedID(record, signature)], err = verify(record, signature)
		}

		if err != nil {
			if refused.Unverified++; refused.Reason == nil {
				refused.First, refused.Reason = label, err
			}
		}

		return nil
	})
	if err == nil && refused.Unverified > 0 {
		return nil, &refused
	}

	if err == nil {
		_, err = r.Seek(at, io.SeekStart)
	}

	return verified, err
}

// signedID identifies a record with its signature.
func signedID(record, signature []byte) Digest {
	h := sha256.New()
	fmt.Fprintf(h, "%d ", len(record))
	h.Write(record)
	h.Write(signature)
	return Digest(h.Sum(nil))
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

// readArchive calls visit for each entry of an archive after its version. It
// fails if the archive expands too many times.
func readArchive(ctx context.Context, r io.Reader, visit func(*tar.Header, io.Reader) error) (err error) {
	in := &expansion{packed: r}
	zr, err := zstd.NewReader(in.packedBytes(), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return err
	}

	defer zr.Close()
	in.plain = zr
	defer func() {
		if in.exceeded {
			err = fmt.Errorf("import: %w, which no archive of results does; if you trust it, export less at a time",
				errExpands)
		}
	}()
	tr := tar.NewReader(in)
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
		return errors.New("import: the file is not an archive of a touchstone cache; give a file written by " +
			"\"touchstone cache export\"")
	}

	if got, want := strings.TrimSpace(string(b)), fmt.Sprintf("%s%d", versionPrefix, formatVersion); got != want {
		return fmt.Errorf("import: the archive has format %q, but this touchstone reads %q; use the same version on "+
			"both sides", got, want)
	}

	return nil
}

// importer is one Import.
type importer struct {
	s    *Store
	opts ImportOptions
	t    *Transfer
	next signatureReader
	// verified has the signers of records, unless the archive is taken on trust.
	verified map[Digest]Signer
	// unneeded are imported blobs, with the times of their files, that no record
	// needs yet.
	unneeded map[Digest]time.Time
}

func (im *importer) entry(h *tar.Header, r io.Reader) error {
	id, record, signature, err := im.next.read(h, r)
	if err != nil {
		return err
	}

	folder, name, _ := strings.Cut(h.Name, "/")
	var reason string
	switch {
	case h.Typeflag != tar.TypeReg || parseID(id[:], name) != nil:
		reason = "it is neither a blob nor a record"
	case folder == blobsDir:
		reason, err = im.blob(id, h.Size, r)
	case folder == recordsDir:
		reason, err = im.record(id, record, signature)
	case folder != signaturesDir:
		reason = "it is neither a blob nor a record"
	}

	if reason != "" {
		name := h.Name
		if len(name) > maxArchiveName {
			name = name[:maxArchiveName] + "..."
		}

		im.t.Skipped = append(im.t.Skipped, Skipped{Name: fmt.Sprintf("%q", name), Reason: reason})
	}

	return err
}

// record adds a record whose blobs came before it.
func (im *importer) record(k Key, record, signature []byte) (reason string, err error) {
	origin := &Origin{Way: Imported, From: im.opts.From, At: im.s.clock().UTC().Truncate(time.Second)}
	if !im.opts.Trust {
		signer, ok := im.verified[signedID(record, signature)]
		if !ok {
			return "the archive has changed since its signatures were verified", nil
		}

		origin.Signer = &signer
	} else if im.opts.Verify != nil {
		if signer, err := im.opts.Verify(record, signature); err == nil {
			origin.Signer = &signer
		}
	}

	// A stage that is running must not find its own result replaced.
	unlock, err := im.s.tryLockKey(k)
	if err != nil {
		return "", err
	}

	if unlock == nil {
		return "its stage is running here", nil
	}

	defer unlock()
	var used []Digest
	added, reason, err := im.s.adopt(k, record, signature, origin, nil, func(d Digest) (bool, error) {
		used = append(used, d)
		return im.has(d)
	})
	if reason == "" {
		im.needs(used) // the record may be there also if its writing failed
	}

	if !added {
		return reason, err
	}

	im.t.Records++
	if s := origin.Signer; s != nil {
		if im.t.Signed++; !slices.Contains(im.t.Signers, *s) {
			im.t.Signers = append(im.t.Signers, *s)
		}
	}

	return "", nil
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

	n, err := io.Copy(f, limited(io.MultiReader(bytes.NewReader(header), &archiveReader{r: r}), size))
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

	s.removeTombstone(d)
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
