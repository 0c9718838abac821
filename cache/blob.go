package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/klauspost/compress/zstd"
)

// smallFile is the size in bytes up to which a file is read once, into memory.
// A larger file is read twice: the first pass computes its digest, and when the
// store already has the content nothing is compressed or written.
const smallFile = 1 << 20

// emptyDigest is the digest of zero bytes. Every store has this content
// without keeping a file for it.
var emptyDigest = Digest(sha256.Sum256(nil))

// entryPath returns the path of a blob, record or tombstone. Entries are spread
// over 256 directories, because large directories are slow.
func (s *Store) entryPath(folder string, id [32]byte) string {
	var name [64]byte
	hex.Encode(name[:], id[:])
	return s.dir + string(filepath.Separator) + folder + string(filepath.Separator) + string(name[:2]) +
		string(filepath.Separator) + string(name[:])
}

// PutFile stores the content of the regular file at path and returns its
// digest and size. Its memory use does not grow with the file.
func (s *Store) PutFile(path string) (Digest, int64, error) {
	f, st, err := openStored(path)
	if err != nil {
		return Digest{}, 0, err
	}

	defer f.Close()
	if st.Size() <= smallFile {
		// One byte beyond the limit shows that the file has grown.
		b, err := io.ReadAll(io.LimitReader(f, smallFile+1))
		if err != nil {
			return Digest{}, 0, fmt.Errorf("store %s: %w; check the file and its disk", path, err)
		}

		if len(b) <= smallFile {
			d, err := s.PutBytes(b)
			return d, int64(len(b)), err
		}

		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return Digest{}, 0, fmt.Errorf("store %s: %w; check the file and its disk", path, err)
		}
	}

	return s.putLarge(f, path)
}

// openStored opens a regular file that is to be stored. It follows no symbolic link.
func openStored(path string) (*os.File, fs.FileInfo, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("store %s: %w; make sure that the file exists and is readable", path, err)
	}

	if !st.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("store %s: it is %s, not a regular file; write a plain file there", path,
			kindOf(st.Mode()))
	}

	f, err := OpenRegular(path)
	if err != nil {
		return nil, nil, fmt.Errorf("store %s: %w; make sure that the file exists and is readable", path, err)
	}

	return f, st, nil
}

// kindOf returns the type of a file as a phrase for messages.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return "a device"
	case m.IsRegular():
		return "a regular file"
	}

	return "a special file"
}

// PutBytes stores b and returns its digest.
func (s *Store) PutBytes(b []byte) (Digest, error) {
	d := Digest(sha256.Sum256(b))
	if d == emptyDigest {
		return d, nil
	}

	present, err := s.reuse(d)
	if err != nil || present {
		return d, err
	}

	if err := s.writeFileAt(s.entryPath(blobsDir, d), encodeBlob(b), 0, s.writer.now()); err != nil {
		return Digest{}, err
	}

	s.removeTombstone(d)
	return d, nil
}

// putLarge stores the open file f in two passes.
func (s *Store) putLarge(f *os.File, path string) (Digest, int64, error) {
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return Digest{}, 0, fmt.Errorf("store %s: %w; check the file and its disk", path, err)
	}

	d := Digest(h.Sum(nil))
	present, err := s.reuse(d)
	if err != nil || present {
		return d, size, err
	}

	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Digest{}, 0, fmt.Errorf("store %s: %w; check the file and its disk", path, err)
	}

	tmp, err := s.temp()
	if err != nil {
		return Digest{}, 0, err
	}

	got, err := encodeStream(tmp, f, size)
	if err != nil {
		discard(tmp)
		return Digest{}, 0, s.failed("store "+path, err)
	}

	if got != d {
		discard(tmp)
		return Digest{}, 0, fmt.Errorf("store %s: the file changed while it was being stored; make sure that "+
			"nothing writes to it after its stage has ended", path)
	}

	if err := s.publish(tmp, s.entryPath(blobsDir, d), 0, s.writer.now()); err != nil {
		return Digest{}, 0, err
	}

	s.removeTombstone(d)
	return d, size, nil
}

// encodeStream writes the blob file for the content of r, which should have
// the given size, and returns the digest of the bytes that it read.
func encodeStream(w io.Writer, r io.Reader, size int64) (Digest, error) {
	sample := make([]byte, sampleSize)
	n, err := io.ReadFull(r, sample)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return Digest{}, err
	}

	sample = sample[:n]

	h := sha256.New()
	plain := io.TeeReader(io.MultiReader(bytes.NewReader(sample), r), h)
	enc := encoders.Get().(*zstd.Encoder)
	defer encoders.Put(enc)
	codec := byte(codecRaw)
	if worthCompressing(sample, enc) {
		codec = codecZstd
	}

	if _, err := w.Write(blobHeader{codec, size}.append(nil)); err != nil {
		return Digest{}, err
	}

	if codec == codecRaw {
		if _, err := io.Copy(w, plain); err != nil {
			return Digest{}, err
		}

		return Digest(h.Sum(nil)), nil
	}

	enc.Reset(w)
	defer enc.Reset(nil)
	if _, err := io.Copy(enc, plain); err != nil {
		return Digest{}, err
	}

	if err := enc.Close(); err != nil {
		return Digest{}, err
	}

	return Digest(h.Sum(nil)), nil
}

// reuse reports whether the store has the blob. If so, it updates the time of
// the blob, so that no eviction removes it before the record that will name it
// exists.
func (s *Store) reuse(d Digest) (bool, error) {
	if d == emptyDigest {
		return true, nil
	}

	if s.readOnly {
		return false, s.refuse("keeping results")
	}

	if err := s.writer.begin(); err != nil {
		return false, err
	}

	if err := s.touch.lock(); err != nil {
		return false, s.failed("lock", err)
	}

	defer s.touch.unlock()
	if !s.Has(d) {
		return false, nil
	}

	now := s.writer.now()
	if err := os.Chtimes(s.entryPath(blobsDir, d), now, now); err != nil {
		return false, nil // removed or not owned by this user: write it again
	}

	return true, nil
}

// Has reports whether the store has a blob. It costs one stat and does not read
// the content. A file that is too short to be a blob does not count.
func (s *Store) Has(d Digest) bool {
	if d == emptyDigest {
		return true
	}
	st, err := lstat(s.entryPath(blobsDir, d))
	return err == nil && st.mode.IsRegular() && st.size > blobHeaderSize
}

// Copy writes a blob to w. It fetches a blob that a record from the store's source
// needs and that the store lacks. The written bytes are verified only if Copy
// returns nil. Errors are ErrNotFound, a *CorruptError, or w's own.
func (s *Store) Copy(d Digest, w io.Writer) error {
	reason, err := s.read(d, w)
	if errors.Is(err, ErrNotFound) && s.fetchOne(d) {
		reason, err = s.read(d, w)
	}
	if reason != "" {
		return s.corrupt(d, s.entryPath(blobsDir, d), reason)
	}
	return err
}

// read is like Copy, but leaves a damaged blob in the store and returns the
// reason.
func (s *Store) read(d Digest, w io.Writer) (reason string, err error) {
	if d == emptyDigest {
		return "", nil
	}

	f, err := os.Open(s.entryPath(blobsDir, d))
	if errors.Is(err, fs.ErrNotExist) {
		return "", notFound(d)
	}

	if err != nil {
		return "", s.failed("read", err)
	}

	defer f.Close()
	return copyBlob(w, f, d)
}

// copyBlob writes the plain content of the blob file f to w. reason describes a
// defect of the file. err is an error of w.
func copyBlob(w io.Writer, f io.Reader, d Digest) (reason string, err error) {
	var head [blobHeaderSize]byte
	if _, err := io.ReadFull(f, head[:]); isReadFailure(err) {
		return "", err
	} else if err != nil {
		return "the file is shorter than its header", nil
	}

	header, err := parseBlobHeader(head[:])
	if err != nil {
		return err.Error(), nil
	}

	plain, done, err := plainReader(header, f)
	if err != nil {
		return err.Error(), nil
	}

	defer done()
	h := sha256.New()
	out := &sink{w: w, hash: h}
	n, err := io.Copy(out, plain)
	switch {
	case out.err != nil:
		return "", out.err
	case isReadFailure(err):
		return "", err
	case err != nil:
		return fmt.Sprintf("after %d bytes: %v", n, err), nil
	case n != header.size:
		return fmt.Sprintf("its length differs from the %d bytes in its header", header.size), nil
	}

	if got := Digest(h.Sum(nil)); got != d {
		return fmt.Sprintf("its bytes have the digest %s", got.Short()), nil
	}

	return "", nil
}

// sink hashes what it passes to w, and keeps the errors of w apart from those
// of the source.
type sink struct {
	w    io.Writer
	hash io.Writer
	err  error
}

func (k *sink) Write(b []byte) (int, error) {
	_, _ = k.hash.Write(b) // a hash never fails
	n, err := k.w.Write(b)
	if err != nil {
		k.err = err
	}
	return n, err
}

// corrupt removes a damaged blob from the store and returns a *CorruptError.
func (s *Store) corrupt(d Digest, path, reason string) error {
	if !s.readOnly {
		s.writeTombstone(d, tombstone{Why: whyCorrupt, Detail: reason})
		os.Remove(path)
	}
	return &CorruptError{Digest: d, Path: path, Reason: reason, Stays: s.readOnly}
}

// Bytes returns the verified content of a blob. Errors are ErrNotFound or a
// *CorruptError.
func (s *Store) Bytes(d Digest) ([]byte, error) {
	buf := s.bufferFor(d)
	if err := s.Copy(d, buf); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// bufferFor returns a buffer with the room for a blob of usual size.
func (s *Store) bufferFor(d Digest) *bytes.Buffer {
	const usual = 32 << 20
	var b bytes.Buffer
	if size, err := s.Size(d); err == nil && size <= usual {
		b.Grow(int(size))
	}
	return &b
}

// Materialize writes a blob to a file at path with exactly the given
// permissions, independent of the umask. It verifies the content before the
// file appears at path, and replaces a file that is already there.
func (s *Store) Materialize(d Digest, path string, mode fs.FileMode) error {
	return Unforked(mode, func() error { return s.materialize(d, path, mode) })
}

// Unforked calls f, which writes a file of that mode. If the file is a program, this
// process starts no other one meanwhile: that would hold the file open for writing until it
// is executed itself, and nobody could start the program ("text file busy").
func Unforked(mode fs.FileMode, f func() error) error {
	if mode&0o111 != 0 {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
	}
	return f()
}

func (s *Store) materialize(d Digest, path string, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".touchstone-")
	if err != nil {
		return fmt.Errorf("write %s: %w; make sure that its directory exists and is writable", path, err)
	}

	if err := s.Copy(d, tmp); err != nil {
		discard(tmp)
		if Damaged(err) {
			return err
		}

		return fmt.Errorf("write %s: %w; check the disk that it is on", path, err)
	}

	err = tmp.Chmod(mode.Perm())
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}

	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}

	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("write %s: %w; make sure that nothing else is at that path", path, err)
	}

	return nil
}
