package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// touchInterval is the age at which a use renews the time of a record.
// Evictions work in days, so an hour is precise enough, and a run with only
// hits writes nothing.
const touchInterval = time.Hour

// PutRecord stores the result of an action under its key. It refuses a record
// with a non-zero exit code, with two outputs of the same name, or with a blob
// that is not in the store. Blobs are stored first, so that a crash leaves no
// record without its blobs.
func (s *Store) PutRecord(r *Record) error {
	if err := r.validate(); err != nil {
		return err
	}

	// reuse renews the time of the blobs, so that no eviction removes them
	// before the record is written.
	want := func(what string, d Digest) error {
		present, err := s.reuse(d)
		if err == nil && !present {
			err = notFound(d)
		}

		if err != nil {
			return fmt.Errorf("record of %s: %s: %w", r.label(), what, err)
		}

		return nil
	}
	for _, d := range r.Additions() {
		if err := want("its logs and its list of reads", d); err != nil {
			return err
		}
	}

	for i := range r.Outputs {
		if err := want("output "+r.Outputs[i].Name, r.Outputs[i].Digest); err != nil {
			return err
		}
	}

	now := s.clock()
	b, err := encodeRecord(r, now)
	if err != nil {
		return err
	}

	return s.putRecordBytes(r.Key, b, now)
}

func (s *Store) putRecordBytes(k Key, b []byte, now time.Time) error {
	if err := s.writeFileAt(s.entryPath(recordsDir, k), b, 0, now); err != nil {
		return err
	}
	s.removeTombstone(k)
	return nil
}

// Lookup returns the result of an action. A nil Miss means a hit: the record is
// complete, and its blobs are present or expected from the store's source. Damaged content is only detected when it
// is read, so treat a *CorruptError or ErrNotFound after a hit as a miss.
func (s *Store) Lookup(k Key) (*Record, *Miss) {
	var rec *Record
	_, miss := s.withRecord(k, func(b []byte) (h recordHeader, err error) {
		if rec, err = decodeRecord(b); err != nil {
			return h, err
		}

		h, _, err = decodeRecordHeader(b)
		return h, err
	})
	if miss != nil {
		return nil, miss
	}

	return rec, nil
}

// A Result is what most callers need of a Record.
type Result struct {
	Outputs  []RecordOutput
	Duration time.Duration
	Origin   *Origin // nil for a result that was made here
	Reads    Digest  // as in Record; its content may be missing
}

func (h *recordHeader) result() Result {
	o, _ := decodeOrigin(h.origin) // its text was decoded before
	return Result{Outputs: h.outputs, Duration: h.duration, Origin: o, Reads: h.reads}
}

// Outputs is Lookup for the common case: it returns only what most callers need. A
// result older than maxAge counts as expired, whatever time to live it was written
// with. A maxAge of 0 means no limit.
func (s *Store) Outputs(k Key, maxAge time.Duration) (Result, *Miss) {
	var head recordHeader
	aged := func(h recordHeader) recordHeader {
		if maxAge > 0 && (h.expires.IsZero() || h.written.Add(maxAge).Before(h.expires)) {
			h.expires = h.written.Add(maxAge)
		}

		return h
	}
	if s.records != nil {
		path := s.entryPath(recordsDir, k)
		if h, mtime, ok := s.records.find(s, k, path); ok {
			head = aged(*h)
			if miss := s.usable(&head, path, mtime); miss != nil {
				return Result{}, miss
			}

			return head.result(), nil
		}
	}

	read := s.clock()
	st, miss := s.withRecord(k, func(b []byte) (recordHeader, error) {
		h, _, err := decodeRecordHeader(b)
		head = h
		return aged(h), err
	})
	if miss != nil {
		return Result{}, miss
	}

	switch {
	case s.records == nil:
	case len(head.remote) > 0:
		s.records.forget(k) // the index does not list remote content
	default:
		s.records.remember(head, st, read)
	}

	return head.result(), nil
}

