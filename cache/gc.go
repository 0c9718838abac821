package cache

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"
)

// GCOptions are the limits of an eviction.
type GCOptions struct {
	// MaxBytes is the maximum size on disk after the eviction. The least
	// recently used records are evicted first. 0 means no limit; 1 empties
	// the store.
	MaxBytes int64
	// MaxAge evicts records that were not used for longer than this. 0 means
	// no limit.
	MaxAge time.Duration
	// DryRun computes the result without changing the store.
	DryRun bool
}

// GCResult is what an eviction removed and kept, or with DryRun would remove
// and keep.
type GCResult struct {
	Records, Blobs         int // removed
	Bytes                  int64
	KeptRecords, KeptBlobs int
	KeptBytes              int64
	// Leftovers counts removed files of dead processes, old tombstones and
	// journals of runs.
	Leftovers int
}

// gcBatch is the number of files removed in one step. Writers wait during a
// step.
const gcBatch = 64

// GC evicts records and journals of runs by age and by least recent use, and
// then removes the blobs that none of the remaining ones needs. Inputs that a
// record names as components, and that happen to be in the store, stay as long
// as the record, for explanations.
//
// Runs may continue during GC. A record is removed before its blobs, so a crash
// leaves no record without its blobs. A blob is kept if a process that was writing
// when GC began stored or used it, or if it was stored since then: its record may
// not be written yet, or may be newer than GC's list of records. If
// a run had a hit on a record that is then evicted, reading its blobs returns
// ErrNotFound, which the run treats as a miss.
func (s *Store) GC(ctx context.Context, o GCOptions) (GCResult, error) {
	if !o.DryRun {
		if s.readOnly {
			return GCResult{}, s.refuse("removing results")
		}

		lock, err := s.lockFile(ctx, s.path(locksDir, "gc"))
		if err != nil {
			return GCResult{}, err
		}

		defer lock.Close()
	}

	fresh, err := s.freshFromNow(ctx)
	if err != nil {
		return GCResult{}, err
	}

	blobs, records, err := s.gcScan(ctx)
	if err != nil {
		return GCResult{}, err
	}

	s.gcChoose(o, blobs, records, fresh)
	var result GCResult
	if o.DryRun {
		result.count(blobs, records, fresh)
		return result, nil
	}

	if err := s.gcRecords(ctx, records, &result); err != nil {
		return result, err
	}

	if err := s.gcBlobs(ctx, blobs, fresh, &result); err != nil {
		return result, err
	}

	n, err := s.gcLeftovers(ctx)
	result.Leftovers += n
	return result, err
}

// Trim runs GC down to Options.MaxBytes, at most once a day. did is false if
// GC was not due.
func (s *Store) Trim(ctx context.Context) (result GCResult, did bool, err error) {
	if s.maxBytes <= 0 || s.readOnly {
		return GCResult{}, false, nil
	}

	marker := s.path(locksDir, "trimmed")
	now := s.clock()
	if st, err := os.Stat(marker); err == nil {
		// A marker in the future was written before the clock jumped back.
		if age := now.Sub(st.ModTime()); age >= 0 && age < 24*time.Hour {
			return GCResult{}, false, nil
		}
	}

	if err := s.writeFileAt(marker, nil, 0, now); err != nil {
		return GCResult{}, false, err
	}

	result, err = s.GC(ctx, GCOptions{MaxBytes: s.maxBytes})
	return result, true, err
}

