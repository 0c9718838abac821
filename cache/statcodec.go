package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
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

func encodeStatIndex(entries map[string]*statEntry, saved time.Time) []byte {
	le := binary.LittleEndian
	b := make([]byte, 36, statFixedSize+len(entries)*(statEntrySize+80))
	copy(b, statMagic)
	b = le.AppendUint64(b, uint64(saved.UnixNano()))
	b = le.AppendUint32(b, 0) // set below
	n := uint32(0)
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		if len(path) > 1<<16-1 {
			continue // never trusted: hashed each time
		}

		e := entries[path]
		b = le.AppendUint16(b, uint16(len(path)))
		b = append(b, path...)
		b = e.fileStat.append(b)
		b = append(b, e.idle)
		b = append(b, e.digest[:]...)
		n++
	}

	le.PutUint32(b[44:], n)
	sum := sha256.Sum256(b[36:])
	copy(b[4:], sum[:])
	return b
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
	text := string(c.b)
	entries := make(map[string]*statEntry, n)
	for i := range array {
		e := &array[i]
		length := int(c.u16())
		start := len(text) - len(c.b)
		if len(c.take(length)) != length {
			break
		}

		e.fileStat = c.stat()
		e.idle = c.u8()
		c.copy(e.digest[:])
		entries[text[start:start+length]] = e
	}

	switch {
	case c.short:
		return nil, time.Time{}, errors.New("it is cut off")
	case len(c.b) != 0 || len(entries) != n:
		return nil, time.Time{}, errors.New("the number of files differs from its header")
	}

	return entries, saved, nil
}
