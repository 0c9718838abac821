//go:build !containers

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/report/compare"
)

// costVerb is the command with which this program measures two proxies in a child
// process.
const costVerb = "measure-cost"

// newCostCommand returns a command that reads measurement options from standard input
// and prints the cost as JSON.
func newCostCommand() *cobra.Command {
	return &cobra.Command{
		Use: costVerb, Short: "Measure the cost of two proxies in turn", Hidden: true, Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var o compare.MeasureOptions
			if err := json.NewDecoder(cmd.InOrStdin()).Decode(&o); err != nil {
				return fmt.Errorf("measurement options: %w", err)
			}

			cost, err := compare.Measure(cmd.Context(), o)
			if err != nil {
				return err
			}

			return printJSON(cmd.OutOrStdout(), cost)
		},
	}
}

// measureApart measures in a child process with an environment as small as that of a
// stage: proxies inherit their environment, and that of this process may hold secrets.
func measureApart(ctx context.Context, o compare.MeasureOptions) (*compare.Cost, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}

	order, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}

	cmd := exec.CommandContext(ctx, self, costVerb)
	cmd.Stdin = bytes.NewReader(order)
	for _, name := range []string{"PATH", "TMPDIR", "LANG"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}

	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	// The child stops its proxies on SIGTERM.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * termGrace
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}

		return nil, fmt.Errorf("measuring the cost: %s",
			strings.TrimPrefix(strings.TrimSpace(said.String()), toolName+": "))
	}

	cost := &compare.Cost{}
	return cost, json.Unmarshal(out.Bytes(), cost)
}
