package undertest

import (
	"context"
	"fmt"
	"time"
)

// within calls f with a context that ends after timeout. If that time is the reason for
// an error, the error is ErrNoAnswer.
func within[T any](ctx context.Context, timeout time.Duration, f func(context.Context) (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	v, err := f(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w within %v", ErrNoAnswer, timeout)
	}
	return v, err
}
