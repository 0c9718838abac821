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
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/dagger"
	"github.com/touchstone-eval/touchstone/internal/engine/dagger/inside"
	"github.com/touchstone-eval/touchstone/internal/engine/local"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// executorFlags select where stages run.
type executorFlags struct {
	name      string
	image     string
	binary    string
	isolation string
	// withoutEngine makes a run fail at once, with its own exit status, if it would
	// have to execute a stage. The Dagger module tries this first, because a
	// container with access to the engine takes longer to start.
	withoutEngine bool
}

func (f *executorFlags) add(p *pflag.FlagSet) {
	p.StringVar(&f.name, "executor", "local", "where stages run: local (processes on this machine) or dagger (containers of a Dagger engine)")
	p.StringVar(&f.isolation, "isolation", "", "with local: auto restricts stages to the declared files and network if the system supports it; off does not (default: TOUCHSTONE_ISOLATION, or auto)")
	p.StringVar(&f.image, "container-image", "", "with dagger: the image for stages that need other programs and name no image, NAME@sha256:DIGEST or dir:PATH")
	p.StringVar(&f.binary, "container-binary", "", "with dagger: a static Linux build of touchstone for the containers (default: this program)")
	p.BoolVar(&f.withoutEngine, "without-engine", false, "with dagger: do not connect to the engine, and exit with status 75 if a stage has to run")
	_ = p.MarkHidden("without-engine")
}

// executor returns the selected executor, and the tools that identify its programs.
func (f *executorFlags) executor(root, store string, index *cache.StatIndex) (engine.Executor, engine.Tools, error) {
	host := &tools{HostTools: engine.HostTools{Index: index}}
	switch f.name {
	case "local":
		sandbox, err := f.sandbox(root, store)
		if err != nil {
			return nil, nil, err
		}
		return local.Executor{Grace: termGrace, Sandbox: sandbox}, host, nil
	case "dagger":
		images := dagger.Images{Root: root, Default: f.image}
		tools := &dagger.Tools{Images: images, Host: host, Index: index}
		if f.withoutEngine {
			return noEngine{}, tools, nil
		}
		return &dagger.Executor{Images: images, Binary: f.binary, Identify: ownIdentity, Grace: termGrace}, tools, nil
	default:
		return nil, nil, &exitError{exitUsage, fmt.Errorf("unknown --executor %q: use local or dagger", f.name)}
	}
}

// sandbox returns the sandbox for local stages.
func (f *executorFlags) sandbox(root, store string) (*local.Sandbox, error) {
	isolation, from := f.isolation, "--isolation"
	if isolation == "" {
		isolation, from = os.Getenv("TOUCHSTONE_ISOLATION"), "TOUCHSTONE_ISOLATION"
	}
	switch isolation {
	case "off":
		return local.NoSandbox(), nil
	case "", "auto":
	default:
		return nil, &exitError{exitUsage, fmt.Errorf("unknown %s %q: use auto or off", from, isolation)}
	}
	hidden := []string{root, store}
	if home, err := os.UserHomeDir(); err == nil {
		hidden = append(hidden, home)
	}
	return local.NewSandbox(hidden...), nil
}

// jobs returns the default number of stages that run at once. An engine may be a larger
// machine, and this process mostly waits for it.
func (f *executorFlags) jobs() int {
	if f.name == "dagger" {
		return max(8, runtime.NumCPU())
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

// newInsideCommand returns the command that the dagger executor starts in each container,
// unless it was already handled before main: see package inside.
func newInsideCommand() *cobra.Command {
	return &cobra.Command{
		Use: inside.Verb, Short: "Run a stage inside its container", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inside.Run(cmd.Context(), func(command []string) (string, error) {
				return ownIdentity(&pipeline.Instance{Command: command})
			})
		},
	}
}
