// Touchstone evaluates MCP proxies: every stage of pipeline.hcl runs in its own
// container, and no unchanged stage is computed twice.
//
// The functions run the touchstone command line next to the engine. It plans the run,
// finds cached results and starts the containers, so the pipeline is only declared in
// pipeline.hcl and this module names no stage. Results are kept in the cache volume
// touchstone-store.
//
// Functions that judge or measure are excluded from Dagger's function cache, so a verdict
// is never older than its inputs. Each call runs the planner, which takes a fraction of a
// second if all stages are cached. Only an unchanged gate shows the end of an earlier call.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	stdpath "path"
	"strings"

	"dagger/touchstone/internal/dagger"
)

// engineMinor is the supported minor version of the engine. Its patch releases are
// compatible.
const engineMinor = "v0.21."

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
	// Remote are variables of the planner only.
	// +private
	Remote []Variable
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
	ctx context.Context,
	// The tree of the module: the source of touchstone, and the pipeline unless another
	// source is given.
	// +defaultPath="/"
	// +ignore=[".git", "**/.git", "**/.touchstone", "/.worktrees", "/worktrees", "/reports", "/build", "/dist", "/touchstone", "/docs/*", "!/docs/scanner", "/bench", "/*.md", "/node_modules", "/*/node_modules", "/packages/*/node_modules", "/apps/*/node_modules", "/datasets/*/node_modules", "!/lib/node_modules", "**/*_test.go", "**/testdata", "**/*.test", "**/*.out", "**/*.prof", "**/*.pprof", ".dagger", ".github", "/ci/internal", "/ci/dagger.gen.go"]
	code *dagger.Directory,
	// Another tree, with the pipeline and its inputs.
	// +optional
	// +ignore=[".git", "**/.git", "**/.touchstone", "/.worktrees", "/worktrees", "/reports", "/node_modules", "/*/node_modules", "/packages/*/node_modules", "/apps/*/node_modules", "/datasets/*/node_modules", "!/lib/node_modules", "**/*.prof", "**/*.pprof"]
	source *dagger.Directory,
	// A static Linux build of touchstone, to use instead of a release.
	// +optional
	binary *dagger.File,
	// The release of touchstone to use, such as 0.1.0. By default the release that the
	// module names. If it names none, touchstone is built from the tree of the module.
	// +optional
	version string,
	// The SHA-256 digest of the release's archive for the engine's platform. By default
	// the one that the module names, or the one in the release's checksums.txt.
	// +optional
	digest string,
	// The address of the releases, for a mirror.
	// +default="https://github.com/touchstone-eval/touchstone/releases/download"
	downloads string,
	// Build touchstone from the tree of the module, even if the module names a release.
	// +optional
	build bool,
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
	// A cache that machines share, grpcs://HOST[:PORT][/INSTANCE]. By default the
	// pipeline's.
	// +optional
	remoteCache string,
	// What is done with it: read, read-write or off. By default what the pipeline says,
	// or read.
	// +optional
	remoteMode string,
	// The value of the header authorization for it, such as "Bearer TOKEN".
	// +optional
	remoteAuthorization *dagger.Secret,
	// The private key of OpenSSH that signs what is written to it.
	// +optional
	remoteSign *dagger.Secret,
) (*Touchstone, error) {
	engine, err := dag.Version(ctx)
	if err != nil {
		return nil, err
	}

	if !strings.HasPrefix(engine, engineMinor) {
		return nil, fmt.Errorf("the Dagger engine has version %s, but this module needs %sx: run such an engine",
			engine, engineMinor)
	}

	t := &Touchstone{Source: source, Code: code, Program: binary, Vars: vars, File: file,
		ContainerImage: containerImage}
	t.Remote = remoteVariables(remoteCache, remoteMode, remoteAuthorization, remoteSign)
	if source == nil {
		t.Source = code
	}

	if given := countTrue(binary != nil, version != "", build); given > 1 {
		return nil, fmt.Errorf("only one of --binary, --version and --build can be given")
	}

	if digest != "" && version == "" {
		return nil, fmt.Errorf("--digest belongs to a release: also give its --version")
	}

	if version == "" && !build {
		version = release.version
	}

	switch {
	case binary != nil:
	case version != "":
		if t.Program, err = fetch(ctx, downloads, version, digest); err != nil {
			return nil, err
		}
	default:
		t.Program = t.buildBare()
	}

	return t, nil
}

