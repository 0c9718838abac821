package cache

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Limits of an import. An archive is compressed, and blobs in it are as well, so
// without limits a megabyte could fill a disk. Archives of results expand two to
// ten times.
const (
	// maxArchiveRatio limits how many times an archive expands, beyond
	// freeExpansion bytes.
	maxArchiveRatio = 100
	freeExpansion   = 64 << 20
	// maxImported is the size in bytes of the largest blob, compressed or not.
	maxImported = 8 << 30
	// maxBlobRatio limits how many times a blob expands, beyond freeBlob bytes.
	// What a blob expands to fills no disk, but takes time to verify.
	maxBlobRatio = 1000
	freeBlob     = 256 << 20
)

// expansion reads an archive that is decompressed. It fails if the archive
// expands too many times.
type expansion struct {
	packed   io.Reader // the archive
	plain    io.Reader // set after the decompression of packedBytes is
	in, out  int64
	exceeded bool
}

// packedBytes returns a reader of the archive, for the decompression.
func (e *expansion) packedBytes() io.Reader { return readerFunc(e.readPacked) }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func (e *expansion) readPacked(b []byte) (int, error) {
	n, err := e.packed.Read(b)
	e.in += int64(n)
	return n, err
}

func (e *expansion) Read(b []byte) (int, error) {
	n, err := e.plain.Read(b)
	if e.out += int64(n); e.out > freeExpansion && e.out-freeExpansion > maxArchiveRatio*e.in {
		e.exceeded = true
		return 0, errExpands
	}
	return n, err
}

var errExpands = fmt.Errorf("it expands more than %d times", maxArchiveRatio)

// tooLarge returns the reason why a blob file of size bytes is not imported, or
// "". header is its beginning.
func tooLarge(size int64, header []byte) string {
	h, err := parseBlobHeader(header)
	switch {
	case err != nil:
		return "" // the verification tells more
	case size > maxImported || h.size > maxImported:
		return fmt.Sprintf("the blob is larger than %d GiB", maxImported>>30)
	case h.size > freeBlob && (h.size-freeBlob)/maxBlobRatio > size:
		return fmt.Sprintf("the blob expands more than %d times", maxBlobRatio)
	}
	return ""
}

// wrote notes a blob that was just written.
func (im *importer) wrote(d Digest) {
	if st, err := os.Stat(im.s.entryPath(blobsDir, d)); err == nil {
		im.unneeded[d] = st.ModTime()
	}
}

// has is reuse for a blob that a record of the archive needs. It keeps the time
// of one that this import wrote, which no eviction removes.
func (im *importer) has(d Digest) (bool, error) {
	if _, ours := im.unneeded[d]; ours {
		return im.s.Has(d), nil
	}
	return im.s.reuse(d)
}

// needs notes that a record in the store needs the blobs. It reads nothing, because a
// failure would remove content that the record needs.
func (im *importer) needs(blobs []Digest) {
	for _, d := range blobs {
		delete(im.unneeded, d)
	}
}

// removeUnneeded removes the imported blobs that no record needs, unless another
// process used one in the meantime, which changes its time.
func (im *importer) removeUnneeded() error {
	if len(im.unneeded) == 0 {
		return nil
	}

	lock, err := im.s.lockTouches(context.Background())
	if err != nil {
		return err
	}

	defer lock.Close()
	for d, at := range im.unneeded {
		path := im.s.entryPath(blobsDir, d)
		if st, err := os.Stat(path); err == nil && st.ModTime().Equal(at) && os.Remove(path) == nil {
			im.t.Blobs--
			im.t.Bytes -= st.Size()
		}
	}

	return nil
}