// withRecord reads the record file of a key and performs every check that can
// make it a miss.
func (s *Store) withRecord(k Key, decode func([]byte) (recordHeader, error)) (fileStat, *Miss) {
	path := s.entryPath(recordsDir, k)
	buf := recordBuffers.Get().(*[]byte)
	defer recordBuffers.Put(buf)
	b, st, err := readWhole(path, *buf, maxRecordFile)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return st, s.missingRecord(k)
		}

		return st, &Miss{Reason: fmt.Sprintf("the record cannot be read: %v", err), Kind: Corrupt}
	}

	*buf = b[:0]
	h, err := decode(b)
	if err == nil && h.key != k {
		err = fmt.Errorf("it holds the record of %s", h.key.Short())
	}

	if err != nil {
		if !s.readOnly {
			s.writeTombstone(k, tombstone{Why: whyCorrupt, Detail: err.Error()})
			os.Remove(path)
		}

		return st, &Miss{Reason: "the record is corrupt: " + err.Error(), Kind: Corrupt}
	}

	return st, s.usable(&h, path, st.mtime)
}

// usable returns the reason why an undamaged record is a miss, or nil for a hit. For a
// hit, it renews the time of the record's file, which is mtime.
func (s *Store) usable(h *recordHeader, path string, mtime int64) *Miss {
	if miss := s.expired(h); miss != nil {
		return miss
	}

	expected := len(h.remote) > 0 && s.expect(h)
	has := func(d Digest) bool { return s.Has(d) || expected && s.fetchable(d) }
	for i := range h.outputs {
		if o := &h.outputs[i]; !has(o.Digest) {
			return s.missingBlob("output "+o.Name, o.Digest, h)
		}
	}

	if !h.stdout.IsZero() && !has(h.stdout) {
		return s.missingBlob("the standard output", h.stdout, h)
	}

	if !h.stderr.IsZero() && !has(h.stderr) {
		return s.missingBlob("the standard error", h.stderr, h)
	}

	if now := s.clock(); now.Sub(time.Unix(0, mtime)) >= touchInterval && !s.readOnly {
		os.Chtimes(path, now, now) // only the order of evictions depends on it
		if s.records != nil {
			s.records.forget(h.key)
		}
	}

	return nil
}

var recordBuffers = sync.Pool{New: func() any {
	b := make([]byte, 0, 8<<10)
	return &b
}}

// maxRecordFile is the largest possible size of a record file.
const maxRecordFile = maxRecordBody + maxOutputs*(2*maxNameLen+64) + maxOrigin + maxSignature + maxRemote*remoteSize

func checkReadable(st fileStat, limit int64) error {
	if !st.mode.IsRegular() || st.size > limit {
		return fmt.Errorf("it is %s of %d bytes", kindOf(st.mode), st.size)
	}
	return nil
}

func (s *Store) expired(h *recordHeader) *Miss {
	if h.expires.IsZero() {
		return nil
	}

	now := s.clock()
	switch {
	case !now.Before(h.expires):
		return &Miss{Reason: "expired at " + h.expires.Format(time.RFC3339), Kind: Expired}
	case now.Add(time.Minute).Before(h.written):
		// The clock has jumped back, so the age of the result is unknown.
		return &Miss{Reason: "its age is unknown: it was written at " + h.written.Format(time.RFC3339) +
			", in the future", Kind: Expired}
	}

	return nil
}

func (s *Store) missingRecord(k Key) *Miss {
	t, ok := s.readTombstone(k)
	if !ok {
		return &Miss{Reason: "no record", Kind: Absent}
	}
	if t.Why == whyCorrupt {
		return &Miss{Reason: "the record was " + t.String(), Kind: Corrupt}
	}
	return &Miss{Reason: t.String(), Kind: Evicted}
}

// missingBlob returns the miss of a record that lacks a blob.
func (s *Store) missingBlob(what string, d Digest, h *recordHeader) *Miss {
	m := &Miss{Reason: fmt.Sprintf("%s (sha256 %s) is missing", what, d.Short()), Kind: Incomplete}
	if o, _ := decodeOrigin(h.origin); o != nil && h.isRemote(d) { // its text was decoded before
		if s.remote != nil && s.remote.from == o.From {
			m.Reason = fmt.Sprintf("%s (sha256 %s) could not be fetched from %s", what, d.Short(), printable(o.From))
		} else {
			m.Reason = fmt.Sprintf("%s (sha256 %s) is at %s, which is not used", what, d.Short(), printable(o.From))
		}

		return m
	}

	if t, ok := s.readTombstone(d); ok {
		m.Reason = fmt.Sprintf("%s (sha256 %s) was %s", what, d.Short(), t)
		m.Kind = Evicted
		if t.Why == whyCorrupt {
			m.Kind = Corrupt
		}
	}

	return m
}
