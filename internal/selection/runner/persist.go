package runner

import (
	"errors"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// Waits between attempts to write to a database that cannot be used.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// persist writes to the database, and tries again while that cannot be used: its
// disk is full, or another process holds its lock. An answer that a model gave is
// not lost for it. A runner that closes tries once more.
func (r *Runner) persist(write func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := write()
		if !errors.Is(err, store.ErrUnavailable) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-r.ctx.Done():
			return write()
		}
	}
}
