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

// recordIndex remembers the headers of record files, so that a result costs
// neither opening nor reading its record. Record files never change: they get
// their names when they are whole, and are replaced or removed. Both change
// the times of the folder that they are in, one of 256. So the index looks at
// the folder: while it is as it was, each of its records is there and holds
// what was read, and nobody asks the disk about the record. In a folder that
// has changed, a record counts whose own file has not.
//
// As with StatIndex, size, modification time, change time and inode together
// stand for a file or folder, but not when it changed so shortly before it was
// read that a later change could carry the same times. A recordIndex is safe
// for concurrent use.
type recordIndex struct {
	path    string
	loaded  map[Key]*indexedRecord // not modified after it was loaded
	folders [256]indexedFolder     // by the first byte of the key

	mu    sync.Mutex
	added map[Key]*indexedRecord // nil for one that is out of date
	dirty bool
}

// indexedRecord is a record file as it was when it was read.
type indexedRecord struct {
	fileStat
	header recordHeader
	idle   uint8 // times the index was saved without the record being asked for
	used   atomic.Bool
	stale  atomic.Bool // this process has touched the file since
}

// indexedFolder is a folder of records.
type indexedFolder struct {
	saved fileStat // when all loaded records of it were known to be there
	look  sync.Once
	now   fileStat // when this process first asked for a record of it
	at    time.Time
}

// unchanged reports whether the folder of a key is as it was saved.
func (x *recordIndex) unchanged(s *Store, k Key, path string) bool {
	f := &x.folders[k[0]]
	f.look.Do(func() {
		f.at = s.clock()
		f.now, _ = lstat(filepath.Dir(path)) // zero where it cannot be looked at
	})
	return f.now == f.saved && f.now != (fileStat{})
}

// IndexRecords makes Outputs remember the records that it reads, in an index
// for one project; id is usually the absolute path of its root. Close saves
// the index. An index that is missing, damaged or from the future is as good
// as an empty one. IndexRecords must be called before the store is shared.
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

// find returns the header of a record whose file is as it was when the index
// took it in, and the time of that file.
func (x *recordIndex) find(s *Store, k Key, path string) (h *recordHeader, mtime int64, ok bool) {
	e := x.loaded[k]
	if e == nil || e.stale.Load() {
		x.unchanged(s, k, path) // before the record is read
		return nil, 0, false
	}
	if !x.unchanged(s, k, path) {
		st, err := lstat(path)
		// Times in the future may come back when the clock gets there.
		if now := s.clock().UnixNano(); err != nil || st != e.fileStat || st.mtime > now || st.ctime > now {
			return nil, 0, false
		}
	}
	if !e.used.Load() {
		e.used.Store(true)
	}
	return &e.header, e.mtime, true
}

// remember takes in a record that was read from a file that st describes.
func (x *recordIndex) remember(h recordHeader, st fileStat, read time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dirty = true
	if !st.settled(read) {
		x.added[h.key] = nil // what the index has of it is out of date
		return
	}
	e := &indexedRecord{fileStat: st, header: h}
	e.used.Store(true)
	x.added[h.key] = e
}

// forget drops a record whose file was touched.
func (x *recordIndex) forget(k Key) {
	if e := x.loaded[k]; e != nil {
		e.stale.Store(true)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dirty = true
	x.added[k] = nil
}

// save writes the index when it has changed. When two processes save, the
// last one wins, and the other's records are read once more.
func (x *recordIndex) save(s *Store) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.readOnly {
		return nil
	}
	// Of a folder that has changed, each record that was asked for is known to
	// be there now. The others have to be looked at by who asks for them, so
	// they leave the index.
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
