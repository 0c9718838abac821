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
	"time"

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

// killGrace is how long the program may take to keep the logs of the stages that a second interrupt has killed.
const killGrace = 3 * time.Second

// untilInterrupted returns a context that the first interrupt ends. A second one stops the program at once,
// unless a stage was started: then it kills the stages without waiting for them, so that their logs are kept. The
// program then ends after killGrace, whatever it waits for, or with a third interrupt.
func untilInterrupted() context.Context {
	ctx, end := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		end()
		if !process.Started() {
			signal.Stop(signals)
			return
		}

		<-signals
		process.EndNow()
		signal.Stop(signals)
		time.Sleep(killGrace)
		os.Exit(exitInterrupted)
	}()
	return ctx
}
