package inside

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Before main, touchstone spends about 15 ms on the initialization of packages,
// which compile schemas and fill tables. A stage needs these packages, but its
// supervisor does not, and every container starts both. Go initializes packages
// in the order of their import paths, each after those that it imports, so this
// function runs before most others. It executes the order if the order needs only
// this package. Otherwise main executes it.
func init() {
	if len(os.Args) != 2 || os.Args[1] != Verb {
		return
	}
	o, err := read()
	if err != nil || o.Identity != "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := o.run(ctx, nil); err != nil {
		fmt.Fprintln(os.Stderr, "touchstone:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
