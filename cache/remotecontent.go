package cache

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// A SizedDigest names content together with its length in bytes.
type SizedDigest struct {
	Digest Digest
	Size   int64
}

// A Source has content that a store lacks, such as a cache that machines share.
type Source interface {
	// Fetch passes the content of blobs to put, which verifies and stores it, and
	// returns an error if it is not what the digest names. Fetch leaves out what the
	// source does not have. It must return within a time limit of its own.
	Fetch(blobs []SizedDigest, put func(SizedDigest, io.Reader) error)
}

// remoteContent is the content that records from a source need, and that the store may lack.
type remoteContent struct {
	source Source
	from   string

	mu    sync.Mutex
	sizes map[Digest]int64
	busy  map[Digest]chan struct{} // being fetched; closed at the end
	lost  map[Digest]bool          // the source could not give it
}

// SetSource names the source of content that the store lacks. from is what records of this source
// have as Origin.From. Such a record is a hit although the store lacks its content, which is fetched
// when it is read. Without its source, such a record is a miss. Call SetSource before the store is
// used concurrently.
func (s *Store) SetSource(from string, source Source) {
	s.remote = &remoteContent{
		source: source, from: from,
		sizes: map[Digest]int64{}, busy: map[Digest]chan struct{}{}, lost: map[Digest]bool{},
	}
}

// expect remembers the sizes of content that a record from the source needs, so that it can be
// fetched. It reports whether the record is from this store's source.
func (s *Store) expect(h *recordHeader) bool {
	if s.remote == nil || s.readOnly {
		return false
	}

	if o, err := decodeOrigin(h.origin); err != nil || o == nil || o.From != s.remote.from {
		return false
	}

	s.remote.mu.Lock()
	defer s.remote.mu.Unlock()
	for _, b := range h.remote {
		s.remote.sizes[b.Digest] = b.Size
	}

	return true
}

// fetchable reports whether content can still be expected from the source.
func (s *Store) fetchable(d Digest) bool {
	if s.remote == nil {
		return false
	}
	s.remote.mu.Lock()
	defer s.remote.mu.Unlock()
	_, known := s.remote.sizes[d]
	return known && !s.remote.lost[d]
}

// fetchOne fetches content that the store lacks. It reports whether the store has it now.
func (s *Store) fetchOne(d Digest) bool {
	if !s.fetchable(d) {
		return false
	}
	s.remote.mu.Lock()
	size := s.remote.sizes[d]
	s.remote.mu.Unlock()
	s.fetch([]SizedDigest{{d, size}})
	return s.Has(d)
}

// fetchMembers fetches the files of a directory that came from the source.
func (s *Store) fetchMembers(tree Digest, entries []TreeEntry) {
	if !s.fetchable(tree) {
		return
	}

	var files []SizedDigest
	for i := range entries {
		if e := &entries[i]; e.Mode.IsRegular() {
			files = append(files, SizedDigest{e.Digest, e.Size})
		}
	}

	s.remote.mu.Lock()
	for _, f := range files {
		s.remote.sizes[f.Digest] = f.Size
	}

	s.remote.mu.Unlock()
	s.fetch(files)
}

// fetch fetches what the store lacks of blobs, each once at a time. What the source could not give is
// lost for this Store.
func (s *Store) fetch(blobs []SizedDigest) {
	a := s.remote
	var mine []SizedDigest
	var others []chan struct{}
	a.mu.Lock()
	for _, b := range blobs {
		switch c := a.busy[b.Digest]; {
		case a.lost[b.Digest] || s.Has(b.Digest):
		case c != nil:
			others = append(others, c)
		default:
			a.busy[b.Digest] = make(chan struct{})
			mine = append(mine, b)
		}
	}

	a.mu.Unlock()
	if len(mine) > 0 {
		a.source.Fetch(mine, s.putFetched)
		a.mu.Lock()
		for _, b := range mine {
			if !s.Has(b.Digest) {
				a.lost[b.Digest] = true
			}

			close(a.busy[b.Digest])
			delete(a.busy, b.Digest)
		}

		a.mu.Unlock()
	}

	for _, c := range others {
		<-c
	}
}

