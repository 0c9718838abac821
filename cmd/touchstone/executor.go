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

// executorFlags choose where stages run.
type executorFlags struct {
	name      string
	image     string
	binary    string
	isolation string
	// withoutEngine ends a run that would have to execute a stage, at once
	// and with a status of its own: the Dagger module asks so first, since a
	// container that reaches the engine takes longer to start.
	withoutEngine bool
}

func (f *executorFlags) add(p *pflag.FlagSet) {
	p.StringVar(&f.name, "executor", "local", "where stages run: local, processes of this machine, or dagger, containers of a Dagger engine")
	p.StringVar(&f.isolation, "isolation", "", "with local: auto holds stages to the files and the network that they declare, where the system can; off does not (default: TOUCHSTONE_ISOLATION, or auto)")
	p.StringVar(&f.image, "container-image", "", "with dagger: what stages without an image run in when they need other programs, NAME@sha256:DIGEST or dir:PATH")
	p.StringVar(&f.binary, "container-binary", "", "with dagger: a static Linux build of touchstone for the containers (default: this program)")
	p.BoolVar(&f.withoutEngine, "without-engine", false, "with dagger: reach no engine, and end with status 75 where a stage would have to run")
	_ = p.MarkHidden("without-engine")
}

// executor is the chosen executor, with the tools that name its programs.
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
		return nil, nil, &exitError{exitUsage, fmt.Errorf("--executor %q: use local or dagger", f.name)}
	}
}

// sandbox is what holds local stages.
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
		return nil, &exitError{exitUsage, fmt.Errorf("%s %q: use auto or off", from, isolation)}
	}
	hidden := []string{root, store}
	if home, err := os.UserHomeDir(); err == nil {
		hidden = append(hidden, home)
	}
	return local.NewSandbox(hidden...), nil
}

// jobs is how many stages run at once by default. An engine is mostly waited
// for, and may be a larger machine than this one.
func (f *executorFlags) jobs() int {
	if f.name == "dagger" {
		return max(8, runtime.NumCPU())
	}
	return runtime.NumCPU()
}

// reachExecutor fails at once where stages could not run at all, also when
// all of them would turn out to be hits.
func (s *session) reachExecutor(ctx context.Context) error {
	if _, ok := s.engine.Executor.(*dagger.Executor); ok {
		return dagger.Reach(ctx)
	}
	return nil
}

// noEngine stands for an engine that is not to be reached.
type noEngine struct{}

func (noEngine) Name() string { return (*dagger.Executor)(nil).Name() }

// errNeedsEngine says that a stage would have to run.
var errNeedsEngine = errors.New("a stage has to run, which needs the engine")

func (noEngine) Run(context.Context, *engine.Job) (*engine.Result, error) { return nil, errNeedsEngine }

// hitsOnly is an error where the executor is no engine and a stage would have
// to run. A run would find that out too, and tell of failed stages.
func (s *session) hitsOnly(ctx context.Context) error {
	if s.engine.Executor != (noEngine{}) {
		return nil
	}
	outcomes, err := s.engine.Evaluate(ctx, s.plan)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if o.State != engine.Hit {
			return errNeedsEngine
		}
	}
	return nil
}

// closeExecutor ends what the executor holds open.
func (s *session) closeExecutor() {
	if c, ok := s.engine.Executor.(io.Closer); ok {
		_ = c.Close()
	}
}

// ownIdentity is the identity of this program for an instance that runs it.
func ownIdentity(in *pipeline.Instance) (string, error) {
	tool, err := (&tools{}).Resolve(in)
	return tool.Digest.String(), err
}

// newInsideCommand is what the dagger executor starts in each container, where
// it was not done before main: see package inside.
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
