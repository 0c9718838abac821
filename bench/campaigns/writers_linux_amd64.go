package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// writersAtOnce is the number of runs at once.
const writersAtOnce = 64

// manyWriters starts runs with few different variables in 64 checkouts that share a cache,
// while a collector removes most of it again and again. A trial is a second.
func manyWriters(ctx context.Context, a *attack) error {
	end, cancel := context.WithTimeout(ctx, time.Duration(a.trials)*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var writers []*subject
	for i := range writersAtOnce {
		own := *a.subject
		own.work = filepath.Join(a.dir, fmt.Sprintf("work-%d", i))
		if err := os.CopyFS(own.work, os.DirFS(a.work)); err != nil {
			return err
		}

		writers = append(writers, &own)
	}

	if err := a.own(); err != nil {
		return err
	}

	for i, own := range writers {
		random := rand.New(rand.NewPCG(a.random.Uint64(), uint64(i)))
		wg.Go(func() {
			for end.Err() == nil {
				salt := random.IntN(8)
				r := own.run(ctx, own.runArgs("--var", fmt.Sprintf("salt=%d", salt))...)
				mu.Lock()
				a.judge(ctx, own, r, salt)
				mu.Unlock()
			}
		})
	}

	wg.Go(func() {
		for end.Err() == nil {
			if r := a.run(ctx, "cache", "gc", "--max-size", "20000"); r.err != nil && ctx.Err() == nil {
				mu.Lock()
				a.wrong++
				a.note("cache gc fails: %s", r.output)
				mu.Unlock()
			}
		}
	})
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}

	return a.recovers(ctx, "all writers")
}

// judge counts one run of a writer.
func (a *attack) judge(ctx context.Context, own *subject, r result, salt int) {
	a.done++
	a.peak = max(a.peak, r.peak)
	switch {
	case ctx.Err() != nil:
		return
	case r.hung:
		a.hangs++
	case r.err != nil:
		a.wrong++
		a.note("a run among others fails: %v: %s", r.err, r.output)
	default:
		own.want = salted(a.want, salt)
		if d := own.differs(); d != "" {
			a.wrong++
			a.note("a run among others: %s", d)
		}
	}
}

// salted is what a run with another salt publishes.
func salted(want map[string]string, salt int) map[string]string {
	other := map[string]string{}
	for name, content := range want {
		if name == "/own" {
			content = strings.ReplaceAll(content, " 0\n", fmt.Sprintf(" %d\n", salt))
		}
		other[name] = content
	}
	return other
}
