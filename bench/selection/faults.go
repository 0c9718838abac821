package main

import (
	"fmt"
	"path/filepath"
	"time"
)

// faults puts runs, all at the same time, to a provider that fails now and then.
// The requests that the provider saw are those that the runs recorded.
func faults(b *bench) error {
	mcp := newMCP(weatherTools)
	defer mcp.Close()
	p := newProvider(someFaults)
	defer p.close()
	s, err := b.serve(b.db(), "--workers", fmt.Sprint(b.size.concurrent))
	if err != nil {
		return err
	}

	defer s.kill()
	started, err := s.start(mcp.URL, p.URL, b.size.concurrent, map[string]any{"timeout": 2, "max_retries": 3})
	if err != nil {
		return err
	}

	o, err := b.finish(s, started)
	if err != nil {
		return err
	}

	b.printf("  %d requests sent, %d received", o.attempts, p.asked.Load())
	if int64(o.attempts) != p.asked.Load() {
		return errLost
	}

	return nil
}

// kill ends the service in the middle of a batch, and starts it again on the same
// database.
func kill(b *bench) error {
	mcp := newMCP(weatherTools)
	defer mcp.Close()
	half := int64(b.size.killed / 2)
	reached := make(chan struct{})
	p := newProvider(func(n int64) string {
		if n == half {
			close(reached)
		}

		if n >= half {
			return "hang"
		}

		return ""
	})
	defer p.close()
	s, err := b.serve(b.db(), "--workers", "10")
	if err != nil {
		return err
	}

	started, err := s.start(mcp.URL, p.URL, b.size.killed, nil)
	if err == nil {
		<-reached
	}

	s.kill()
	if err != nil {
		return err
	}

	if s, err = b.serve(b.db()); err != nil {
		return err
	}

	if err := s.stop(); err != nil {
		return err
	}

	o, err := b.ended(b.db(), started)
	if err != nil {
		return err
	}

	b.print(o)
	// The service asks ten at once: of those before the half, nine may not have been
	// stored yet.
	if o.completed > int(half) || o.completed < int(half)-10 {
		return fmt.Errorf("%w: %d were answered", errLost, half-1)
	}

	return nil
}

// owners starts a second service on one database.
func owners(b *bench) error {
	s, err := b.serve(b.db())
	if err != nil {
		return err
	}

	defer s.kill()
	second, err := b.serve(filepath.Join(b.dir, ".", "eval.db"))
	if err == nil {
		second.kill()
		return fmt.Errorf("a second service runs on the same database")
	}

	b.printf("  the second: %v", err)
	return s.stop()
}

// timed runs f and gives how long it took.
func timed(f func() error) (time.Duration, error) {
	began := time.Now()
	err := f()
	return time.Since(began), err
}
