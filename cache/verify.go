package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A Problem is something wrong that Verify found.
type Problem struct {
	Path   string
	Reason string
	// Fixed tells that the file was taken out of the store.
	Fixed bool
}

// VerifyResult is what Verify looked at and found.
type VerifyResult struct {
	Records, Blobs int
	Bytes          int64 // on disk, read
	Problems       []Problem
}

// Verify reads the whole store: every blob is hashed again, every record is
// decoded and has to have all its blobs, those in directories included. With
// fix, what is wrong is removed, which makes it a miss.
func (s *Store) Verify(ctx context.Context, fix bool) (VerifyResult, error) {
	var result VerifyResult
	if fix && s.readOnly {
		return result, fmt.Errorf("cache %s: %w; open it for writing to repair it", s.dir, ErrReadOnly)
	}
	bad := map[Digest]bool{}
	err := s.walk(blobsDir, func(e entry) error {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		reason, err := s.read(e.id, io.Discard)
		switch {
		case errors.Is(err, ErrNotFound):
			return nil // evicted meanwhile
		case err != nil:
			reason = err.Error()
		}
		result.Blobs++
		result.Bytes += e.size
		if reason == "" {
			return nil
		}
		bad[e.id] = true
		if fix {
			_ = s.corrupt(e.id, e.path, reason) // it is said below
		}
		result.Problems = append(result.Problems, Problem{Path: e.path, Reason: reason, Fixed: fix})
		return nil
	})
	if err != nil {
		return result, err
	}
	trees := map[Digest][]Digest{}
	err = s.walk(recordsDir, func(e entry) error {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		reason, err := s.verifyRecord(e, bad, trees)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // evicted meanwhile
		}
		result.Records++
		result.Bytes += e.size
		if reason == "" {
			return nil
		}
		if fix {
			s.bury(e.id, tombstone{Why: whyCorrupt, Detail: reason})
			os.Remove(e.path)
		}
		result.Problems = append(result.Problems, Problem{Path: e.path, Reason: reason, Fixed: fix})
		return nil
	})
	return result, err
}

// verifyRecord gives the reason why a record cannot be used; the error is
// only that it is not there.
func (s *Store) verifyRecord(e entry, bad map[Digest]bool, trees map[Digest][]Digest) (string, error) {
	r, _, err := s.readRecord(e)
	if errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err != nil {
		return "the record is corrupt: " + err.Error(), nil
	}
	for i := range r.Outputs {
		if o := &r.Outputs[i]; o.Dir && s.Has(o.Digest) && !bad[o.Digest] {
			if _, err := s.peekTree(o.Digest); err != nil {
				return fmt.Sprintf("the directory of output %s of %s: %v", o.Name, r.label(), err), nil
			}
		}
	}
	for _, d := range s.blobsOf(r, trees) {
		if bad[d] || !s.Has(d) {
			return fmt.Sprintf("the record of %s needs content %s, which is missing or corrupt", r.label(), d.Short()), nil
		}
	}
	return "", nil
}
