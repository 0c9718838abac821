package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"golang.org/x/sync/errgroup"

	"github.com/touchstone-eval/touchstone/cache"
)

// queue holds the keys of results that are to be uploaded, in their order.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	keys    []cache.Key
	added   int // of all times
	closed  bool
	started bool
	ended   chan struct{}
}

func (q *queue) init() {
	q.changed = sync.NewCond(&q.mu)
	q.ended = make(chan struct{})
}

// add adds a key. It reports whether it is the first.
func (q *queue) add(k cache.Key) (first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.keys = append(q.keys, k)
	q.added++
	first = !q.started
	q.started = true
	q.changed.Signal()
	return first
}

// take waits for keys and returns at most n. It returns none after close when all were taken.
func (q *queue) take(n int) []cache.Key {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.keys) == 0 && !q.closed {
		q.changed.Wait()
	}
	taken := q.keys[:min(n, len(q.keys))]
	q.keys = q.keys[len(taken):]
	return taken
}

// total returns the number of keys that were ever added.
func (q *queue) total() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.added
}

// close lets take return when all keys were taken. It reports whether anything was added.
func (q *queue) close() (started bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
	return q.started
}

const (
	// uploadAtOnce is the number of results whose content is uploaded together.
	uploadAtOnce = 64
	// uploaders is the number of requests at once.
	uploaders = 4
)

// Offer uploads the result of a key in the background, if the server is written to. The store has the
// result, and this machine made it.
func (r *Results) Offer(k cache.Key) {
	if r.Sign != nil && r.queue.add(k) {
		go r.upload()
	}
}

// upload uploads what is in the queue, until it is closed.
func (r *Results) upload() {
	defer close(r.queue.ended)
	sent := map[cache.Digest]bool{}
	for {
		keys := r.queue.take(uploadAtOnce)
		if len(keys) == 0 {
			return
		}

		uploaded := 0
		if r.writes.Err() == nil && r.connect() == nil {
			err := errors.New("it does not accept results; use TOUCHSTONE_REMOTE_MODE=read, or ask its administrator")
			if r.client.writable {
				uploaded, err = r.uploadSome(r.writes, keys, sent)
			}

			if err != nil {
				r.failWrites(fmt.Errorf("uploading: %w", readableError(err)))
			}
		}

		r.count(func(s *Stats) {
			s.Uploaded += uploaded
			s.NotUploaded += len(keys) - uploaded
		})
	}
}

// uploadItem is a result that is ready to be uploaded.
type uploadItem struct {
	key    cache.Key
	result *repb.ActionResult
	blobs  []cache.SizedDigest
}

// uploadSome uploads results, their content first. sent is the content that the server is known to have.
func (r *Results) uploadSome(ctx context.Context, keys []cache.Key, sent map[cache.Digest]bool) (uploaded int,
	err error) {
	made := map[cache.Digest][]byte{} // content that is not in the store
	var parcels []uploadItem
	var all []cache.SizedDigest
	listed := map[cache.Digest]bool{}
	for _, k := range keys {
		p, messages, err := r.pack(k)
		if err != nil {
			continue // it is counted as not uploaded: the store has lost it, or it is too large
		}

		for _, m := range messages {
			made[m.Digest] = m.content
		}

		parcels = append(parcels, p)
		for _, b := range p.blobs {
			if !sent[b.Digest] && !listed[b.Digest] {
				listed[b.Digest] = true
				all = append(all, b)
			}
		}
	}

	lacks, err := r.client.missing(ctx, all)
	if err != nil {
		return 0, err
	}

	read := func(b cache.SizedDigest) io.ReadCloser {
		if content, ok := made[b.Digest]; ok {
			return io.NopCloser(bytes.NewReader(content))
		}

		return r.Store.Open(b.Digest)
	}
	var g errgroup.Group
	g.SetLimit(uploaders)
	batches, large := r.client.batches(lacks)
	for _, batch := range batches {
		g.Go(func() error { return r.client.writeBatch(ctx, batch, read) })
	}

	for _, b := range large {
		g.Go(func() error { return r.client.writeStream(ctx, b, read) })
	}

	if err := g.Wait(); err != nil {
		return 0, err
	}

	for _, b := range all {
		sent[b.Digest] = true
	}

	var n int64
	for _, b := range lacks {
		n += b.Size
	}

	r.count(func(s *Stats) { s.UploadedBytes += n })
	var mu sync.Mutex
	for _, p := range parcels {
		g.Go(func() error {
			err := r.client.store(ctx, p.key, p.result)
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				uploaded++
			}

			return err
		})
	}

	err = g.Wait()
	return uploaded, err
}

// pack signs a result and lists all that must be uploaded before it. messages is what of it is not in
// the store.
func (r *Results) pack(k cache.Key) (p uploadItem, messages []message, err error) {
	own, _, err := r.Store.RecordFile(k)
	if err != nil {
		return p, nil, err
	}

	record, err := cache.DecodeOwn(own, k)
	if err != nil {
		return p, nil, err
	}

	if stored, err := r.Store.Record(k); err != nil || stored.Origin != nil {
		return p, nil, errors.New("another machine made it")
	}

	blobs, trees, err := r.Store.Needs(record)
	if err != nil {
		return p, nil, err
	}

	signature, err := r.Sign(own)
	if err != nil {
		return p, nil, err
	}

	result, messages, err := actionResult(record, own, signature, blobs, trees)
	if err != nil {
		return p, nil, err
	}

	messages = append(messages, actionOf(k), command())
	for _, m := range messages {
		blobs = append(blobs, m.SizedDigest)
	}

	for _, b := range blobs {
		if r.client.largest > 0 && b.Size > r.client.largest {
			return p, nil, fmt.Errorf("the server takes no content of more than %d bytes", r.client.largest)
		}
	}

	return uploadItem{k, result, blobs}, messages, nil
}

// noticeDelay is how long Close waits before it says that it waits.
const noticeDelay = time.Second

// Finish waits until everything is uploaded, but not longer than Limits.Finish, and not after ctx ends.
// Nothing may be offered after it. It returns the number of results that were not uploaded.
func (r *Results) Finish(ctx context.Context) int {
	if !r.queue.close() {
		return 0
	}

	finish, cancel := context.WithTimeout(ctx, r.Limits.Finish)
	defer cancel()
	say := time.NewTimer(noticeDelay)
	defer say.Stop()
	for {
		select {
		case <-r.queue.ended:
			return r.Stats().NotUploaded
		case <-say.C:
			if r.Say != nil {
				r.Say(fmt.Sprintf("uploading results to %s", r.Address))
			}
		case <-finish.Done():
			if ctx.Err() == nil {
				r.failWrites(fmt.Errorf("uploading took longer than %s", r.Limits.Finish))
			}

			r.noWrite()
			select {
			case <-r.queue.ended: // each request ends now
			case <-time.After(noticeDelay): // but a key may wait for a person
			}

			return r.queue.total() - r.Stats().Uploaded
		}
	}
}

// Close is Finish, and closes the connection.
func (r *Results) Close(ctx context.Context) int {
	defer r.client.close()
	defer r.noReads()
	defer r.noWrite()
	return r.Finish(ctx)
}
