// Touchstone evaluates MCP proxies: every stage of pipeline.hcl runs in a
// container of its own, and nothing unchanged is ever computed twice.
//
// The functions run this project's own command line next to the engine: it
// plans, decides what is a hit and starts the containers, so the pipeline is
// declared once and no stage is named here. Results are kept in the cache
// volume touchstone-store.
//
// Dagger's function cache never answers for a function that judges or measures:
// each call runs the planner, which takes a fraction of a second where all
// stages are hits. So no verdict can be older than the inputs it stands for.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"dagger/touchstone/internal/dagger"
)

// Where things are in the planner's container.
const (
	treeDir  = "/tree"
	storeDir = "/store"
	program  = "/touchstone"
	outDir   = "/out"

	refreshProgram = "/usr/local/bin/touchstone" // where upstreams.hcl finds it

	// needsEngine is the exit status of --without-engine where a stage has to run.
	needsEngine = 75

	// buildFailed is the exit status of a call whose touchstone could not be
	// built: 1 would say that the gate failed.
	buildFailed = 5
)

// Touchstone is a tree with a pipeline, and the program that runs it.
type Touchstone struct {
	// +private
	Source *dagger.Directory
	// +private
	Code *dagger.Directory
	// +private
	Program *dagger.File
	// +private
	Vars []string
	// +private
	File string
	// +private
	ContainerImage string
	// +private
	Environment []Variable
}

// Variable is one variable of the planner's environment.
type Variable struct {
	// +private
	Name string
	// +private
	Value string
	// +private
	Secret *dagger.Secret
}

func New(
	// This project's tree: the source of touchstone, and the pipeline where no
	// other source is named.
	// +defaultPath="/"
	// +ignore=[".git", "**/.git", "/reports", "/docs", "/bench", "/*.md", "**/node_modules", "**/*_test.go", "**/testdata", ".dagger", ".github", "/ci/internal", "/ci/dagger.gen.go"]
	code *dagger.Directory,
	// Another tree that holds the pipeline and what it reads.
	// +optional
	// +ignore=[".git", "**/.git", "/reports", "**/node_modules"]
	source *dagger.Directory,
	// A static Linux build of touchstone, to use instead of building one.
	// +optional
	binary *dagger.File,
	// Set a variable of the pipeline, name=value. A value with a quote or a
	// comma goes through with-var.
	// +optional
	vars []string,
	// The pipeline to read: a directory or a file of the source. pipeline.hcl
	// stands for all pipeline files of its directory.
	// +default="pipeline.hcl"
	file string,
	// The image for stages that run other programs than touchstone and name
	// none, and for servers that are refreshed from: NAME@sha256:DIGEST, or
	// dir:PATH for a directory of the source.
	// +optional
	containerImage string,
) *Touchstone {
	t := &Touchstone{Source: source, Code: code, Program: binary, Vars: vars, File: file, ContainerImage: containerImage}
	if source == nil {
		t.Source = code
	}
	if binary == nil {
		// Only init needs the pipeline and the data that the program carries:
		// without them an edit of a dataset builds nothing.
		bare := code.
			Filter(dagger.DirectoryFilterOpts{Exclude: []string{"examples", "datasets", "pipeline.hcl", "variables.hcl", "proxy.hcl"}}).
			WithNewFile("datasets/none.json", "").
			WithNewFile("datasets/upstreams.hcl", "").
			WithNewFile("datasets/upstreams/none.json", "").
			WithNewFile("pipeline.hcl", "").
			WithNewFile("variables.hcl", "").
			WithNewFile("proxy.hcl", "")
		t.Program = t.build(bare)
	}
	return t
}

// WithSecret hands a secret to the stages that ask for it, as env:NAME.
// +cache="session"
func (t *Touchstone) WithSecret(name string, value *dagger.Secret) *Touchstone {
	t.Environment = append(t.Environment, Variable{Name: name, Secret: value})
	return t
}

// WithEnv hands an environment variable to the stages that pass it on.
func (t *Touchstone) WithEnv(name, value string) *Touchstone {
	t.Environment = append(t.Environment, Variable{Name: name, Value: value})
	return t
}

// WithVar sets a variable of the pipeline, whatever its value holds.
func (t *Touchstone) WithVar(name, value string) *Touchstone {
	t.Vars = append(t.Vars, name+"="+value)
	return t
}

