package process

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Early carries out the whole of this program's work before main, and exits.
//
// Before main, touchstone spends about 15 ms on the initialization of packages,
// which compile schemas and fill tables. A stage needs these packages, but what
// starts it in a container or on a worker does not. Go initializes packages in the order
// of their import paths, each after those that it imports. So an init function of a
// package with few imports runs before most others, and may call Early. The context ends
// if the program is interrupted.
func Early(work func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := work(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "touchstone:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
