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
	"github.com/touchstone-eval/touchstone/internal/engine/process"
)

func main() {
	ctx := untilInterrupted()
	root := newRootCommand()
	out := &output{file: os.Stdout}
	root.SetOut(out)
	stderr := &output{file: os.Stderr}
	root.SetErr(stderr)
	err := out.whole(execute(ctx, root))
	os.Exit(report(ctx, stderr, err))
}

// untilInterrupted returns a context that the first interrupt ends. A second one stops the program at once,
// unless a stage was started: then it kills the stages without waiting for them, so that their logs are kept, and a
// third one stops the program.
func untilInterrupted() context.Context {
	ctx, end := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		end()
		if process.Started() {
			<-signals
			process.EndNow()
		}

		signal.Stop(signals)
	}()
	return ctx
}