// Gate runs what changed and judges it; its exit status is the verdict.
//
// The summary is printed where the gate passes. Where it fails, the exit
// status is the command line's: 1 the gate failed, 2 the pipeline is wrong, 3 a
// stage failed, 4 a dataset is invalid. It is 5 where touchstone could not be
// built.
// +cache="never"
func (t *Touchstone) Gate(
	ctx context.Context,
	// Execute every stage, also where it is a hit.
	// +optional
	force bool,
) (string, error) {
	if force {
		return t.planner(flag("--force", force), "gate").Stdout(ctx)
	}
	ended, code, err := t.gate(ctx)
	if err != nil {
		return "", err
	}
	stdout, err := ended.Stdout(ctx)
	if err != nil || code == 0 {
		return stdout, err
	}
	return "", t.failed(ctx, ended, code, stdout)
}

// Report is the directory of reports, also of a gate that failed.
//
// The exit status of any other failure is that of the function gate.
// +cache="never"
func (t *Touchstone) Report(ctx context.Context) (*dagger.Directory, error) {
	ended, code, err := t.gate(ctx)
	if err != nil {
		return nil, err
	}
	if code > 1 {
		return nil, t.failed(ctx, ended, code, "")
	}
	return ended.Directory(treeDir + "/reports"), nil
}

// ServeReport serves the reports over HTTP, for "dagger call serve-report up".
// +cache="never"
func (t *Touchstone) ServeReport(ctx context.Context) (*dagger.Service, error) {
	reports, err := t.Report(ctx)
	if err != nil {
		return nil, err
	}
	return dag.Container().
		WithFile(program, t.Program).
		WithDirectory(outDir, reports).
		WithExposedPort(8321).
		AsService(dagger.ContainerAsServiceOpts{Args: []string{program, "report", "serve", "--listen", "0.0.0.0:8321", outDir}}), nil
}

// Plan says for each stage instance whether it is a hit, and why not.
// +cache="never"
func (t *Touchstone) Plan(ctx context.Context) (string, error) {
	return t.planner(nil, "plan").Stdout(ctx)
}

// Run brings the selected stages up to date, by default all of them.
// +cache="never"
func (t *Touchstone) Run(
	ctx context.Context,
	// This stage or instance and nothing else.
	// +optional
	only []string,
	// This stage or instance and all that depends on it.
	// +optional
	from []string,
	// This stage or instance and all that it needs.
	// +optional
	until []string,
	// Execute the selected stages, also where they are hits.
	// +optional
	force bool,
) (string, error) {
	flags := flag("--force", force)
	for _, selected := range []struct {
		flag   string
		stages []string
	}{{"--only", only}, {"--from", from}, {"--until", until}} {
		for _, s := range selected.stages {
			flags = append(flags, selected.flag, s)
		}
	}
	return t.planner(flags, "run").Stdout(ctx)
}

// Stage is the outputs of one stage, brought up to date.
// +cache="never"
func (t *Touchstone) Stage(
	// The stage.
	name string,
	// One cell of its matrix, AXIS=VALUE,...; all of them by default.
	// +optional
	instance string,
) *dagger.Directory {
	if instance != "" {
		name += "[" + instance + "]"
	}
	return t.planner([]string{"--until", name, "--output", outDir}, "run").Directory(outDir)
}

// Baseline is the candidate for a new baseline, measured now.
//
// The thresholds of the present one are kept.
// +cache="never"
func (t *Touchstone) Baseline(
	// The present baseline, relative to the source.
	// +default="datasets/baseline_v1.json"
	path string,
) *dagger.File {
	return t.planner([]string{"--baseline", path}, "baseline", "update").File(treeDir + "/" + path)
}

// RefreshCorpus is the next version of the corpus, read from real servers.
//
// It asks those that upstreams.hcl pins, and is a directory with the new file
// and nothing else. It reaches the network, and no ordinary run has it. The servers are installed
// and started in the image that --container-image names.
// +cache="never"
func (t *Touchstone) RefreshCorpus(
	ctx context.Context,
	// The directory of the corpora and of upstreams.hcl, in the source.
	// +default="datasets"
	dir string,
	// Servers that may fail or list fewer tools than before.
	// +optional
	allowMissing []string,
) (*dagger.Directory, error) {
	image, err := t.image()
	if err != nil {
		return nil, err
	}
	argv := []string{refreshProgram, "refresh", "--dir", dir}
	for _, name := range allowMissing {
		argv = append(argv, "--allow-missing="+name)
	}
	path, err := image.EnvVariable(ctx, "PATH")
	if err != nil {
		return nil, err
	}
	if path == "" {
		path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	}
	ended := t.environment(image).
		WithFile(refreshProgram, t.Program).
		WithEnvVariable("PATH", path).
		WithMountedTemp("/tmp").
		WithDirectory(treeDir, t.Source).
		WithWorkdir(treeDir).
		WithEnvVariable("TOUCHSTONE_CALL", rand.Text()).
		WithExec(argv)
	return t.Source.Directory(dir).Diff(ended.Directory(treeDir + "/" + dir)), nil
}

