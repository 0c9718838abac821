package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// An index of records:
//
//	"TRI2"
//	32  SHA-256 of what follows
//	i64 saved, nanoseconds since 1970
//	256 folders: i64 size, i64 mtime, i64 ctime, u64 inode, u32 mode
//	u32 number of records; each, sorted by key:
//	    i64 size, i64 mtime, i64 ctime, u64 inode, u32 mode, u8 idle,
//	    u16 length and bytes of the text of the origin,
//	    u32 length and bytes of the fields of the record's header (recordcodec.go)
const (
	recordIndexMagic     = "TRI2"
	recordIndexFixedSize = 4 + 32 + 8 + 256*fileStatSize + 4
	recordIndexEntrySize = fileStatSize + 1 + 2 + 4
	fileStatSize         = 4*8 + 4
)

func encodeRecordIndex(entries map[Key]*indexedRecord, folders *[256]fileStat, saved time.Time) []byte {
	le := binary.LittleEndian
	b := make([]byte, 36, recordIndexFixedSize+len(entries)*(recordIndexEntrySize+256))
	copy(b, recordIndexMagic)
	b = le.AppendUint64(b, uint64(saved.UnixNano()))
	for _, st := range folders {
		b = st.append(b)
	}

	b = le.AppendUint32(b, uint32(len(entries)))
	keys := slices.SortedFunc(maps.Keys(entries), func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	for _, k := range keys {
		e := entries[k]
		b = e.fileStat.append(b)
		b = append(b, e.idle)
		b = le.AppendUint16(b, uint16(len(e.header.origin)))
		b = append(b, e.header.origin...)
		at := len(b)
		b = e.header.append(le.AppendUint32(b, 0))
		le.PutUint32(b[at:], uint32(len(b)-at-4))
	}

	sum := sha256.Sum256(b[36:])
	copy(b[4:], sum[:])
	return b
}

func decodeRecordIndex(b []byte, folders *[256]fileStat) (map[Key]*indexedRecord, time.Time, error) {
	fail := func(text string) (map[Key]*indexedRecord, time.Time, error) {
		return nil, time.Time{}, errors.New(text)
	}
	if len(b) < recordIndexFixedSize || string(b[:4]) != recordIndexMagic {
		return fail("it is not an index or cut off")
	}

	if sha256.Sum256(b[36:]) != [32]byte(b[4:36]) {
		return fail("it does not match its checksum")
	}

	c := cursor{b: b[36:]}
	saved := time.Unix(0, int64(c.u64()))
	for i := range folders {
		folders[i] = c.stat()
	}

	n := int(c.u32())
	if n > len(c.b)/recordIndexEntrySize {
		return fail("it is cut off")
	}

	// Allocate one array for all entries and one for most outputs: thousands of
	// small allocations would dominate the cost of loading.
	array := make([]indexedRecord, n)
	d := headerDecoder{spare: make([]RecordOutput, n)}
	entries := make(map[Key]*indexedRecord, n)
	for i := range array {
		e := &array[i]
		e.fileStat = c.stat()
		e.idle = c.u8()
		e.header.origin = d.name(c.take(int(c.u16())))
		length := int(c.u32())
		fields := c.take(length)
		if len(fields) != length {
			break
		}

		if err := d.decode(fields, &e.header); err != nil {
			return nil, time.Time{}, err
		}

		if _, err := decodeOrigin(e.header.origin); err != nil {
			return nil, time.Time{}, err
		}

		entries[e.header.key] = e
	}

	switch {
	case c.short:
		return fail("it is cut off")
	case len(c.b) != 0 || len(entries) != n:
		return fail("the number of records differs from its header")
	}

	return entries, saved, nil
}

// append writes the state of a file in the format that cursor.stat reads.
func (e fileStat) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(e.size))
	b = le.AppendUint64(b, uint64(e.mtime))
	b = le.AppendUint64(b, uint64(e.ctime))
	b = le.AppendUint64(b, e.inode)
	return le.AppendUint32(b, uint32(e.mode))
}

func (c *cursor) stat() (st fileStat) {
	st.size, st.mtime, st.ctime = int64(c.u64()), int64(c.u64()), int64(c.u64())
	st.inode = c.u64()
	st.mode = fs.FileMode(c.u32())
	return st
}
