package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
)

// failures are the errors that are injected.
var failures = []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EDQUOT, syscall.EMFILE}

func killProcess(ctx context.Context, a *attack) error {
	return a.atSystemCalls(ctx, func() plan { return plan{Kill: "process"} })
}

func killGroup(ctx context.Context, a *attack) error {
	return a.atSystemCalls(ctx, func() plan { return plan{Kill: "group"} })
}

func failCalls(ctx context.Context, a *attack) error {
	return a.atSystemCalls(ctx, func() plan { return plan{Errno: failures[a.random.IntN(len(failures))]} })
}

// action is a command that writes to the cache, in a state in which it finds work.
type action struct {
	name    string
	args    []string
	prepare func() error
}

// cannotTrace reports whether a tracer failed because this machine does not let a process trace
// another, and notes it.
func (a *attack) cannotTrace(r result) bool {
	if !strings.Contains(r.output, syscall.EPERM.Error()) {
		return false
	}
	a.note("skipped: this machine does not let a process trace another: %s", r.output)
	return true
}

// exportArchive writes the archive that one of the actions imports.
func (a *attack) exportArchive(ctx context.Context) error {
	if r := a.run(ctx, "cache", "export", filepath.Join(a.dir, "archive")); r.err != nil {
		return fmt.Errorf("exporting the cache: %w\n%s", r.err, r.output)
	}
	return nil
}

// actions are the commands that are attacked.
func (a *attack) actions() []action {
	archive := filepath.Join(a.dir, "archive")
	return []action{
		{"a first run", a.runArgs(), a.empty},
		{"a run of half of the stages", a.runArgs("--from", "part", "--force"), nil},
		{"cache gc", []string{"cache", "gc", "--max-size", "1"}, nil},
		{"cache import", append([]string{"cache", "import", archive}, a.trust...), a.empty},
	}
}

// atSystemCalls lets a plan take effect at a random system call of a random action. Then
// it runs the program without an attack.
func (a *attack) atSystemCalls(ctx context.Context, choose func() plan) error {
	if err := a.exportArchive(ctx); err != nil {
		return err
	}

	actions := a.actions()
	type whole struct {
		action string
		plan   plan
	}
	calls := map[whole]int{} // of an action without an attack
	for a.done < a.trials && ctx.Err() == nil {
		do := actions[a.random.IntN(len(actions))]
		if do.prepare != nil {
			if err := do.prepare(); err != nil {
				return err
			}
		}

		p := choose()
		w := whole{do.name, p}
		if calls[w] == 0 {
			t, r, err := a.trace(ctx, plan{Errno: p.Errno}, do.args...)
			if err != nil && a.cannotTrace(r) {
				return nil
			}

			if err == nil && (t.Exit != 0 || t.Calls == 0) {
				err = errors.New("it should succeed and write")
			}

			if err != nil {
				return fmt.Errorf("%s, traced without an attack, ends with %d after %d system calls: %w\n%s", do.name,
					t.Exit, t.Calls, err, r.output)
			}

			calls[w] = t.Calls
			if err := a.recovers(ctx, do.name); err != nil {
				return err
			}

			continue
		}

		p.At = 1 + a.random.IntN(calls[w])
		if err := a.attackAction(ctx, do, p); err != nil {
			return err
		}
	}

	return ctx.Err()
}

// attackAction is one trial.
func (a *attack) attackAction(ctx context.Context, do action, p plan) error {
	t, r, err := a.trace(ctx, p, do.args...)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case r.hung:
		a.hangs++
		a.note("%+v: %s hangs", p, do.name)
	case err != nil:
		return err
	}

	if t.Did == "" && !r.hung {
		return nil // it made fewer system calls this time
	}

	what := p.Kill
	if p.Errno != 0 {
		what = p.Errno.Error()
	}

	after := fmt.Sprintf("%s: %s at %s", do.name, what, t.Did)
	a.done++
	if a.leftovers += t.Stuck; t.Stuck > 0 {
		a.note("%s: %d processes do not end", after, t.Stuck)
	}

	if t.Exit == 0 && do.args[0] == "run" {
		if d := a.differs(); d != "" {
			a.wrong++
			a.note("%s: the run ends with 0, but %s", after, d)
		}
	}

	return a.recovers(ctx, after)
}
