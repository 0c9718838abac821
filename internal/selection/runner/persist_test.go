package runner

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// The clock is a fake one.
func TestPersist(t *testing.T) {
	unavailable := fmt.Errorf("complete run: %w", store.ErrUnavailable)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancelCause(context.Background())
		r := &Runner{ctx: ctx, stop: stop}
		began, attempts := time.Now(), 0
		err := r.persist(func() error {
			attempts++
			if time.Since(began) < time.Hour {
				return unavailable
			}
			return nil
		})
		if err != nil || attempts < 700 || attempts > 800 {
			t.Errorf("%d attempts in an hour, %v", attempts, err)
		}
		other := errors.New("other")
		if err := r.persist(func() error { return other }); !errors.Is(err, other) {
			t.Errorf("got %v", err)
		}
		ended := make(chan error)
		go func() { ended <- r.persist(func() error { return unavailable }) }()
		synctest.Wait()
		stop(errCancelled)
		if err := <-ended; !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
	})
}
