// Command touchstone evaluates MCP proxies: it runs the pipeline declared in pipeline.hcl and
// reports whether the gate passed.
//
// Each command has its own file. Only exit.go maps errors to exit codes.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	_ "github.com/touchstone-eval/touchstone/internal/base/collector"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A second interrupt stops the program at once.
	context.AfterFunc(ctx, stop)
	root := newRootCommand()
	out := &output{file: os.Stdout}
	root.SetOut(out)
	stderr := &output{file: os.Stderr}
	root.SetErr(stderr)
	err := out.whole(execute(ctx, root))
	os.Exit(report(ctx, stderr, err))
}
