package remote

import (
	"fmt"
	"maps"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
)

// envWire sets the distance of the byte counts of TestWire. 1 is every byte.
const envWire = "TOUCHSTONE_WIRE_STEP"

// TestWire lets the connection stall, end or change a bit after a number of bytes from the server.
func TestWire(t *testing.T) {
	m := memory(t)
	a := newSide(t, m.Address)
	k := a.make("one", 2000)
	want, err := a.content(k)
	if err != nil {
		t.Fatal(err)
	}
	a.share(k)
	// What arrives in all.
	last := int64(0)
	for ; ; last += 1000 {
		found, err := overWire(t, m.Address, last, remotetest.CloseWire, k, want)
		if err != nil {
			t.Fatal(err)
		}
		if found {
			break
		}
	}
	step := int64(211)
	if s := os.Getenv(envWire); s != "" {
		if step, err = strconv.ParseInt(s, 10, 64); err != nil || step < 1 {
			t.Fatalf("%s=%s: give a number of bytes", envWire, s)
		}
	}
	var g sync.WaitGroup
	at := make(chan int64)
	trials := 0
	for range 32 {
		g.Go(func() {
			for n := range at {
				for _, then := range []remotetest.Fault{remotetest.StallWire, remotetest.CloseWire, remotetest.FlipWire} {
					if _, err := overWire(t, m.Address, n, then, k, want); err != nil {
						t.Errorf("fault %d after %d bytes: %v", then, n, err)
					}
				}
			}
		})
	}
	for n := int64(0); n <= last; n += step {
		at <- n
		trials += 3
	}
	close(at)
	g.Wait()
	t.Logf("%d faults in %d bytes", trials, last)
}

// overWire reads a result over a connection with a fault. found is true if all of it was read. An error
// is wrong content.
func overWire(t *testing.T, address string, after int64, then remotetest.Fault, k cache.Key, want map[string]string) (found bool, err error) {
	w, err := remotetest.StartWire(address, after, then)
	if err != nil {
		return false, err
	}
	defer w.Stop()
	b := newSide(t, w.Address, quick)
	if found, _ := b.Lookup(k); !found {
		return false, nil
	}
	got, err := b.content(k)
	switch {
	case err == nil && !maps.Equal(got, want):
		return false, fmt.Errorf("read other content")
	case err != nil && !cache.Damaged(err):
		return false, err
	}
	return err == nil, nil
}
