package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// others is a Shared whose results are in another store.
type others struct {
	from, to *cache.Store
	lookup   func() // may be nil

	mu              sync.Mutex
	looked, offered []cache.Key
}

func (s *others) Lookup(k cache.Key) (bool, string) {
	s.mu.Lock()
	s.looked = append(s.looked, k)
	s.mu.Unlock()
	if s.lookup != nil {
		s.lookup()
	}
	if s.from == nil {
		return false, "a reason"
	}
	record, _, err := s.from.RecordFile(k)
	if err != nil {
		return false, ""
	}
	r, err := cache.DecodeOwn(record, k)
	if err != nil {
		return false, err.Error()
	}
	blobs, _, err := s.from.Needs(r)
	if err != nil {
		return false, err.Error()
	}
	for _, b := range blobs {
		content, err := s.from.Bytes(b.Digest)
		if err != nil {
			return false, err.Error()
		}
		if _, err := s.to.PutBytes(content); err != nil {
			return false, err.Error()
		}
	}
	added, why, err := s.to.Adopt(k, record, nil, &cache.Origin{Way: cache.Fetched, From: "elsewhere"}, nil)
	return added, fmt.Sprint(why, err)
}

func (s *others) Offer(k cache.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered = append(s.offered, k)
}

func copies(w *world, n int) *pipeline.Plan {
	w.write("a.txt", "one\n")
	var list []*pipeline.Instance
	for i := range n {
		list = append(list, w.source(sh(fmt.Sprint("copy-", i), "cp in/a out/result"), "a", "a.txt"))
	}
	return w.plan(append(list, after(sh("last", "cat in/u > out/result"), "u", 0))...)
}

// A result of another machine is a hit, what this machine makes is offered, and a hit here asks nobody.
func TestShared(t *testing.T) {
	there, here := newWorld(t), newWorld(t)
	plan := copies(there, 3)
	offers := &others{to: there.store}
	there.engine.Shared = offers
	if sum := there.mustRun(plan); sum.Executed != 4 || len(offers.offered) != 4 || len(offers.looked) != 4 {
		t.Fatalf("%+v, %d offered, %d looked up", sum, len(offers.offered), len(offers.looked))
	}
	for _, o := range offers.offered {
		if !slices.Contains(offers.looked, o) {
			t.Error("offered another key")
		}
	}
	shared := &others{from: there.store, to: here.store}
	here.engine.Shared = shared
	for i := range 2 {
		outcomes, sum, err := here.run(copies(here, 3), engine.RunOptions{})
		if err != nil || sum.Hits != 4 || sum.Executed != 0 {
			t.Fatalf("run %d: %+v %v", i, sum, err)
		}
		for _, o := range outcomes {
			if o.Origin == nil || o.Origin.Way != cache.Fetched {
				t.Errorf("%s: origin %v", o.Instance, o.Origin)
			}
		}
	}
	if len(shared.looked) != 4 || len(shared.offered) != 0 {
		t.Errorf("%d looked up, %d offered", len(shared.looked), len(shared.offered))
	}
	// With force, nothing is looked up.
	if _, sum, err := here.run(copies(here, 3), engine.RunOptions{Force: true}); err != nil || sum.Executed != 4 || len(shared.looked) != 4 {
		t.Errorf("forced: %+v, %d looked up, %v", sum, len(shared.looked), err)
	}
}

// Why a result is not accepted is a reason of the miss.
func TestSharedRefused(t *testing.T) {
	w := newWorld(t)
	w.engine.Shared = &others{to: w.store}
	outcomes, err := w.engine.Evaluate(context.Background(), copies(w, 1))
	if err != nil || !slices.Contains(outcomes[0].Reasons, "a reason") {
		t.Errorf("%q %v", outcomes[0].Reasons, err)
	}
}

// Many results are looked up at once, although few stages run at once.
func TestSharedAtOnce(t *testing.T) {
	w := newWorld(t)
	w.engine.Jobs = 1
	const n = 20
	var arrived sync.WaitGroup
	arrived.Add(n)
	var first atomic.Int64
	w.engine.Shared = &others{to: w.store, lookup: func() {
		if first.Add(1) <= n { // the instance after them comes later
			arrived.Done()
			arrived.Wait() // forever, unless all are here
		}
	}}
	plan := copies(w, n)
	if sum := w.mustRun(plan); sum.Executed != n+1 {
		t.Errorf("%+v", sum)
	}
	running := 0
	for _, e := range w.events {
		switch e.Event {
		case engine.EventStart:
			running++
		case engine.EventDone:
			running--
		}
		if running > 1 {
			t.Fatalf("%d stages run at once", running)
		}
	}
}
