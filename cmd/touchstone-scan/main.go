// Command touchstone-scan is the verb scan of touchstone as a program of its own: it
// scans the definitions of MCP tools for attacks on the model that reads them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/touchstone-eval/touchstone/internal/scancommand"
)

// Exit codes that do not come from a verdict.
const (
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt stops the program at once
	os.Exit(run(ctx))
}

func run(ctx context.Context) int {
	var json bool
	root := scancommand.New("touchstone-scan", &json)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentFlags().BoolVar(&json, "json", false, "print JSON for programs")
	err := root.ExecuteContext(ctx)
	var verdict *scancommand.Failed
	switch {
	case err == nil:
		return 0
	case errors.As(err, &verdict):
		return verdict.Code
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "touchstone-scan: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(os.Stderr, "touchstone-scan:", err)
	return exitUsage
}
