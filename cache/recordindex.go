package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// recordIndex holds the headers of record files, so that a lookup neither opens nor
// reads the record file. Record files never change: they are renamed into place when
// they are complete, and are later replaced or removed. Both change the times of
// their folder, which is one of 256. The index therefore checks the folder: if it is
// unchanged, all of its records are unchanged, and no record file is accessed. If the
// folder has changed, the index checks the file of the record.
//
// As in StatIndex, a file or folder counts as unchanged if its size, modification
// time, change time and inode are the same, and if it did not change so shortly
// before it was read that a later change could leave the same times. A recordIndex is
// safe for concurrent use.
type recordIndex struct {
	path    string
	loaded  map[Key]*indexedRecord // not modified after it was loaded
	folders [256]indexedFolder     // by the first byte of the key

	mu    sync.Mutex
	added map[Key]*indexedRecord // nil if the loaded record is out of date
	dirty bool
}

// indexedRecord is the state of a record file when it was read.
type indexedRecord struct {
	fileStat
	header recordHeader
	idle   uint8 // number of saves since the record was last used
	used   atomic.Bool
	stale  atomic.Bool // this process has touched the file since
}

// indexedFolder is a folder of records.
type indexedFolder struct {
	saved fileStat // at a time when it contained all of its loaded records
	look  sync.Once
	now   fileStat // when this process first looked up a record in it
	at    time.Time
}

// unchanged reports whether the folder of a key is in its saved state.
func (x *recordIndex) unchanged(s *Store, k Key, path string) bool {
	f := &x.folders[k[0]]
	f.look.Do(func() {
		f.at = s.clock()
		f.now, _ = lstat(filepath.Dir(path)) // zero on failure
	})
	return f.now == f.saved && f.now != (fileStat{})
}

// IndexRecords makes Outputs keep the records that it reads in an index for one
// project. id is usually the absolute path of the project's root. Close saves the
// index. A missing, damaged or future index is treated as empty. Call IndexRecords
// before the store is used concurrently.
func (s *Store) IndexRecords(id string) {
	x := &recordIndex{path: s.path(statDir, fileID("records of "+id)), added: map[Key]*indexedRecord{}}
	s.records = x
	b, err := os.ReadFile(x.path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}

	if err == nil {
		var loaded map[Key]*indexedRecord
		var folders [256]fileStat
		var saved time.Time
		if loaded, saved, err = decodeRecordIndex(b, &folders); err == nil && !saved.After(s.clock()) {
			x.loaded = loaded
			for i, st := range folders {
				x.folders[i].saved = st
			}

			return
		}
	}

	x.dirty = true
}

// find returns the header of a record, and the time of its file, if the file is
// unchanged since it was added to the index.
func (x *recordIndex) find(s *Store, k Key, path string) (h *recordHeader, mtime int64, ok bool) {
	e := x.loaded[k]
	if e == nil || e.stale.Load() {
		x.unchanged(s, k, path) // before the record is read
		return nil, 0, false
	}

	if !x.unchanged(s, k, path) {
		st, err := lstat(path)
		// A time in the future may occur again when the clock gets there.
		if now := s.clock().UnixNano(); err != nil || st != e.fileStat || st.mtime > now || st.ctime > now {
			return nil, 0, false
		}
	}

	if !e.used.Load() {
		e.used.Store(true)
	}

	return &e.header, e.mtime, true
}

// remember adds a record that was read from a file with the state st.
func (x *recordIndex) remember(h recordHeader, st fileStat, read time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dirty = true
	if !st.settled(read) {
		x.added[h.key] = nil // the loaded record is out of date
		return
	}
	e := &indexedRecord{fileStat: st, header: h}
	e.used.Store(true)
	x.added[h.key] = e
}

// forget removes a record whose file was touched.
func (x *recordIndex) forget(k Key) {
	if e := x.loaded[k]; e != nil {
		e.stale.Store(true)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dirty = true
	x.added[k] = nil
}

// save writes the index if it has changed. If two processes save, the last one wins,
// and the records of the other are read once more.
func (x *recordIndex) save(s *Store) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.readOnly {
		return nil
	}

	// In a folder that has changed, only the records that were looked up are known
	// to exist. The others are removed from the index, so that a later lookup reads
	// them.
	var folders [256]fileStat
	for i := range x.folders {
		f := &x.folders[i]
		if folders[i] = f.saved; f.now == (fileStat{}) || f.now == f.saved {
			continue
		}

		x.dirty = true
		if folders[i] = f.now; !f.now.settled(f.at) {
			folders[i] = fileStat{}
		}
	}

	if !x.dirty {
		return nil
	}

	entries := make(map[Key]*indexedRecord, len(x.loaded)+len(x.added))
	for k, e := range x.loaded {
		switch {
		case e.used.Load():
			e.idle = 0
		case e.idle >= maxIdle || folders[k[0]] != (fileStat{}) && folders[k[0]] != x.folders[k[0]].saved:
			continue
		default:
			e.idle++
		}

		entries[k] = e
	}

	for k, e := range x.added {
		if e == nil {
			delete(entries, k)
		} else {
			entries[k] = e
		}
	}

	if err := s.writeFile(x.path, encodeRecordIndex(entries, &folders, s.clock()), 0); err != nil {
		return fmt.Errorf("saving the index of records: %w", err)
	}

	x.dirty = false
	return nil
}
