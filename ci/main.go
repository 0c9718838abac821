// Touchstone evaluates MCP proxies: every stage of pipeline.hcl runs in its own
// container, and no unchanged stage is computed twice.
//
// The functions run the touchstone command line next to the engine. It plans the run,
// finds cached results and starts the containers, so the pipeline is only declared in
// pipeline.hcl and this module names no stage. Results are kept in the cache volume
// touchstone-store.
//
// Functions that judge or measure are excluded from Dagger's function cache: each call
// runs the planner, which takes a fraction of a second if all stages are cached. So a
// verdict is never older than its inputs.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

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

	// needsEngine is the exit status of --without-engine if a stage must run.
	needsEngine = 75

	// buildFailed is the exit status if touchstone could not be built. It is not
	// 1, which means that the gate failed.
	buildFailed = 5

	// noVerdict is the exit status of a gate that did not judge. It has reports.
	noVerdict = 6
)

// Touchstone is a tree with a pipeline and the touchstone program.
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

// Variable is an environment variable of the planner.
type Variable struct {
	// +private
	Name string
	// +private
	Value string
	// +private
	Secret *dagger.Secret
}

func New(
	// The tree of this project: the source of touchstone, and the pipeline unless
	// another source is given.
	// +defaultPath="/"
	// +ignore=[".git", "**/.git", "/reports", "/docs", "/bench", "/*.md", "**/node_modules", "**/*_test.go", "**/testdata", ".dagger", ".github", "/ci/internal", "/ci/dagger.gen.go"]
	code *dagger.Directory,
	// Another tree, with the pipeline and its inputs.
	// +optional
	// +ignore=[".git", "**/.git", "/reports", "**/node_modules"]
	source *dagger.Directory,
	// A static Linux build of touchstone, to use instead of building one.
	// +optional
	binary *dagger.File,
	// Set a variable of the pipeline, name=value. Use with-var for a value with a
	// quote or a comma.
	// +optional
	vars []string,
	// The pipeline: a directory or a file of the source. pipeline.hcl stands for all
	// pipeline files in its directory.
	// +default="pipeline.hcl"
	file string,
	// The image for refreshing the corpus and for stages that run programs other than
	// touchstone without naming an image: NAME@sha256:DIGEST, or dir:PATH for a
	// directory of the source.
	// +optional
	containerImage string,
) *Touchstone {
	t := &Touchstone{Source: source, Code: code, Program: binary, Vars: vars, File: file, ContainerImage: containerImage}
	if source == nil {
		t.Source = code
	}
	if binary == nil {
		// Only init uses the pipeline and the data embedded in the program. Without
		// them, an edit of a dataset does not rebuild the program.
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

// WithSecret passes a secret to the stages that request it as env:NAME.
// +cache="session"
func (t *Touchstone) WithSecret(name string, value *dagger.Secret) *Touchstone {
	t.Environment = append(t.Environment, Variable{Name: name, Secret: value})
	return t
}

// WithEnv passes an environment variable to the stages that declare it.
func (t *Touchstone) WithEnv(name, value string) *Touchstone {
	t.Environment = append(t.Environment, Variable{Name: name, Value: value})
	return t
}

// WithVar sets a variable of the pipeline. Its value may contain any character.
func (t *Touchstone) WithVar(name, value string) *Touchstone {
	t.Vars = append(t.Vars, name+"="+value)
	return t
}

// Gate runs changed stages and evaluates the verdict; its exit status is the verdict.
//
// Prints the summary if the gate passes. Otherwise the exit status is that of the
// command line: 1 the gate failed, 2 the pipeline is invalid, 3 a stage failed, 4 a
// dataset is invalid, 6 no verdict. It is 5 if touchstone could not be built.
// +cache="never"
func (t *Touchstone) Gate(
	ctx context.Context,
	// Execute every stage, even if its result is cached.
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

// Report returns the directory of reports, even if the gate failed or has no verdict.
//
// The exit status of any other failure is that of the function gate.
// +cache="never"
func (t *Touchstone) Report(ctx context.Context) (*dagger.Directory, error) {
	ended, code, err := t.gate(ctx)
	if err != nil {
		return nil, err
	}
	if code > 1 && code != noVerdict {
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

// Plan reports for each stage instance whether it is cached, and if not, why.
// +cache="never"
func (t *Touchstone) Plan(ctx context.Context) (string, error) {
	return t.planner(nil, "plan").Stdout(ctx)
}

// Run brings the selected stages up to date, by default all stages.
// +cache="never"
func (t *Touchstone) Run(
	ctx context.Context,
	// Only this stage or instance.
	// +optional
	only []string,
	// This stage or instance and everything that depends on it.
	// +optional
	from []string,
	// This stage or instance and everything that it depends on.
	// +optional
	until []string,
	// Execute the selected stages, even if their results are cached.
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

// Stage brings one stage up to date and returns its outputs.
// +cache="never"
func (t *Touchstone) Stage(
	// The stage.
	name string,
	// One instance of its matrix, AXIS=VALUE,...; by default all instances.
	// +optional
	instance string,
) *dagger.Directory {
	if instance != "" {
		name += "[" + instance + "]"
	}
	return t.planner([]string{"--until", name, "--output", outDir}, "run").Directory(outDir)
}

// Baseline measures now and returns a candidate for a new baseline.
//
// The thresholds of the present baseline are kept.
// +cache="never"
func (t *Touchstone) Baseline(
	// The present baseline, relative to the source.
	// +default="datasets/baseline_v1.json"
	path string,
) *dagger.File {
	return t.planner([]string{"--baseline", path}, "baseline", "update").File(treeDir + "/" + path)
}

// RefreshCorpus reads the next version of the corpus from real servers.
//
// It queries the servers that upstreams.hcl pins, and returns a directory that only
// contains the new file. It uses the network, and no ordinary run includes it. The servers are
// installed and started in the image given with --container-image.
// +cache="never"
func (t *Touchstone) RefreshCorpus(
	ctx context.Context,
	// The directory of the source with the corpora and upstreams.hcl.
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
	return nil, fmt.Errorf("image %q is not pinned: a tag may refer to a different image tomorrow; write NAME@sha256:DIGEST, or dir:PATH for a directory of the source", t.ContainerImage)
}

// environment adds the variables and secrets to a container.
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

// Build returns the static touchstone program.
func (t *Touchstone) Build() *dagger.File {
	return t.build(t.Code)
}

func (t *Touchstone) build(code *dagger.Directory) *dagger.File {
	// This module runs in a container with a Go toolchain, so no other image is
	// pulled: the build uses the module's container, made from the same files.
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

// planner runs the command line with access to the engine.
func (t *Touchstone) planner(flags []string, verb ...string) *dagger.Container {
	return t.exec(dagger.ReturnTypeSuccess, flags, verb...)
}

func (t *Touchstone) exec(expect dagger.ReturnType, flags []string, verb ...string) *dagger.Container {
	// Keep the engine's init process, which nested sessions use.
	return t.command(flags, verb...).exec(dagger.ContainerWithExecOpts{Expect: expect, ExperimentalPrivilegedNesting: true})
}

// command is a command line of touchstone on the tree.
type command struct {
	in   *dagger.Container
	argv []string
}

func (c command) exec(opts dagger.ContainerWithExecOpts) *dagger.Container {
	return c.in.
		// Without a unique variable, the engine may return the container of an
		// earlier call from its cache instead of running the planner.
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

// gate runs the gate and returns the ended container and its exit status. Usually there
// is nothing to execute. So gate first tries a container without access to the engine:
// access needs the engine's init process and a session, which take a third of the time.
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

// failed returns the error of a command that ended with an exit status, in the form in
// which Dagger passes errors of commands from a module to its caller. The call then ends
// with that status and prints the output of the command.
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
