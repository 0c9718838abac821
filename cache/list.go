package cache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Stats counts the content of a store.
type Stats struct {
	Dir         string
	Records     int
	RecordBytes int64 // on disk
	Blobs       int
	BlobBytes   int64 // on disk, mostly compressed
	Tombstones  int
}

// Stats counts the files of the store.
func (s *Store) Stats() (Stats, error) {
	st := Stats{Dir: s.dir}
	err := s.walk(recordsDir, func(e entry) error {
		st.Records++
		st.RecordBytes += e.size
		return nil
	})
	if err == nil {
		err = s.walk(blobsDir, func(e entry) error {
			st.Blobs++
			st.BlobBytes += e.size
			return nil
		})
	}

	if err == nil {
		err = s.walk(goneDir, func(entry) error {
			st.Tombstones++
			return nil
		})
	}

	return st, err
}

// RecordInfo describes a record in a listing.
type RecordInfo struct {
	Key             Key
	Stage, Instance string
	Bytes           int64     // of the outputs, according to the record
	Written         time.Time // when the record was written
	Used            time.Time // last use, to within an hour
	Expires         time.Time // zero: never
	Duration        time.Duration
	Origin          *Origin // nil for a result that was made here
	// Problem is the reason why the record cannot be read, or empty. If it is
	// set, the fields that are read from the record are empty.
	Problem string
}

// List calls fn for each record, ordered by key.
func (s *Store) List(fn func(RecordInfo) error) error {
	return s.walk(recordsDir, func(e entry) error {
		info := RecordInfo{Key: e.id, Used: e.mtime}
		r, h, err := s.readRecord(e)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			info.Problem = err.Error()
			return fn(info)
		}

		info.Stage, info.Instance, info.Duration, info.Origin = r.Stage, r.Instance, r.Duration, r.Origin
		info.Written, info.Expires = h.written, h.expires
		for i := range r.Outputs {
			info.Bytes += r.Outputs[i].Size
		}

		return fn(info)
	})
}

// entry is a file in one of the folders that have 256 subdirectories.
type entry struct {
	id    [32]byte
	path  string
	size  int64
	mtime time.Time
}

// walk calls fn for each entry of a folder, ordered by id. It skips files that
// vanish during the walk and files whose name is not an id of their directory.
func (s *Store) walk(folder string, fn func(entry) error) error {
	parts, err := os.ReadDir(s.path(folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.failed("read", err)
	}

	for _, part := range parts {
		list, err := os.ReadDir(s.path(folder, part.Name()))
		if err != nil {
			if part.IsDir() && !errors.Is(err, fs.ErrNotExist) {
				return s.failed("read", err)
			}

			continue
		}

		for _, de := range list {
			var e entry
			name := de.Name()
			if len(name) != 64 || name[:2] != part.Name() {
				continue
			}

			if _, err := hex.Decode(e.id[:], []byte(name)); err != nil {
				continue
			}

			st, err := de.Info()
			if err != nil || !st.Mode().IsRegular() {
				continue
			}

			e.path, e.size, e.mtime = s.path(folder, part.Name(), name), st.Size(), st.ModTime()
			if err := fn(e); err != nil {
				return err
			}
		}
	}

	return nil
}

// Record returns the record of a key for explanations. It also returns records
// that have expired or lost their blobs, which Lookup does not. It changes
// nothing. It returns an error if there is no record or the record is damaged.
func (s *Store) Record(k Key) (*Record, error) {
	r, _, err := s.readRecord(entry{id: k, path: s.entryPath(recordsDir, k)})
	return r, err
}

// readRecord reads the record of an entry without changing anything.
func (s *Store) readRecord(e entry) (*Record, recordHeader, error) {
	b, _, err := readWhole(e.path, nil, maxRecordFile)
	if err != nil {
		return nil, recordHeader{}, err
	}

	h, _, err := decodeRecordHeader(b)
	if err != nil {
		return nil, h, err
	}

	if h.key != e.id {
		return nil, h, fmt.Errorf("it holds the record of %s", h.key.Short())
	}

	r, err := decodeRecord(b)
	return r, h, err
}

// blobsOf lists every blob that a record needs, including the files of its
// directories. A manifest that is missing or corrupt adds only itself. It returns an
// error if a manifest is there and cannot be opened or read: what the record needs is
// then unknown.
func (s *Store) blobsOf(r *Record, trees map[Digest][]Digest) ([]Digest, error) {
	blobs := make([]Digest, 0, len(r.Outputs)+3)
	blobs = append(blobs, r.Additions()...)
	for i := range r.Outputs {
		o := &r.Outputs[i]
		blobs = append(blobs, o.Digest)
		if !o.Dir {
			continue
		}

		members, known := trees[o.Digest]
		if !known {
			entries, err := s.peekTree(o.Digest)
			if isReadFailure(err) {
				return nil, err
			}

			members = membersOf(entries)
			trees[o.Digest] = members
		}

		blobs = append(blobs, members...)
	}

	return blobs, nil
}

// membersOf lists the blobs of the files of a directory.
func membersOf(entries []TreeEntry) []Digest {
	var members []Digest
	for i := range entries {
		if entries[i].Mode.IsRegular() {
			members = append(members, entries[i].Digest)
		}
	}
	return members
}
