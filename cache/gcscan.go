package cache

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// gcRecord is a record or the journal of a run. why is set if it is to be
// removed.
type gcRecord struct {
	entry
	run   bool
	blobs []*gcBlob // those that are in the store
	why   string
	note  string
}

// gcBlob is small, because a store may have a million.
type gcBlob struct {
	size, mtime int64 // mtime in nanoseconds since 1970
	refs        int
}

func (b *gcBlob) time() time.Time { return time.Unix(0, b.mtime) }

// gcDoomed is a blob to remove.
type gcDoomed struct {
	id Digest
	*gcBlob
}

// gcScan lists blobs first and records second: a blob that is written later is
// not in the list and cannot be removed. A file that cannot be opened or read, for
// example because the process has too many open files, ends it: nothing is removed
// because of what was not seen.
func (s *Store) gcScan(ctx context.Context) (map[Digest]*gcBlob, []*gcRecord, error) {
	blobs := map[Digest]*gcBlob{}
	err := s.walk(blobsDir, func(e entry) error {
		blobs[e.id] = &gcBlob{size: e.size, mtime: e.mtime.UnixNano()}
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, err
	}

	var records []*gcRecord
	trees := map[Digest][]Digest{}
	now := s.clock()
	err = s.walk(recordsDir, func(e entry) error {
		rec := &gcRecord{entry: e}
		r, h, err := s.readRecord(e)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case isReadFailure(err):
			return s.failed("read", err)
		case err != nil:
			rec.why, rec.note = whyCorrupt, err.Error()
		default:
			needed, err := s.blobsOf(r, trees)
			if err != nil {
				return err
			}

			for _, c := range r.Components {
				needed = append(needed, c.Digest)
			}

			rec.blobs = stored(blobs, needed)

			if !h.expires.IsZero() && !now.Before(h.expires) {
				rec.why = whyExpired
			}
		}

		records = append(records, rec)
		return ctx.Err()
	})
	if err != nil {
		return nil, nil, err
	}

	err = s.walkRuns(func(e entry, needed []Digest) error {
		records = append(records, &gcRecord{entry: e, run: true, blobs: stored(blobs, needed)})
		return ctx.Err()
	})
	return blobs, records, err
}

// stored returns those of the needed blobs that are in the store.
func stored(blobs map[Digest]*gcBlob, needed []Digest) []*gcBlob {
	there := make([]*gcBlob, 0, len(needed))
	for _, d := range needed {
		if b := blobs[d]; b != nil {
			there = append(there, b)
		}
	}
	return there
}
