package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// A stat index file is statMagic, the SHA-256 of the rest, and the rest: a
// savedIndex as a gob, which takes a fraction of the time of JSON.
const statMagic = "TSI3"

const statHeaderSize = len(statMagic) + sha256.Size

type savedIndex struct {
	Saved time.Time
	Files []savedFile // sorted by path
}

type savedFile struct {
	Path               string
	Size, Mtime, Ctime int64
	Inode              uint64
	Mode               fs.FileMode
	Idle               uint8
	Digest             []byte
}

func encodeStatIndex(entries map[string]*statEntry, saved time.Time) ([]byte, error) {
	index := savedIndex{Saved: saved, Files: make([]savedFile, 0, len(entries))}
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		e := entries[path]
		index.Files = append(index.Files, savedFile{path, e.size, e.mtime, e.ctime, e.inode, e.mode, e.idle, e.digest[:]})
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(index); err != nil {
		return nil, fmt.Errorf("saving the stat index: %w", err)
	}
	sum := sha256.Sum256(b.Bytes())
	return slices.Concat([]byte(statMagic), sum[:], b.Bytes()), nil
}

func decodeStatIndex(b []byte) (map[string]*statEntry, time.Time, error) {
	if len(b) < statHeaderSize || !bytes.HasPrefix(b, []byte(statMagic)) {
		return nil, time.Time{}, errors.New("it is cut off or not a stat index")
	}
	rest := b[statHeaderSize:]
	if sha256.Sum256(rest) != [sha256.Size]byte(b[len(statMagic):]) {
		return nil, time.Time{}, errors.New("it does not match its checksum")
	}
	var index savedIndex
	if err := gob.NewDecoder(bytes.NewReader(rest)).Decode(&index); err != nil {
		return nil, time.Time{}, fmt.Errorf("it cannot be read: %w", err)
	}
	entries := make(map[string]*statEntry, len(index.Files))
	for _, f := range index.Files {
		e := &statEntry{fileStat: fileStat{size: f.Size, mtime: f.Mtime, ctime: f.Ctime, inode: f.Inode, mode: f.Mode}, idle: f.Idle}
		if copy(e.digest[:], f.Digest) != len(e.digest) {
			return nil, time.Time{}, fmt.Errorf("it has no digest of %s", f.Path)
		}
		entries[f.Path] = e
	}
	return entries, index.Saved, nil
}
