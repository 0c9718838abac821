package onworker

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// See package inside for why this function runs early. It carries out the order if the order needs only this package.
// Otherwise main does.
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
	if err := o.carry(ctx, nil); err != nil {
		fmt.Fprintln(os.Stderr, "touchstone:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
