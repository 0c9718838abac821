// Command touchstone evaluates MCP proxies: it runs the pipeline that
// pipeline.hcl declares and says whether the gate passed.
//
// One file a verb. What maps errors to exit codes is exit.go, and nothing
// else does.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	collectLess()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A second interrupt ends the program at once.
	context.AfterFunc(ctx, stop)
	root := newRootCommand()
	out := &output{file: os.Stdout}
	root.SetOut(out)
	err := out.whole(execute(ctx, root))
	os.Exit(report(ctx, os.Stderr, err))
}
