//go:build !containers

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
)

// firstVerdict measures the proxy of a new pipeline, writes its baseline and asks for a verdict, as a user
// would do in the directory.
func (c *initChoice) firstVerdict(cmd *cobra.Command, dir string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}

	for _, words := range [][]string{{"baseline", "update"}, {"gate"}} {
		verb := exec.CommandContext(cmd.Context(), program, words...)
		verb.Dir, verb.Stdout, verb.Stderr = dir, cmd.OutOrStdout(), cmd.ErrOrStderr()
		if err := verb.Run(); err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return &exitError{exit.ExitCode(), fmt.Errorf("the pipeline in %s is complete, but its proxy "+
					"could not be measured: see above; correct the cause, and run %s baseline update there", dir,
					toolName)}
			}

			return err
		}
	}

	fmt.Fprintf(cmd.ErrOrStderr(), "next steps, in %s: review the baseline, commit all files, and run %s gate after "+
		"each change of the proxy\n", cmp.Or(dir, "."), toolName)
	return nil
}
