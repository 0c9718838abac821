package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"dagger/touchstone/internal/dagger"
)

// Paths in the planner's container, and exit statuses.
const (
	treeDir  = "/tree"
	storeDir = "/store"
	program  = "/touchstone"
	outDir   = "/out"

	refreshProgram = "/usr/local/bin/touchstone" // where upstreams.hcl finds it

	// rootsPath is the file of certificate authorities, in the module's own container
	// and in the planner's.
	rootsPath = "/etc/ssl/certs/ca-certificates.crt"

	// rootsFile is the copy of this file in the working directory of the module's own container.
	rootsFile = "certificate-authorities.pem"

	// stampName is the name of the file in which touchstone records what it wrote to
	// a directory.
	stampName = ".touchstone-published.json"

	// reportCommand is the command that copies the reports out of the engine.
	reportCommand = "dagger call report export --path reports"

	// answerFile is where the gate writes whether its verdict may be shown again.
	answerFile = "/answer.json"

	// needsEngine is the exit status of --without-engine if a stage must run.
	needsEngine = 75

	// buildFailed is the exit status if touchstone could not be built. It is not
	// 1, which means that the gate failed.
	buildFailed = 5
)

// image returns a container with the root filesystem given by --container-image.
func (t *Touchstone) image() (*dagger.Container, error) {
	dir, isDir := strings.CutPrefix(t.ContainerImage, "dir:")
	switch {
	case t.ContainerImage == "":
		return dag.Container(), nil
	case isDir:
		return dag.Container().WithRootfs(t.Source.Directory(dir)), nil
	case strings.Contains(t.ContainerImage, "@sha256:"):
		return dag.Container().From(t.ContainerImage), nil
	}
	return nil, fmt.Errorf("image %q is not pinned: a tag may refer to a different image tomorrow; write "+
		"NAME@sha256:DIGEST, or dir:PATH for a directory of the source", t.ContainerImage)
}

// withVariables adds variables and secrets to a container.
func withVariables(c *dagger.Container, list []Variable) *dagger.Container {
	for _, v := range list {
		if v.Secret != nil {
			c = c.WithSecretVariable(v.Name, v.Secret)
		} else {
			c = c.WithEnvVariable(v.Name, v.Value)
		}
	}
	return c
}

// planner runs the command line with access to the engine.
func (t *Touchstone) planner(flags []string, verb ...string) *dagger.Container {
	return t.exec(dagger.ReturnTypeSuccess, flags, verb...)
}

func (t *Touchstone) exec(expect dagger.ReturnType, flags []string, verb ...string) *dagger.Container {
	// Keep the engine's init process, which nested sessions use.
	return t.command(flags, verb...).exec(dagger.ContainerWithExecOpts{Expect: expect,
		ExperimentalPrivilegedNesting: true})
}

// withRoots adds the certificate authorities of the module's own container, in which the
// engine also installs its own. Without them, the planner could not verify the certificate
// of a remote cache, because its container holds nothing but the program. They are passed as
// a file, because the engine prints the arguments of calls, and these are 200 kB.
func withRoots(c *dagger.Container) *dagger.Container {
	roots, err := os.ReadFile(rootsPath)
	if err != nil {
		return c
	}

	if err := os.WriteFile(rootsFile, roots, 0o644); err != nil {
		return c.WithNewFile(rootsPath, string(roots))
	}

	return c.WithFile(rootsPath, dag.CurrentModule().WorkdirFile(rootsFile))
}

// command is a command line of touchstone on the tree.
type command struct {
	in   *dagger.Container
	argv []string
}

// with returns the command in a changed container.
func (c command) with(change func(*dagger.Container) *dagger.Container) command {
	return command{change(c.in), c.argv}
}

func (c command) exec(opts dagger.ContainerWithExecOpts) *dagger.Container {
	return c.in.
		// Without a unique variable, the engine may return the container of an
		// earlier call from its cache instead of running the planner.
		WithEnvVariable("TOUCHSTONE_CALL", rand.Text()).
		WithExec(c.argv, opts)
}

// command is a verb that plans or runs the pipeline.
func (t *Touchstone) command(flags []string, verb ...string) command {
	return t.localCommand(flags, verb...).with(withRoots)
}

// localCommand is a verb that plans or runs the pipeline and connects to nothing but the engine.
func (t *Touchstone) localCommand(flags []string, verb ...string) command {
	return t.cacheCommand(append(append(t.pipelineFlags(), "--executor", "dagger"), flags...), verb...).
		with(func(planner *dagger.Container) *dagger.Container {
			if t.ContainerImage == "" {
				return planner
			}
			return planner.WithEnvVariable("TOUCHSTONE_CONTAINER_IMAGE", t.ContainerImage)
		})
}