// freshFromNow returns a function that reports whether a blob with the given time may get a
// record from now on: a process that is writing now stored it, or a process stored it later. An
// eviction calls it before it lists anything, because such a process may write its record after
// the records were listed, and end before the blobs are removed.
func (s *Store) freshFromNow(ctx context.Context) (func(time.Time) bool, error) {
	if s.readOnly {
		return func(time.Time) bool { return false }, nil
	}
	now := s.clock()
	lock, err := s.lockTouches(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	writing, err := s.freshness()
	return func(t time.Time) bool { return writing(t) || t.After(now) }, err
}

// freshness returns a function that reports whether a blob with the given time
// may still get a record. The caller holds the touch lock, because a session
// may be starting.
func (s *Store) freshness() (func(time.Time) bool, error) {
	oldest, writing, err := s.oldestWriter()
	return func(t time.Time) bool { return writing && !t.Before(oldest) }, err
}

// gcChoose decides which records are removed, and counts for each blob the
// records that stay.
func (s *Store) gcChoose(o GCOptions, blobs map[Digest]*gcBlob, records []*gcRecord, fresh func(time.Time) bool) {
	now := s.clock()
	var total int64
	for _, r := range records {
		if r.why == "" && o.MaxAge > 0 && now.Sub(r.mtime) > o.MaxAge {
			r.why = whyAge
		}

		if r.why == "" {
			total += r.size
			addReferences(r, 1)
		}
	}

	for _, b := range blobs {
		if b.refs > 0 || fresh(b.time()) {
			total += b.size
		}
	}

	if o.MaxBytes <= 0 || total <= o.MaxBytes {
		return
	}

	byUse := slices.Clone(records)
	slices.SortFunc(byUse, func(a, b *gcRecord) int {
		if c := a.mtime.Compare(b.mtime); c != 0 {
			return c
		}

		return bytes.Compare(a.id[:], b.id[:])
	})
	for _, r := range byUse {
		if total <= o.MaxBytes {
			return
		}

		if r.why != "" {
			continue
		}

		r.why = whySize
		total -= r.size
		addReferences(r, -1)
		for _, b := range r.blobs {
			// Count each blob once: addReferences has dropped all references of r, and
			// refs = -1 marks a blob that r names twice.
			if b.refs == 0 && !fresh(b.time()) {
				total -= b.size
				b.refs = -1
			}
		}

		for _, b := range r.blobs {
			if b.refs < 0 {
				b.refs = 0
			}
		}
	}
}

func addReferences(r *gcRecord, n int) {
	for _, b := range r.blobs {
		b.refs += n
	}
}

func (g *GCResult) count(blobs map[Digest]*gcBlob, records []*gcRecord, fresh func(time.Time) bool) {
	for _, r := range records {
		g.record(r, r.why != "")
	}
	for _, b := range blobs {
		g.blob(b, b.refs == 0 && !fresh(b.time()))
	}
}

func (g *GCResult) record(r *gcRecord, removed bool) {
	counted, bytes := &g.KeptRecords, &g.KeptBytes
	if removed {
		counted, bytes = &g.Records, &g.Bytes
	}
	*bytes += r.size
	switch {
	case !r.run:
		*counted++
	case removed:
		g.Leftovers++
	}
}

func (g *GCResult) blob(b *gcBlob, removed bool) {
	if removed {
		g.Blobs++
		g.Bytes += b.size
	} else {
		g.KeptBlobs++
		g.KeptBytes += b.size
	}
}

// gcRecords removes the chosen records. A record that was used since it was
// listed stays, and so do its blobs.
func (s *Store) gcRecords(ctx context.Context, records []*gcRecord, result *GCResult) error {
	for _, r := range records {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}

		removed := r.why != "" && unchanged(r.path, r.mtime)
		if removed {
			// Write the tombstone first: after a crash in between there is a
			// record with a tombstone, and the record is used.
			if !r.run {
				s.writeTombstone(r.id, tombstone{Why: r.why, Detail: r.note})
			}

			if err := os.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return s.failed("remove", err)
			}
		} else if r.why != "" {
			addReferences(r, 1)
		}

		result.record(r, removed)
	}

	return nil
}

func unchanged(path string, mtime time.Time) bool {
	st, err := os.Lstat(path)
	return err == nil && st.ModTime().Equal(mtime)
}

// gcBlobs removes the blobs that no record needs and no writer may be about to
// use. It works in batches, so that writers do not wait long.
func (s *Store) gcBlobs(ctx context.Context, blobs map[Digest]*gcBlob, fresh func(time.Time) bool,
	result *GCResult) error {
	var doomed []gcDoomed
	for id, b := range blobs {
		if b.refs == 0 && !fresh(b.time()) {
			doomed = append(doomed, gcDoomed{id, b})
		} else {
			result.blob(b, false)
		}
	}

	slices.SortFunc(doomed, func(a, b gcDoomed) int { return bytes.Compare(a.id[:], b.id[:]) })
	for batch := range slices.Chunk(doomed, gcBatch) {
		if err := s.gcBatch(ctx, batch, result); err != nil {
			return err
		}
	}

	return nil
}

func (s *Store) gcBatch(ctx context.Context, batch []gcDoomed, result *GCResult) error {
	lock, err := s.lockTouches(ctx)
	if err != nil {
		return err
	}

	defer lock.Close()
	// Check again under the lock: a writer may have started since.
	fresh, err := s.freshness()
	if err != nil {
		return err
	}

	for _, b := range batch {
		file := s.entryPath(blobsDir, b.id)
		removed := !fresh(b.time()) && unchanged(file, b.time())
		if removed {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return s.failed("remove", err)
			}
		}

		result.blob(b.gcBlob, removed)
	}

	return nil
}
