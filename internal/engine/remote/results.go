package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/touchstone-eval/touchstone/cache"
)

// Options are the options of Open.
type Options struct {
	Settings
	// Store is where results go to and come from. Open makes the server its source.
	Store *cache.Store
	// Verify returns who signed a record's own file. The error is a phrase that says why the result
	// is not accepted.
	Verify func(record, signature []byte) (cache.Signer, error)
	// Sign returns the signature of a record's own file. It is nil for a server that is only read.
	Sign func(record []byte) ([]byte, error)
	// Warn is told once why the server is not used anymore, and Say that an upload takes longer.
	Warn, Say func(string)
}

// Results shares the results of a store with a server. It is safe for concurrent use.
type Results struct {
	Options
	client  *client
	waiting budget
	reads   context.Context // ends with the run, or with the first fault
	writes  context.Context // likewise
	noReads context.CancelFunc
	noWrite context.CancelFunc
	connect func() error

	mu     sync.Mutex
	warned bool
	stats  Stats

	queue queue
}

// Stats describes what a run has exchanged with a server.
type Stats struct {
	Address string `json:"address"`
	// Found counts the results that were taken, and Refused those that were not accepted.
	Lookups int `json:"lookups"`
	Found   int `json:"found"`
	Refused int `json:"refused"`
	// Fetched counts contents, and FetchedBytes the bytes that arrived, which may be compressed.
	Fetched      int   `json:"fetched"`
	FetchedBytes int64 `json:"fetched_bytes"`
	// Uploaded counts results, and NotUploaded those that should have been. UploadedBytes counts the
	// bytes of content that the server lacked.
	Uploaded      int   `json:"uploaded"`
	UploadedBytes int64 `json:"uploaded_bytes"`
	NotUploaded   int   `json:"not_uploaded"`
	// Problem is why the server was not used anymore, or empty.
	Problem string `json:"problem,omitempty"`
}

// Open prepares to use a server, and does not connect to it: a run that finds all results in its store
// asks nobody. It returns an error for settings that cannot work. ctx is that of the run.
func Open(ctx context.Context, o Options) (*Results, error) {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits
	}

	r := &Results{Options: o, stats: Stats{Address: o.Address.String()}}
	c, err := newClient(ctx, &r.Settings)
	if err != nil {
		return nil, err
	}

	r.client = c
	r.waiting = budget{limits: o.Limits, now: time.Now}
	r.reads, r.noReads = context.WithCancel(ctx)
	r.writes, r.noWrite = context.WithCancel(ctx)
	r.connect = sync.OnceValue(func() error {
		r.waiting.begin()
		defer r.waiting.end(0)
		err := c.connect(r.reads)
		if err != nil {
			r.fail(err)
		}

		return err
	})
	r.queue.init()
	r.Store.SetSource(o.Address.String(), content{r})
	return r, nil
}

// Stats returns what was exchanged so far.
func (r *Results) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

func (r *Results) count(f func(*Stats)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.stats)
}

// fail ends the use of the server after a fault of it. It warns once.
func (r *Results) fail(err error) {
	r.noReads()
	r.failWrites(err)
}

// failWrites ends the uploads after a fault of the server.
func (r *Results) failWrites(err error) {
	r.noWrite()
	if err = readableError(err); errors.Is(err, context.Canceled) {
		return // interrupted, or an effect of the fault that was already reported
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.warned {
		return
	}

	r.warned = true
	r.stats.Problem = err.Error()
	if r.Warn != nil {
		r.Warn(fmt.Sprintf("the remote cache %s is not used anymore: %v; the run goes on without it", r.Address, err))
	}
}

var errSlow = errors.New("it is too slow")

// ready connects if needed, and reports whether the server can be read from.
func (r *Results) ready() bool {
	if r.reads.Err() != nil || r.connect() != nil {
		return false
	}
	if r.waiting.left() <= 0 {
		r.fail(fmt.Errorf("%w: the run has waited %s for it", errSlow, r.Limits.Total))
	}
	return r.reads.Err() == nil
}

// Lookup adds the result of a key to the store, if the server has one that is accepted. It does not fetch
// the content. Otherwise why is a phrase to show, or empty if the server has none.
func (r *Results) Lookup(k cache.Key) (found bool, why string) {
	if !r.ready() {
		return false, ""
	}

	r.waiting.begin()
	a, err := r.client.lookup(r.reads, k)
	r.waiting.end(r.Limits.PerLookup)
	if err != nil {
		r.fail(err)
		return false, ""
	}

	r.count(func(s *Stats) { s.Lookups++ })
	if a == nil {
		return false, ""
	}

	if err := r.adopt(k, a); err != nil {
		r.count(func(s *Stats) { s.Refused++ })
		return false, fmt.Sprintf("the result at %s is not accepted: %v", r.Address, err)
	}

	r.count(func(s *Stats) { s.Found++ })
	return true, ""
}

// adopt adds an answer to the store. The error is a phrase that says why it is not accepted.
func (r *Results) adopt(k cache.Key, a *answer) error {
	if a.record == nil {
		return errors.New("touchstone did not make it")
	}

	record, err := cache.DecodeOwn(a.record, k)
	if err != nil {
		return err
	}

	signer, err := r.Verify(a.record, a.signature)
	if err != nil {
		return err
	}

	away, err := a.remoteDigests(record)
	if err != nil {
		return err
	}

	origin := &cache.Origin{Way: cache.Fetched, From: r.Address.String(), At: time.Now().UTC().Truncate(time.Second),
		Signer: &signer}
	_, reason, err := r.Store.Adopt(k, a.record, a.signature, origin, away)
	if err == nil && reason != "" {
		err = errors.New(reason)
	}

	return err
}

// content is the Source of the store.
type content struct{ *Results }

// fetchers is the number of batches and streams at once.
const fetchers = 4

// Fetch implements cache.Source.
func (c content) Fetch(blobs []cache.SizedDigest, put func(cache.SizedDigest, io.Reader) error) {
	if !c.ready() {
		return
	}

	c.waiting.begin()
	var bytes int64
	defer func() {
		c.waiting.end(time.Duration(float64(bytes) / (1 << 20) * float64(c.Limits.PerMiB)))
	}()
	var mu sync.Mutex
	kept := 0
	keep := func(b cache.SizedDigest, r io.Reader) error {
		err := put(b, r)
		if err != nil {
			return fmt.Errorf("content %s: %w", b.Digest.Short(), err)
		}

		mu.Lock()
		defer mu.Unlock()
		kept++
		return nil
	}
	arrived := func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		bytes += n
	}
	batches, large := c.client.batches(blobs)
	var g errgroup.Group
	g.SetLimit(fetchers)
	for _, batch := range batches {
		g.Go(func() error {
			n, err := c.client.readBatch(c.reads, batch, keep)
			arrived(n)
			return err
		})
	}

	for _, b := range large {
		g.Go(func() error {
			n, _, err := c.client.readStream(c.reads, b, keep)
			arrived(n)
			return err
		})
	}

	err := g.Wait()
	c.count(func(s *Stats) {
		s.Fetched += kept
		s.FetchedBytes += bytes
	})
	if err != nil {
		c.fail(err)
	}
}
