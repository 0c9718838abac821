package cache

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

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
	return ex.tw.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600,
		Format: tar.FormatPAX})
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

	f, err := splitForeign(b)
	if err != nil {
		return err // decodeRecord has accepted it
	}

	record, signature := f.record, f.signature
	switch {
	case ex.sign == nil:
	case r.Origin == nil:
		if signature, err = ex.sign(record); err != nil {
			return fmt.Errorf("signing the record of %s: %w", r.label(), err)
		}
	case len(signature) == 0:
		return skip(fmt.Sprintf("%s was %s: only who made a result signs it; to sign one of your own, execute the "+
			"stage here with --force", r.label(), r.Origin))
	}

	needed, err := ex.s.blobsOf(r, map[Digest][]Digest{})
	if err != nil {
		return skip(err.Error())
	}

	var blobs []Digest
	listed := map[Digest]bool{}
	for _, d := range needed {
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

	n, err := io.Copy(ex.tw, limited(f, st.Size()))
	ex.sent[d] = true
	ex.t.Blobs++
	ex.t.Bytes += n
	return err
}
