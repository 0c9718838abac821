package cache

import (
	"fmt"
	"slices"
)

// DecodeOwn decodes a record's own file, as RecordFile returns it, which must hold the record of a key and no
// origin. The error is a phrase.
func DecodeOwn(b []byte, k Key) (*Record, error) {
	r, err := decodeOf(b, k)
	if err == nil && r.Origin != nil {
		return nil, fmt.Errorf("the record is corrupt: it contains an origin")
	}
	return r, err
}

// decodeOf decodes a file that must hold the record of a key. The error is a phrase.
func decodeOf(b []byte, k Key) (*Record, error) {
	r, err := decodeRecord(b)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the record is corrupt: %w", err)
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
	if _, err := decodeOf(b, k); err != nil {
		return nil, nil, err
	}
	f, err := splitForeign(b)
	return f.record, f.signature, err
}

// Adopt adds a record that was made elsewhere, as RecordFile returned it there. The caller has
// decided that the result is accepted. remote is the content that the store may lack, because the
// store's source has it: outputs, manifests of directories, and logs. The store has the rest. reason
// says why a record was not added, and is empty if the store has the same result.
//
// A result that was made here stays. If the store has lost some of its blobs, and the new record
// has the same outputs, the old record is valid again. A record that was taken on trust gives way to
// one that is signed.
func (s *Store) Adopt(k Key, record, signature []byte, o *Origin, remote []SizedDigest) (added bool, reason string,
	err error) {
	if s.readOnly {
		return false, "the cache is read-only", nil
	}

	unlock, err := s.tryLockKey(k)
	if err != nil {
		return false, "", err
	}

	if unlock == nil {
		return false, "its stage is running here", nil
	}

	defer unlock()
	return s.adopt(k, record, signature, o, remote, s.reuse)
}

// adopt is Adopt for a caller that holds the lock of the key. has reports whether a blob is there,
// and keeps it.
func (s *Store) adopt(k Key, record, signature []byte, o *Origin, remote []SizedDigest,
	has func(Digest) (bool, error)) (added bool, reason string, err error) {
	elsewhere := recordHeader{remote: remote}
	r, err := DecodeOwn(record, k)
	if err != nil {
		return false, err.Error(), nil
	}

	if !r.Expires.IsZero() && !s.clock().Before(r.Expires) {
		return false, "the record expired at " + r.Expires.String(), nil
	}

	trees := map[Digest][]Digest{} // each is read once: a second reading could fail and list no files
	for i := range r.Outputs {
		if o := &r.Outputs[i]; o.Dir && (!elsewhere.isRemote(o.Digest) || s.Has(o.Digest)) {
			entries, err := s.peekTree(o.Digest)
			if err != nil {
				return false, fmt.Sprintf("the directory of output %s: %v", o.Name, err), nil
			}

			trees[o.Digest] = membersOf(entries)
		}
	}

	blobs, err := s.blobsOf(r, trees)
	if err != nil {
		return false, "", err
	}

	for _, d := range elsewhere.localBlobs(blobs, trees) {
		present, err := has(d)
		if err != nil {
			return false, "", err
		}

		if !present {
			return false, fmt.Sprintf("it needs content %s, which is neither in the cache nor earlier in the archive",
				d.Short()), nil
		}
	}

	if there, err := s.Record(k); err == nil && s.keepsExisting(there, r, o, len(remote) > 0) {
		switch {
		case slices.Equal(there.Outputs, r.Outputs):
			return false, "", nil
		case there.Origin == nil:
			return false, "the outputs differ from those that this machine made for the same key, which stay", nil
		}

		return false, fmt.Sprintf("the outputs differ from those that were %s for the same key, which stay",
			there.Origin), nil
	}

	b, err := encodeForeign(record, signature, o, remote)
	if err != nil {
		return false, "", err
	}

	return true, "", s.putRecordBytes(k, b, s.writer.now())
}

// keepsExisting reports whether a record of the store stays although r, of origin o, has the same key.
// otherHasContent reports whether the source of r has content that this store may lack.
func (s *Store) keepsExisting(there, r *Record, o *Origin, otherHasContent bool) bool {
	if !there.Expires.IsZero() && !s.clock().Before(there.Expires) {
		return false
	}
	_, miss := s.Lookup(there.Key)
	if there.Origin == nil {
		lost := miss != nil && otherHasContent && slices.Equal(there.Outputs, r.Outputs)
		return !lost
	}
	return miss == nil && (there.Origin.Signer != nil || o.Signer == nil)
}

// isRemote reports whether content may be absent because the record's source has it.
func (h *recordHeader) isRemote(d Digest) bool {
	return slices.ContainsFunc(h.remote, func(a SizedDigest) bool { return a.Digest == d })
}

// localBlobs returns those blobs of a record that must be in the store. The files of a directory whose
// manifest is remote are remote, too.
func (h *recordHeader) localBlobs(blobs []Digest, trees map[Digest][]Digest) []Digest {
	if len(h.remote) == 0 {
		return blobs
	}
	absent := map[Digest]bool{}
	for _, a := range h.remote {
		absent[a.Digest] = true
		for _, member := range trees[a.Digest] {
			absent[member] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(blobs), func(d Digest) bool { return absent[d] })
}
