package cache

import (
	"fmt"
	"slices"
)

// decodeOwn decodes a record's own file, which must hold the record of a key and no origin.
func decodeOwn(b []byte, k Key) (*Record, error) {
	r, err := decodeRecord(b)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the record is corrupt: %w", err)
	case r.Origin != nil:
		return nil, fmt.Errorf("the record is corrupt: it says itself where it comes from")
	case r.Key != k:
		return nil, fmt.Errorf("it holds the record of %s", r.Key.Short())
	}
	return r, nil
}

// RecordFile returns the own file of a record, whose bytes a signature covers, for another
// store. signature is the one that the record came with; it is empty for a record that was made
// here.
func (s *Store) RecordFile(k Key) (record, signature []byte, err error) {
	b, _, err := readWhole(s.entryPath(recordsDir, k), nil, maxRecordFile)
	if err != nil {
		return nil, nil, err
	}
	r, err := decodeRecord(b)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("the record is corrupt: %w", err)
	case r.Key != k:
		return nil, nil, fmt.Errorf("it holds the record of %s", r.Key.Short())
	}
	record, signature, _, err = splitForeign(b)
	return record, signature, err
}

// Adopt adds a record that was made elsewhere, as RecordFile returned it there. The caller has
// judged who may say what the result is, holds the lock of the key, and has stored the blobs.
// reason says why a record was not added, and is empty if the store has the same result.
//
// A result that was made here stays. If the store has lost some of its blobs, and the new record
// has the same outputs, the old record counts again. A record that was taken on trust gives way to
// one that is signed.
func (s *Store) Adopt(k Key, record, signature []byte, o *Origin) (added bool, reason string, err error) {
	return s.adopt(k, record, signature, o, s.reuse)
}

// adopt is Adopt with the function that reports whether a blob is there, and keeps it.
func (s *Store) adopt(k Key, record, signature []byte, o *Origin, has func(Digest) (bool, error)) (added bool, reason string, err error) {
	r, err := decodeOwn(record, k)
	if err != nil {
		return false, err.Error(), nil
	}
	if !r.Expires.IsZero() && !s.clock().Before(r.Expires) {
		return false, "the record expired at " + r.Expires.String(), nil
	}
	trees := map[Digest][]Digest{} // each is read once: a second reading could fail and list no files
	for i := range r.Outputs {
		if o := &r.Outputs[i]; o.Dir {
			entries, err := s.peekTree(o.Digest)
			if err != nil {
				return false, fmt.Sprintf("the directory of output %s: %v", o.Name, err), nil
			}
			trees[o.Digest] = membersOf(entries)
		}
	}
	for _, d := range s.blobsOf(r, trees) {
		present, err := has(d)
		if err != nil {
			return false, "", err
		}
		if !present {
			return false, fmt.Sprintf("it needs content %s, which is neither in the cache nor earlier in the archive", d.Short()), nil
		}
	}
	if there, err := s.Record(k); err == nil {
		same := slices.Equal(there.Outputs, r.Outputs)
		expired := !there.Expires.IsZero() && !s.clock().Before(there.Expires)
		_, miss := s.Lookup(k)
		switch {
		case expired:
		case there.Origin == nil && !same:
			return false, "the outputs differ from those that this machine made for the same key, which stay", nil
		case miss == nil && !same && (there.Origin.Signer != nil || o.Signer == nil):
			return false, fmt.Sprintf("the outputs differ from those that were %s for the same key, which stay", there.Origin), nil
		case there.Origin == nil, miss == nil && same && (there.Origin.Signer != nil || o.Signer == nil):
			return false, "", nil
		}
	}
	b, err := encodeForeign(record, signature, o)
	if err != nil {
		return false, "", err
	}
	return true, "", s.putRecordBytes(k, b, s.writer.now())
}
