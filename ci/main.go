// Touchstone evaluates MCP proxies: every stage of pipeline.hcl runs in a
// container of its own, and nothing unchanged is ever computed twice.
//
// The functions run this project's own command line next to the engine: it
// plans, decides what is a hit and starts the containers, so the pipeline is
// declared once and no stage is named here. Results are kept in the cache
// volume touchstone-store.
//
// Dagger's function cache never answers for any function: each call runs the
// planner, which takes a fraction of a second where all stages are hits. So no
// verdict can be older than the inputs it stands for.
package main

import (
	"context"
	"crypto/rand"
	"fmt"

	"dagger/touchstone/internal/dagger"
)

// Where things are in the planner's container.
const (
	treeDir  = "/tree"
	storeDir = "/store"
	program  = "/touchstone"
	outDir   = "/out"
)

// Touchstone is a tree with a pipeline, and the program that runs it.
type Touchstone struct {
	// +private
	Source *dagger.Directory
	// +private
	Code *dagger.Directory
	// +private
	Binary *dagger.File
	// +private
	Vars []string
	// +private
	File string
	// +private
	ContainerImage string
}

func New(
	// The tree that holds the pipeline and what it reads.
	// +defaultPath="/"
	// +ignore=[".git", "**/.git", "/reports", "/docs", "/bench", "/*.md", "**/node_modules", ".dagger", ".github"]
	source *dagger.Directory,
	// The source of touchstone itself.
	// +defaultPath="/"
	// +ignore=[".git", "**/.git", "/reports", "/docs", "/bench", "/examples", "/*.md", "**/node_modules", "**/*_test.go", "**/testdata", ".github", "/ci/internal", "/ci/dagger.gen.go"]
	code *dagger.Directory,
	// A static Linux build of touchstone, to use instead of building one.
	// +optional
	binary *dagger.File,
	// Set a variable of the pipeline, name=value.
	// +optional
	vars []string,
	// The pipeline to read.
	// +default="pipeline.hcl"
	file string,
	// The image for stages that run other programs than touchstone and name
	// none, NAME@sha256:DIGEST.
	// +optional
	containerImage string,
) *Touchstone {
	return &Touchstone{Source: source, Code: code, Binary: binary, Vars: vars, File: file, ContainerImage: containerImage}
}

// Gate runs what changed and judges it; its exit status is the verdict.
//
// The summary is printed where the gate passes. Where it fails, the exit
// status is the command line's: 1 the gate failed, 3 a stage failed, 4 a
// dataset is invalid.
// +cache="never"
func (t *Touchstone) Gate(
	ctx context.Context,
	// Execute every stage, also where it is a hit.
	// +optional
	force bool,
) (string, error) {
	return t.planner(flag("--force", force), "gate").Stdout(ctx)
}

// Report is the directory of reports, also of a gate that failed.
// +cache="never"
func (t *Touchstone) Report(ctx context.Context) (*dagger.Directory, error) {
	ended, err := t.attempt(ctx, "gate")
	if err != nil {
		return nil, err
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
		WithFile(program, t.Build()).
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
	for name, stages := range map[string][]string{"--only": only, "--from": from, "--until": until} {
		for _, s := range stages {
			flags = append(flags, name, s)
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

// Build is the static touchstone program.
func (t *Touchstone) Build() *dagger.File {
	if t.Binary != nil {
		return t.Binary
	}
	// A Go toolchain is where this module runs, so none is pulled. Its
	// container is that of this module, made of the same files.
	return t.Code.AsModule().Runtime().
		WithoutEntrypoint().
		WithMountedCache("/go/pkg/mod", dag.CacheVolume("touchstone-go-mod")).
		WithMountedCache("/root/.cache/go-build", dag.CacheVolume("touchstone-go-build")).
		WithMountedDirectory("/src", t.Code).
		WithWorkdir("/src").
		WithEnvVariable("CGO_ENABLED", "0").
		WithExec([]string{"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, "./cmd/touchstone"}).
		File(program)
}

// planner runs the command line with access to the engine that runs it.
func (t *Touchstone) planner(flags []string, verb ...string) *dagger.Container {
	return t.exec(dagger.ReturnTypeSuccess, flags, verb...)
}

func (t *Touchstone) exec(expect dagger.ReturnType, flags []string, verb ...string) *dagger.Container {
	argv := append([]string{program}, verb...)
	argv = append(argv, "--file", t.File, "--executor", "dagger", "--cache-dir", storeDir)
	if t.ContainerImage != "" {
		argv = append(argv, "--container-image", t.ContainerImage)
	}
	for _, v := range t.Vars {
		argv = append(argv, "--var", v)
	}
	return dag.Container().
		WithFile(program, t.Build()).
		WithDirectory(treeDir, t.Source).
		WithWorkdir(treeDir).
		WithMountedCache(storeDir, dag.CacheVolume("touchstone-store")).
		WithMountedTemp("/tmp").
		// The engine may answer an earlier run's container from its cache;
		// this makes the planner look again.
		WithEnvVariable("TOUCHSTONE_CALL", rand.Text()).
		WithExec(append(argv, flags...), dagger.ContainerWithExecOpts{Expect: expect, ExperimentalPrivilegedNesting: true})
}

// attempt runs a verb whose results are there although its verdict may be
// "failed": exit status 0 or 1.
func (t *Touchstone) attempt(ctx context.Context, verb ...string) (*dagger.Container, error) {
	ended := t.exec(dagger.ReturnTypeAny, nil, verb...)
	code, err := ended.ExitCode(ctx)
	if err != nil {
		return nil, err
	}
	if code > 1 {
		log, err := ended.Stderr(ctx)
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("touchstone ended with exit status %d:\n%s", code, log)
	}
	return ended, nil
}

func flag(name string, set bool) []string {
	if !set {
		return nil
	}
	return []string{name}
}
