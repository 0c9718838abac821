package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/remote"
	"github.com/touchstone-eval/touchstone/internal/engine/signing"
)

// open opens an empty store that uses the server.
func (b *bench) open(ctx context.Context, name string) (*cache.Store, *remote.Results, error) {
	store, err := cache.Open(filepath.Join(b.dir, name), cache.Options{})
	if err != nil {
		return nil, nil, err
	}

	at, err := remote.ParseAddress(b.server.Address)
	if err != nil {
		return nil, nil, err
	}

	key, err := signing.OpenKey(ctx, b.key, os.LookupEnv)
	if err != nil {
		return nil, nil, err
	}

	allowed, err := signing.ReadAllowed(ctx, b.allowed)
	if err != nil {
		return nil, nil, err
	}

	now := time.Now()
	results, err := remote.Open(ctx, remote.Options{
		Settings: remote.Settings{Address: at, Agent: "bench"}, Store: store, Sign: key.Sign,
		Verify: func(record, signature []byte) (cache.Signer, error) {
			s, err := allowed.Verify(record, signature, now)
			return cache.Signer{Name: s.Name, Key: s.Fingerprint}, err
		},
		Warn: func(text string) { fmt.Fprintln(os.Stderr, "warning:", text) },
	})
	return store, results, err
}

func keyOf(i int) cache.Key { return sha256.Sum256(fmt.Appendf(nil, "result %d", i)) }

// lookups measures how long it takes to find results that the server has.
func (b *bench) lookups(ctx context.Context, n int) error {
	store, upload, err := b.open(ctx, "made")
	if err != nil {
		return err
	}

	began := time.Now()
	for i := range n {
		content := fmt.Appendf(nil, "content %d", i)
		d, err := store.PutBytes(content)
		if err != nil {
			return err
		}

		r := &cache.Record{
			Key: keyOf(i), Stage: "stage", Instance: fmt.Sprint("n=", i), Executor: "local", Started: time.Now(),
			Attempts: 1,
			Outputs: []cache.RecordOutput{{Name: "result", Path: "out/result", Digest: d, Size: int64(len(content)),
				Mode: 0o644}},
		}
		for c := range 12 { // as many as a stage of the evaluation has
			r.Components = append(r.Components,
				cache.Component{Name: fmt.Sprint("input.", c), Digest: d, Value: "datasets/file.json"})
		}

		if err := store.PutRecord(r); err != nil {
			return err
		}

		upload.Offer(r.Key)
	}

	if lost := upload.Close(ctx); lost > 0 {
		return fmt.Errorf("%d results were not uploaded", lost)
	}

	_ = store.Close()
	fmt.Printf("%d results of one small content:\n", n)
	fmt.Printf("  made, signed and uploaded   %8.3f s\n", time.Since(began).Seconds())

	// One after the other: results that are there, and results that are not, which is a round trip.
	store, one, err := b.open(ctx, "one-by-one")
	if err != nil {
		return err
	}

	few := min(n, 500)
	one.Lookup(keyOf(-1)) // connects
	each := func(first int, want bool) (time.Duration, error) {
		began := time.Now()
		for i := range few {
			if found, why := one.Lookup(keyOf(first + i)); found != want {
				return 0, fmt.Errorf("result %d: found %v: %s", first+i, found, why)
			}
		}

		return time.Since(began) / time.Duration(few), nil
	}
	trip, err := each(n, false)
	if err != nil {
		return err
	}

	hit, err := each(0, true)
	if err != nil {
		return err
	}

	one.Close(ctx)
	_ = store.Close()
	fmt.Printf("  one at a time               %8.3f ms a hit, %.3f ms a round trip without a result, %.3f ms beyond "+
		"it\n", ms(hit), ms(trip), ms(hit-trip))

	store, many, err := b.open(ctx, "many")
	if err != nil {
		return err
	}

	before := processorTime()
	began = time.Now()
	var next, found atomic.Int64
	var wg sync.WaitGroup
	for range 64 { // as in a run
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}

				if ok, _ := many.Lookup(keyOf(i)); ok {
					found.Add(1)
				}
			}
		})
	}

	wg.Wait()
	took, cpu := time.Since(began), processorTime()-before
	many.Close(ctx)
	_ = store.Close()
	if int(found.Load()) != n {
		return errors.New("not all results were found")
	}

	fmt.Printf("  64 at a time                %8.3f s, with their records written to the cache here, %.3f s of "+
		"processor time without the server's\n", took.Seconds(), cpu.Seconds())
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