// pipelineFlags select the pipeline and set its variables.
func (t *Touchstone) pipelineFlags() []string {
	flags := []string{"--file", t.File}
	for _, v := range t.Vars {
		flags = append(flags, "--var", v)
	}
	return flags
}

// cacheCommand is a verb that uses the cache and the source.
func (t *Touchstone) cacheCommand(flags []string, verb ...string) command {
	argv := append([]string{program}, verb...)
	argv = append(argv, "--cache-dir", storeDir)
	planner := dag.Container().
		WithFile(program, t.Program).
		WithDirectory(treeDir, t.Source).
		WithWorkdir(treeDir).
		WithMountedCache(storeDir, dag.CacheVolume("touchstone-store")).
		WithEnvVariable("TOUCHSTONE_REPORT_COMMAND", reportCommand).
		WithMountedTemp("/tmp")
	return command{withVariables(planner, append(slices.Clone(t.Remote), t.Environment...)), append(argv, flags...)}
}

// gate runs the gate and returns the ended container and its exit status. Usually there
// is nothing to execute. So gate first tries a container without access to the engine:
// access needs the engine's init process and a session, which take a third of the time.
func (t *Touchstone) gate(ctx context.Context, flags []string) (*dagger.Container, int, error) {
	return t.withEngine(ctx, t.command(hitsOnly(flags), "gate").exec(withoutEngine), flags)
}

// withoutEngine are the options of a container without access to the engine.
var withoutEngine = dagger.ContainerWithExecOpts{Expect: dagger.ReturnTypeAny, NoInit: true}

// hitsOnly are the flags of a gate without access to the engine.
func hitsOnly(flags []string) []string { return append([]string{"--without-engine"}, flags...) }

// withEngine returns an ended container without access to the engine and its exit status, or those of one with
// access if a stage has to run.
func (t *Touchstone) withEngine(ctx context.Context, ended *dagger.Container, flags []string) (*dagger.Container, int,
	error) {
	code, err := ended.ExitCode(ctx)
	if err != nil || code != needsEngine {
		return ended, code, err
	}
	ended = t.exec(dagger.ReturnTypeAny, flags, "gate")
	code, err = ended.ExitCode(ctx)
	return ended, code, err
}

// maxAnswers limits the answers that the engine may keep for one tree.
const maxAnswers = 3

// repeatedGate is a gate whose verdict the engine's cache may hold. The cached container is that of an earlier
// call with the same tree, variables and program. It is not used if it had no verdict, because a stage may
// have run since, or if touchstone says that the verdict may change. Then an equal command with another
// number is tried, which the engine may also have in its cache. The command does not ask a remote cache, for
// which it would need certificate authorities.
func (t *Touchstone) repeatedGate(ctx context.Context, flags []string) (*dagger.Container, int, error) {
	secret := func(v Variable) bool { return v.Secret != nil }
	if len(t.Remote) > 0 || slices.ContainsFunc(t.Environment, secret) {
		return t.gate(ctx, flags)
	}

	called := time.Now()
	for n := range maxAnswers {
		c := t.localCommand(hitsOnly(append([]string{"--answer", answerFile}, flags...)), "gate")
		ended := c.in.WithEnvVariable("TOUCHSTONE_REMOTE_MODE", "off").
			WithEnvVariable("TOUCHSTONE_CALL", strconv.Itoa(n)).
			WithExec(c.argv, withoutEngine)
		text, err := ended.File(answerFile).Contents(ctx)
		if err != nil { // the command line is wrong
			return t.gate(ctx, flags)
		}

		var answer struct {
			Given time.Time
			Holds bool
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			return nil, 0, fmt.Errorf("read the answer of the gate: %w", err)
		}

		if answer.Holds || answer.Given.After(called) {
			return t.withEngine(ctx, ended, flags)
		}
	}
	return t.gate(ctx, flags)
}

// failed returns the error of a command that ended with an exit status, in the form in
// which Dagger passes errors of commands from a module to its caller. The call then ends
// with that status and prints the output of the command.
func (t *Touchstone) failed(ctx context.Context, ended *dagger.Container, code int, stdout string) error {
	stderr, err := ended.Stderr(ctx)
	if err != nil {
		return err
	}
	return &gqlerror.Error{
		Message: fmt.Sprintf("touchstone ended with exit status %d", code),
		Extensions: map[string]any{"_type": "EXEC_ERROR", "cmd": []string{program}, "exitCode": code, "stdout": stdout,
			"stderr": stderr},
	}
}

// runFlags returns the flags of commands that execute stages.
func runFlags(force, keepGoing bool, jobs int) []string {
	var flags []string
	if force {
		flags = append(flags, "--force")
	}
	if keepGoing {
		flags = append(flags, "--keep-going")
	}
	if jobs != 0 {
		flags = append(flags, "--jobs", strconv.Itoa(jobs))
	}
	return flags
}