// image is the root filesystem that --container-image names.
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
	return nil, fmt.Errorf("image %q is not pinned: a tag may name other bytes tomorrow; write NAME@sha256:DIGEST, or dir:PATH for a directory of the source", t.ContainerImage)
}

// environment hands variables and secrets to a container.
func (t *Touchstone) environment(c *dagger.Container) *dagger.Container {
	for _, v := range t.Environment {
		if v.Secret != nil {
			c = c.WithSecretVariable(v.Name, v.Secret)
		} else {
			c = c.WithEnvVariable(v.Name, v.Value)
		}
	}
	return c
}

// Build is the static touchstone program.
func (t *Touchstone) Build() *dagger.File {
	return t.build(t.Code)
}

func (t *Touchstone) build(code *dagger.Directory) *dagger.File {
	// A Go toolchain is where this module runs, so none is pulled. Its
	// container is that of this module, made of the same files.
	return t.Code.Filter(dagger.DirectoryFilterOpts{Include: []string{"dagger.json", "ci"}}).AsModule().Runtime().
		WithoutEntrypoint().
		WithMountedCache("/go/pkg/mod", dag.CacheVolume("touchstone-go-mod")).
		WithMountedCache("/root/.cache/go-build", dag.CacheVolume("touchstone-go-build")).
		WithMountedDirectory("/src", code).
		WithWorkdir("/src").
		WithEnvVariable("CGO_ENABLED", "0").
		WithExec([]string{"sh", "-c", fmt.Sprintf(
			"go build -trimpath -buildvcs=false -ldflags '-s -w' -o %s ./cmd/touchstone || exit %d", program, buildFailed)}).
		File(program)
}

// planner runs the command line with access to the engine that runs it.
func (t *Touchstone) planner(flags []string, verb ...string) *dagger.Container {
	return t.exec(dagger.ReturnTypeSuccess, flags, verb...)
}

func (t *Touchstone) exec(expect dagger.ReturnType, flags []string, verb ...string) *dagger.Container {
	// The engine's init process has to stay: sessions from within go through it.
	return t.command(flags, verb...).exec(dagger.ContainerWithExecOpts{Expect: expect, ExperimentalPrivilegedNesting: true})
}

// command is the command line on the tree, ready to run.
type command struct {
	in   *dagger.Container
	argv []string
}

func (c command) exec(opts dagger.ContainerWithExecOpts) *dagger.Container {
	return c.in.
		// The engine may answer an earlier run's container from its cache;
		// this makes the planner look again.
		WithEnvVariable("TOUCHSTONE_CALL", rand.Text()).
		WithExec(c.argv, opts)
}

func (t *Touchstone) command(flags []string, verb ...string) command {
	argv := append([]string{program}, verb...)
	argv = append(argv, "--file", t.File, "--executor", "dagger", "--cache-dir", storeDir)
	if t.ContainerImage != "" {
		argv = append(argv, "--container-image", t.ContainerImage)
	}
	for _, v := range t.Vars {
		argv = append(argv, "--var", v)
	}
	planner := dag.Container().
		WithFile(program, t.Program).
		WithDirectory(treeDir, t.Source).
		WithWorkdir(treeDir).
		WithMountedCache(storeDir, dag.CacheVolume("touchstone-store")).
		WithMountedTemp("/tmp")
	return command{t.environment(planner), append(argv, flags...)}
}

// gate runs the gate and gives what ended and its exit status. Most often there
// is nothing to execute. So it is tried first in a container that cannot reach
// the engine: one that can needs the engine's init process and a session, which
// take a third of its time.
func (t *Touchstone) gate(ctx context.Context) (*dagger.Container, int, error) {
	ended := t.command([]string{"--without-engine"}, "gate").exec(dagger.ContainerWithExecOpts{Expect: dagger.ReturnTypeAny, NoInit: true})
	code, err := ended.ExitCode(ctx)
	if err != nil || code != needsEngine {
		return ended, code, err
	}
	ended = t.exec(dagger.ReturnTypeAny, nil, "gate")
	code, err = ended.ExitCode(ctx)
	return ended, code, err
}

// failed is the error of a command that ended with a status, in the form in
// which Dagger's own errors of commands cross from a module to its caller: so
// the call ends with that status, and prints what the command printed.
func (t *Touchstone) failed(ctx context.Context, ended *dagger.Container, code int, stdout string) error {
	stderr, err := ended.Stderr(ctx)
	if err != nil {
		return err
	}
	return &gqlerror.Error{
		Message:    fmt.Sprintf("touchstone ended with exit status %d", code),
		Extensions: map[string]any{"_type": "EXEC_ERROR", "cmd": []string{program}, "exitCode": code, "stdout": stdout, "stderr": stderr},
	}
}

func flag(name string, set bool) []string {
	if !set {
		return nil
	}
	return []string{name}
}
