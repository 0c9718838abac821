package subprocess

import (
	"context"
	"os/exec"
	"time"
)

// lingers is the maximum time that the children of a program may keep its output open
// after it has ended.
const lingers = 2 * time.Second

// Run runs cmd, which exec.CommandContext created with ctx, in its own process
// group, and then kills what is left of the group. When ctx ends, the group is
// killed and Run returns the error of ctx. Otherwise it returns the error of
// cmd.Run.
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