// markUnavailable makes records that need the content a miss, until it is stored again.
func (s *Store) markUnavailable(d Digest) {
	if s.remote != nil {
		s.remote.mu.Lock()
		defer s.remote.mu.Unlock()
		s.remote.lost[d] = true
	}
}

// errOtherContent is the error of content that is not what its digest names.
var errOtherContent = errors.New("the content does not match its digest")

// putFetched stores content if it is what its digest names.
func (s *Store) putFetched(b SizedDigest, r io.Reader) error {
	if b.Size <= smallFile {
		content, err := io.ReadAll(io.LimitReader(r, b.Size+1))
		if err != nil {
			return err
		}

		if int64(len(content)) != b.Size || Digest(sha256.Sum256(content)) != b.Digest {
			return errOtherContent
		}

		_, err = s.PutBytes(content)
		return err
	}

	if present, err := s.reuse(b.Digest); err != nil || present {
		return err
	}

	f, err := s.temp()
	if err != nil {
		return err
	}

	got, err := encodeStream(f, io.LimitReader(r, b.Size), b.Size)
	if err == nil {
		// The content must also end where it should.
		var more [1]byte
		if n, _ := io.ReadFull(r, more[:]); n > 0 || got != b.Digest {
			err = errOtherContent
		}
	}

	if err != nil {
		discard(f)
		return err
	}

	if err := s.publish(f, s.entryPath(blobsDir, b.Digest), 0, s.writer.now()); err != nil {
		return err
	}

	s.removeTombstone(b.Digest)
	return nil
}

// Needs lists the content that a record needs, with sizes and without content of no bytes. trees has
// the entries of its directories, by the digest of their manifest. Needs returns an error if some
// content is not in the store.
func (s *Store) Needs(r *Record) (blobs []SizedDigest, trees map[Digest][]TreeEntry, err error) {
	trees = map[Digest][]TreeEntry{}
	seen := map[Digest]bool{emptyDigest: true}
	add := func(d Digest, size int64) {
		if !seen[d] {
			seen[d] = true
			blobs = append(blobs, SizedDigest{d, size})
		}
	}
	stored := func(d Digest) error {
		if d.IsZero() || d == emptyDigest {
			return nil
		}

		size, err := s.Size(d)
		if err == nil {
			add(d, size)
		}

		return err
	}
	for _, d := range r.Additions() {
		if err := stored(d); err != nil {
			return nil, nil, err
		}
	}

	for i := range r.Outputs {
		o := &r.Outputs[i]
		if !o.Dir {
			if !s.Has(o.Digest) {
				return nil, nil, notFound(o.Digest)
			}

			add(o.Digest, o.Size)
			continue
		}

		if err := stored(o.Digest); err != nil {
			return nil, nil, err
		}

		entries, err := s.peekTree(o.Digest)
		if err != nil {
			return nil, nil, err
		}

		trees[o.Digest] = entries
		for j := range entries {
			e := &entries[j]
			if !e.Mode.IsRegular() {
				continue
			}

			if !s.Has(e.Digest) {
				return nil, nil, notFound(e.Digest)
			}

			add(e.Digest, e.Size)
		}
	}

	return blobs, trees, nil
}

// Size returns the length of stored content, without reading it all.
func (s *Store) Size(d Digest) (int64, error) {
	f, err := os.Open(s.entryPath(blobsDir, d))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, notFound(d)
	}

	if err != nil {
		return 0, s.failed("read", err)
	}

	defer f.Close()
	head := make([]byte, blobHeaderSize)
	if _, err := io.ReadFull(f, head); err != nil {
		return 0, fmt.Errorf("content %s: %w", d.Short(), err)
	}

	h, err := parseBlobHeader(head)
	return h.size, err
}

// Open returns a reader of stored content. Its last read returns an error if the content is damaged.
func (s *Store) Open(d Digest) io.ReadCloser {
	if size, err := s.Size(d); err == nil && size <= smallFile {
		b, err := s.Bytes(d)
		if err != nil {
			return io.NopCloser(failingReader{err})
		}
		return io.NopCloser(bytes.NewReader(b))
	}
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(s.Copy(d, w)) }() // it never fails
	return r
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }
