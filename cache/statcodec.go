package cache

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
)

// A stat index file:
//
//	"TSI1"
//	32  SHA-256 of what follows
//	i64 saved, nanoseconds since 1970
//	u32 number of files; each, sorted by path:
//	    u16 length and bytes of the path
//	    i64 size, i64 mtime, i64 ctime, u64 inode, u32 mode, u8 idle, 32 digest
const (
	statMagic     = "TSI1"
	statFixedSize = 4 + 32 + 8 + 4
	statEntrySize = 2 + 4*8 + 4 + 1 + 32
)

// encodeStatIndex writes an index. It encodes the files twice, first for the checksum, because a large index would take
// as much memory as all that it describes.
func encodeStatIndex(w io.Writer, entries map[string]*statEntry, saved time.Time) error {
	paths := make([]string, 0, len(entries))
	for path := range entries {
		if len(path) <= 1<<16-1 { // a longer one is never trusted: hashed each time
			paths = append(paths, path)
		}
	}

	slices.Sort(paths)
	sum := sha256.New()
	if err := encodeStatFiles(sum, paths, entries, saved); err != nil {
		return err
	}

	if _, err := w.Write(sum.Sum([]byte(statMagic))); err != nil {
		return err
	}

	return encodeStatFiles(w, paths, entries, saved)
}

// encodeStatFiles writes what follows the checksum.
func encodeStatFiles(w io.Writer, paths []string, entries map[string]*statEntry, saved time.Time) error {
	le := binary.LittleEndian
	buffered := bufio.NewWriterSize(w, 64<<10)
	b := le.AppendUint64(nil, uint64(saved.UnixNano()))
	b = le.AppendUint32(b, uint32(len(paths)))
	for _, path := range paths {
		e := entries[path]
		b = le.AppendUint16(b, uint16(len(path)))
		b = append(b, path...)
		b = e.fileStat.append(b)
		b = append(b, e.idle)
		b = append(b, e.digest[:]...)
		_, _ = buffered.Write(b) // Flush returns its error
		b = b[:0]
	}

	_, _ = buffered.Write(b) // not empty without files
	return buffered.Flush()
}

func decodeStatIndex(b []byte) (map[string]*statEntry, time.Time, error) {
	if len(b) < statFixedSize || string(b[:4]) != statMagic {
		return nil, time.Time{}, errors.New("it is cut off or not a stat index")
	}

	if sha256.Sum256(b[36:]) != [32]byte(b[4:36]) {
		return nil, time.Time{}, errors.New("it does not match its checksum")
	}

	c := cursor{b: b[36:]}
	saved := time.Unix(0, int64(c.u64()))
	n := int(c.u32())
	if n > len(c.b)/statEntrySize {
		return nil, time.Time{}, errors.New("it is cut off")
	}

	// Allocate one array for all entries and one string for all paths:
	// thousands of small allocations would dominate the cost of loading.
	array := make([]statEntry, n)
	var paths strings.Builder // never moves, because it has the room for all
	paths.Grow(len(c.b) - n*statEntrySize)
	entries := make(map[string]*statEntry, n)
	for i := range array {
		e := &array[i]
		start := paths.Len()
		paths.Write(c.take(int(c.u16())))
		e.fileStat = c.stat()
		e.idle = c.u8()
		c.copy(e.digest[:])
		if c.short {
			break
		}

		entries[paths.String()[start:]] = e
	}

	switch {
	case c.short:
		return nil, time.Time{}, errors.New("it is cut off")
	case len(c.b) != 0 || len(entries) != n:
		return nil, time.Time{}, errors.New("the number of files differs from its header")
	}

	return entries, saved, nil
}
