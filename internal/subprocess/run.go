package subprocess

import (
	"context"
	"os/exec"
	"time"
)

// lingers is how long what a program left running may keep its output open.
const lingers = 2 * time.Second

// Run runs cmd, which exec.CommandContext made with ctx, in a process group of
// its own and ends all that is left of the group. When ctx ends, so does the
// group; the error is then that of ctx. Any other error is that of cmd.Run.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	Lead(cmd)
	cmd.Cancel = func() error {
		KillGroup(cmd.Process.Pid)
		return nil
	}
	cmd.WaitDelay = lingers
	err := Start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	if cmd.Process != nil {
		KillGroup(cmd.Process.Pid)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
