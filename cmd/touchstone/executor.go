package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/dagger"
	"github.com/touchstone-eval/touchstone/internal/engine/dagger/inside"
	"github.com/touchstone-eval/touchstone/internal/engine/image"
	"github.com/touchstone-eval/touchstone/internal/engine/local"
	"github.com/touchstone-eval/touchstone/internal/engine/sandbox"
	"github.com/touchstone-eval/touchstone/internal/engine/workers/onworker"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Environment variables of the executors that do not run stages on this machine. They depend on the
// machine and not on the verb.
const (
	// envContainerImage is the image for stages that need other programs and name no image,
	// NAME@sha256:DIGEST or, with dagger, dir:PATH.
	envContainerImage = "TOUCHSTONE_CONTAINER_IMAGE"
	// envContainerBinary is a static Linux build of this program for containers and workers.
	envContainerBinary = "TOUCHSTONE_CONTAINER_BINARY"
)

// executorFlags select where stages run.
type executorFlags struct {
	name      string
	isolation string
	// withoutEngine makes a run fail at once, with its own exit status, if it would
	// have to execute a stage. The Dagger module tries this first, because a
	// container with access to the engine takes longer to start.
	withoutEngine bool
}

func (f *executorFlags) add(p *pflag.FlagSet) {
	oneOfVar(p, &f.name, "executor", "local",
		"where stages run: local (processes on this machine), dagger (containers of a Dagger engine) or remote "+
			"(workers of a server)",
		"local", "dagger", "remote")
	oneOfVar(p, &f.isolation, "isolation", "",
		"for the executors local and remote: auto restricts stages to the declared files and network, where the "+
			"system can; off does not restrict them (default: TOUCHSTONE_ISOLATION, or auto)",
		"auto", "off")
	p.BoolVar(&f.withoutEngine, "without-engine", false,
		"with dagger: do not connect to the engine, and exit with status 75 if a stage has to run")
	_ = p.MarkHidden("without-engine")
}

// newExecutor returns the selected executor, and the tools that identify its programs.
func (f *globalFlags) newExecutor(plan *pipeline.Plan, store string, index *cache.StatIndex) (engine.Executor,
	engine.Tools, error) {
	host := &tools{HostTools: engine.HostTools{Index: index}}
	switch f.executor.name {
	case "local", "":
		sandbox, err := f.executor.sandbox(plan.Root, store)
		if err != nil {
			return nil, nil, err
		}

		return local.Executor{Grace: termGrace, Sandbox: sandbox}, host, nil
	case "dagger":
		images := image.Images{Root: plan.Root, Default: os.Getenv(envContainerImage)}
		tools := &image.Tools{Images: images, Host: host, Index: index}
		if f.executor.withoutEngine {
			return noEngine{}, tools, nil
		}

		return &dagger.Executor{Images: images, Binary: os.Getenv(envContainerBinary), Identify: ownIdentity,
			Grace: termGrace}, tools, nil
	case "remote":
		images := image.Images{Root: plan.Root, Default: os.Getenv(envContainerImage), Worker: true}
		executor, err := f.workers(plan, images)
		if err != nil {
			return nil, nil, err
		}

		return executor, &image.Tools{Images: images, Host: host, Index: index}, nil
	default:
		return nil, nil, &exitError{exitUsage,
			fmt.Errorf("unknown --executor %q: use local, dagger or remote", f.executor.name)}
	}
}

// isolationOff reports whether stages are not restricted to what they declare.
func (f *executorFlags) isolationOff() (bool, error) {
	isolation, from := f.isolation, "--isolation"
	if isolation == "" {
		isolation, from = os.Getenv("TOUCHSTONE_ISOLATION"), "TOUCHSTONE_ISOLATION"
	}
	switch isolation {
	case "off":
		return true, nil
	case "", "auto":
		return false, nil
	}
	return false, &exitError{exitUsage, fmt.Errorf("unknown %s %q: use auto or off", from, isolation)}
}

// sandbox returns the sandbox for local stages.
func (f *executorFlags) sandbox(root, store string) (*sandbox.Sandbox, error) {
	if off, err := f.isolationOff(); err != nil || off {
		return sandbox.Disabled(), err
	}
	hidden := []string{root, store}
	if home, err := os.UserHomeDir(); err == nil {
		hidden = append(hidden, home)
	}
	return sandbox.New(hidden...), nil
}

// jobs returns the default number of stages that run at once. An engine may be a larger
// machine, and this process mostly waits for it. A server queues what its workers cannot run yet.
func (f *executorFlags) jobs() int {
	switch f.name {
	case "dagger":
		return max(8, runtime.NumCPU())
	case "remote":
		return 64
	}
	return runtime.NumCPU()
}

// noEngine replaces an engine that must not be used.
type noEngine struct{}

func (noEngine) Name() string { return (*dagger.Executor)(nil).Name() }

// errNeedsEngine reports that a stage would have to run.
var errNeedsEngine = errors.New("a stage has to run, which needs the engine")

// Prepare ends the run before its first execution. A run would report an error of Run as the
// failure of a stage.
func (noEngine) Prepare(context.Context) error { return errNeedsEngine }

func (noEngine) Run(context.Context, *engine.Job) (*engine.Result, error) { return nil, errNeedsEngine }

// closeExecutor releases the resources of the executor.
func (s *session) closeExecutor() {
	if c, ok := s.engine.Executor.(io.Closer); ok {
		_ = c.Close()
	}
}

// ownIdentity returns the identity of this program for an instance that runs it.
func ownIdentity(in *pipeline.Instance) (string, error) {
	tool, err := (&tools{}).Resolve(in)
	return tool.Digest.String(), err
}

// newOnWorkerCommand returns the command that the remote executor runs on each worker, unless
// it was already carried out before main: see package onworker.
func newOnWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use: onworker.Verb, Short: "Run a stage on a worker", Hidden: true, Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return onworker.Carry(cmd.Context(), identityOf) },
	}
}

// identityOf returns the identity of this program for a command.
func identityOf(command []string) (string, error) {
	return ownIdentity(&pipeline.Instance{Command: command})
}

// newInsideCommand returns the command that the dagger executor starts in each container,
// unless it was already handled before main: see package inside.
func newInsideCommand() *cobra.Command {
	return &cobra.Command{
		Use: inside.Verb, Short: "Run a stage inside its container", Hidden: true, Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inside.Run(cmd.Context(), identityOf)
		},
	}
}
