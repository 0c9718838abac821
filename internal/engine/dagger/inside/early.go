package inside

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Most of what starting touchstone costs is the set-up of packages that a stage
// needs and its supervisor does not: schemas are compiled and tables are filled
// for 15 ms before main begins. Every container would pay that twice. Go sets
// packages up in the order of their paths, each after those that it imports,
// so that this one comes long before them; an order that needs no more than is
// here is carried out now. Any other goes on to main, which knows the verb too.
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
