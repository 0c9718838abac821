package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A Problem is a defect that Verify found.
type Problem struct {
	Path   string
	Reason string
	// Fixed reports whether the file was removed from the store.
	Fixed bool
}

// VerifyResult is the result of Verify.
type VerifyResult struct {
	Records, Blobs int
	Bytes          int64 // on disk, read
	Problems       []Problem
}

// VerifyOptions are the options of Verify.
type VerifyOptions struct {
	// Fix removes what is wrong, which makes it a miss.
	Fix bool
	// Verify, if set, returns who signed a record's own file, as in ImportOptions.
	// A record that was made elsewhere is wrong if it returns an error.
	Verify func(record, signature []byte) (Signer, error)
}

// Verify reads the whole store. It hashes every blob, decodes every record, and
// checks that every record has all its blobs, including those in directories. A
// blob that the source of the record has may be absent.
func (s *Store) Verify(ctx context.Context, o VerifyOptions) (VerifyResult, error) {
	var result VerifyResult
	fix := o.Fix
	if fix && s.readOnly {
		return result, s.refuse("removing damaged entries")
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
		case isReadFailure(err):
			result.Problems = append(result.Problems, Problem{Path: e.path, Reason: err.Error()})
			return nil
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
			_ = s.corrupt(e.id, e.path, reason) // reported below
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
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // evicted meanwhile
		case err != nil:
			result.Problems = append(result.Problems, Problem{Path: e.path, Reason: err.Error()})
			return nil
		}

		result.Records++
		result.Bytes += e.size
		why := whyCorrupt
		if reason == "" && o.Verify != nil {
			reason, why = s.unsigned(e.id, o.Verify), whyUnsigned
		}

		if reason == "" {
			return nil
		}

		if fix {
			s.writeTombstone(e.id, tombstone{Why: why, Detail: reason})
			os.Remove(e.path)
		}

		result.Problems = append(result.Problems, Problem{Path: e.path, Reason: reason, Fixed: fix})
		return nil
	})
	return result, err
}

// verifyRecord returns the reason why a record cannot be used. It returns an
// error if the record does not exist, or if a file cannot be opened or read, so that
// nothing is known about the record.
func (s *Store) verifyRecord(e entry, bad map[Digest]bool, trees map[Digest][]Digest) (string, error) {
	r, h, err := s.readRecord(e)
	if errors.Is(err, fs.ErrNotExist) || isReadFailure(err) {
		return "", err
	}

	if err != nil {
		return "the record is corrupt: " + err.Error(), nil
	}

	for i := range r.Outputs {
		if o := &r.Outputs[i]; o.Dir && s.Has(o.Digest) && !bad[o.Digest] {
			if _, err := s.peekTree(o.Digest); isReadFailure(err) {
				return "", err
			} else if err != nil {
				return fmt.Sprintf("the directory of output %s of %s: %v", o.Name, r.label(), err), nil
			}
		}
	}

	blobs, err := s.blobsOf(r, trees)
	if err != nil {
		return "", err
	}

	here := map[Digest]bool{}
	for _, d := range h.localBlobs(blobs, trees) {
		here[d] = true
	}

	for _, d := range blobs {
		if bad[d] || here[d] && !s.Has(d) {
			return fmt.Sprintf("the record of %s needs content %s, which is missing or corrupt", r.label(), d.Short()),
				nil
		}
	}

	return "", nil
}

// unsigned returns the reason why nobody who counts says that a record from elsewhere is true.
func (s *Store) unsigned(k Key, verify func(record, signature []byte) (Signer, error)) string {
	r, err := s.Record(k)
	if err != nil || r.Origin == nil {
		return ""
	}

	record, signature, err := s.RecordFile(k)
	if err == nil {
		_, err = verify(record, signature)
	}

	if err != nil {
		return fmt.Sprintf("the record of %s was %s: %v", r.label(), r.Origin, err)
	}

	return ""
}