func countTrue(conditions ...bool) int {
	n := 0
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
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
// +check
func (t *Touchstone) Gate(
	ctx context.Context,
	// Execute every stage, even if its result is cached.
	// +optional
	force bool,
	// After a failure, continue with stages that do not depend on it.
	// +optional
	keepGoing bool,
	// How many stages run at once.
	// +optional
	jobs int,
) (string, error) {
	flags := runFlags(force, keepGoing, jobs)
	if force {
		return t.planner(flags, "gate").Stdout(ctx)
	}

	ended, code, err := t.repeatedGate(ctx, flags)
	if err != nil {
		return "", err
	}

	stdout, err := ended.Stdout(ctx)
	if err != nil || code == 0 {
		return stdout, err
	}

	return "", t.failed(ctx, ended, code, stdout)
}

// Report returns the directory of reports, even if the gate failed.
//
// If there is no verdict, because a stage failed or a dataset is invalid, the reports say why.
// The exit status of a failure without reports is that of the function gate.
// +cache="never"
func (t *Touchstone) Report(
	ctx context.Context,
	// How many stages run at once.
	// +optional
	jobs int,
) (*dagger.Directory, error) {
	ended, code, err := t.gate(ctx, runFlags(false, false, jobs))
	if err != nil {
		return nil, err
	}

	if code > 1 {
		written, err := ended.Exists(ctx, treeDir+"/reports/report.html")
		if err != nil {
			return nil, err
		}

		if !written {
			return nil, t.failed(ctx, ended, code, "")
		}
	}

	return withoutStamp(ended.Directory(treeDir + "/reports")), nil
}

// ServeReport serves the reports over HTTP, for "dagger call serve-report up".
// +cache="never"
func (t *Touchstone) ServeReport(ctx context.Context) (*dagger.Service, error) {
	reports, err := t.Report(ctx, 0)
	if err != nil {
		return nil, err
	}
	return dag.Container().
		WithFile(program, t.Program).
		WithDirectory(outDir, reports).
		WithExposedPort(8321).
		AsService(dagger.ContainerAsServiceOpts{Args: []string{program, "report", "serve", "--listen", "0.0.0.0:8321",
			outDir}}), nil
}

// Plan reports for each stage instance whether it is cached, and if not, why.
// +cache="never"
func (t *Touchstone) Plan(ctx context.Context) (string, error) {
	return t.planner(nil, "plan").Stdout(ctx)
}

// Explain reports which of a stage's inputs changed, and where its result is from.
// +cache="never"
func (t *Touchstone) Explain(
	ctx context.Context,
	// The stage, or one instance of its matrix such as score-retrieval[run=1].
	name string,
) (string, error) {
	return t.planner(nil, "explain", name).Stdout(ctx)
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
	// After a failure, continue with stages that do not depend on it.
	// +optional
	keepGoing bool,
	// How many stages run at once.
	// +optional
	jobs int,
) (string, error) {
	flags := runFlags(force, keepGoing, jobs)
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
	// How many stages run at once.
	// +optional
	jobs int,
) *dagger.Directory {
	if instance != "" {
		name += "[" + instance + "]"
	}
	flags := append(runFlags(false, false, jobs), "--until", name, "--output", outDir)
	return withoutStamp(t.planner(flags, "run").Directory(outDir))
}

// Baseline measures now and returns the changes that make the result the baseline.
//
// The thresholds of the present baseline are kept. If the data has another version than
// the present baseline, the changes add a file and leave the present one as it is.
// +cache="never"
func (t *Touchstone) Baseline(
	ctx context.Context,
	// The file to write, relative to the source. By default the baseline that the pipeline
	// names, or the next one if that was made on other data.
	// +optional
	path string,
	// How many stages run at once.
	// +optional
	jobs int,
) (*dagger.Changeset, error) {
	flags := append(runFlags(false, false, jobs), "--json")
	if path != "" {
		flags = append(flags, "--baseline", path)
	}

	ended := t.planner(flags, "baseline", "update")
	stdout, err := ended.Stdout(ctx)
	if err != nil {
		return nil, err
	}

	var written struct{ File string }
	if err := json.Unmarshal([]byte(stdout), &written); err != nil {
		return nil, fmt.Errorf("read the output of baseline update: %w", err)
	}

	return t.Source.WithFile(written.File, ended.File(stdpath.Join(treeDir, written.File))).Changes(t.Source), nil
}

// RefreshCorpus reads the next version of the corpus from real servers.
//
// It queries the servers that upstreams.hcl pins, and returns the changes that add the
// new file. It uses the network, and no ordinary run includes it. The servers are
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
) (*dagger.Changeset, error) {
	image, err := t.image()
	if err != nil {
		return nil, err
	}

	argv := []string{refreshProgram, "data", "refresh", "--dir", dir}
	for _, name := range allowMissing {
		argv = append(argv, "--allow-missing="+name)
	}

	search, err := image.EnvVariable(ctx, "PATH")
	if err != nil {
		return nil, err
	}

	if search == "" {
		search = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	}

	// Not with those of the planner: a refresh starts programs of others.
	refreshed := withVariables(image, t.Environment).
		WithFile(refreshProgram, t.Program).
		WithEnvVariable("PATH", search).
		WithMountedTemp("/tmp").
		WithDirectory(treeDir, t.Source).
		WithWorkdir(treeDir)
	return t.changed(dir, command{refreshed, argv}.exec(dagger.ContainerWithExecOpts{})), nil
}

// changed returns the difference between a directory of the source and the same directory
// in the ended container. The paths are relative to the source.
func (t *Touchstone) changed(dir string, ended *dagger.Container) *dagger.Changeset {
	after := withoutStamp(ended.Directory(stdpath.Join(treeDir, dir)))
	return t.Source.WithDirectory(dir, after).Changes(t.Source)
}

// withoutStamp returns a directory that touchstone wrote without the record of what it wrote.
func withoutStamp(dir *dagger.Directory) *dagger.Directory {
	return dir.Filter(dagger.DirectoryFilterOpts{Exclude: []string{"**/" + stampName}})
}
