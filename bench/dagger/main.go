// Command dagger times the Dagger module and the Dagger executor, and compares them
// with a module function that returns a constant and with the local executor. It needs
// a running engine and the dagger program, and works on a copy of the files that git
// tracks.
//
//	bench/run dagger [-runs 5] [-stages 20] [-matrix 100] [-jobs 8]
//
// The bounds are: a warm gate takes at most twice as long as the constant, and at most 1.33
// times as long as a constant whose function runs; a container adds less than 300 ms to a
// stage; a matrix of 100 takes at most 1.5 times as long as with the local executor, plus
// the time of the constant. Dagger answers the constant from its function cache, but a gate
// must run.
//
// The gate uses the program of this tree, compiled in the engine.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
	executor "github.com/touchstone-eval/touchstone/internal/engine/dagger"
)

func main() {
	var b bench
	flag.IntVar(&b.runs, "runs", 5, "timed runs of each")
	flag.IntVar(&b.stages, "stages", 20, "length of the chain of stages that measures the cost of one stage")
	flag.IntVar(&b.matrix, "matrix", 100, "number of instances in the matrix")
	flag.IntVar(&b.jobs, "jobs", 8, "number of instances that run at once")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "dagger:", err)
		os.Exit(1)
	}
}

type bench struct {
	runs, stages, matrix, jobs int

	dir, tool, cli string
}

func (b *bench) run() error {
	if err := executor.Reach(context.Background()); err != nil {
		return err
	}

	b.cli = os.Getenv("_EXPERIMENTAL_DAGGER_CLI_BIN")
	if b.cli == "" {
		b.cli = "dagger"
	}

	var err error
	if b.dir, err = os.MkdirTemp("", "touchstone-dagger-"); err != nil {
		return err
	}

	defer os.RemoveAll(b.dir)
	// Containers require a static program.
	if err := os.Setenv("CGO_ENABLED", "0"); err != nil {
		return err
	}

	if b.tool, err = timing.Build(b.dir); err != nil {
		return err
	}

	floor, err := b.warmGate()
	if err != nil {
		return err
	}

	if err := b.oneStage(); err != nil {
		return err
	}

	return b.manyAtOnce(floor)
}

const floorSource = `package main

type Floor struct{}

func (Floor) Answer() string { return "42" }

// +cache="never"
func (Floor) Run() string { return "42" }
`

// floorModule is a minimal module.
var floorModule = map[string]string{
	"dagger.json": `{"name": "floor", "engineVersion": "` + executor.Version + `", "sdk": {"source": "go"}}`,
	"main.go":     floorSource,
	"go.mod":      "module dagger/floor\n\ngo 1.26.1\n",
}

// warmGate compares dagger call gate on an unchanged tree with the constant.
func (b *bench) warmGate() (floor time.Duration, err error) {
	constant, tree := filepath.Join(b.dir, "floor"), filepath.Join(b.dir, "tree")
	if err := writeTree(constant, floorModule); err != nil {
		return 0, err
	}

	if err := checkout(tree); err != nil {
		return 0, err
	}

	if _, err := os.Stat(filepath.Join(tree, "datasets", "baseline_v2.json")); os.IsNotExist(err) {
		if err := command(tree, b.tool, "baseline", "update", "--cache-dir",
			filepath.Join(b.dir, "store")); err != nil {
			return 0, err
		}
	}

	samples, err := timing.Compare(os.Stdout, 2, b.runs,
		timing.Contender{Name: "dagger call of a constant", Dir: constant,
			Argv: []string{b.cli, "--silent", "call", "answer"}},
		timing.Contender{Name: "the same, executed", Dir: constant, Argv: []string{b.cli, "--silent", "call", "run"}},
		timing.Contender{Name: "dagger call gate, warm", Dir: tree,
			Argv: []string{b.cli, "--silent", "call", "--build", "gate"}},
	)
	if err != nil {
		return 0, err
	}

	timing.Print(os.Stdout, "warm gate", samples)
	floor = samples[0].Median()
	verdict("warm gate / constant", float64(samples[2].Median())/float64(floor), 2, "")
	verdict("warm gate / constant, executed", float64(samples[2].Median())/float64(samples[1].Median()), 1.33, "")
	return floor, nil
}

// oneStage measures the cost of a container with a chain of stages that do almost
// nothing. The time includes the start of the session.
func (b *bench) oneStage() error {
	dir := filepath.Join(b.dir, "chain")
	var hcl strings.Builder
	for i := range b.stages {
		fmt.Fprintf(&hcl, "stage \"s%d\" {\n  env = { N = \"%d\" }\n  command = [\"touchstone\", \"version\"]\n}\n", i,
			i)
	}

	if err := writeTree(dir, map[string]string{"pipeline.hcl": hcl.String()}); err != nil {
		return err
	}

	samples, err := b.executors(dir, 1, 1, max(1, b.runs/2), "run")
	if err != nil {
		return err
	}

	timing.Print(os.Stdout, fmt.Sprintf("%d stages one after the other, cold", b.stages), samples)
	extra := (samples[1].Median() - samples[0].Median()) / time.Duration(b.stages)
	verdict("a container adds to a stage", float64(extra.Milliseconds()), 300, " ms")
	return nil
}

// matrices are the matrices of the evaluation, named by the last stage of the run. An
// instance of the first is real work of about a second of processor time. An instance
// of the second is almost none, so that it shows the cost of containers. The third has
// both at once, like a gate with that many runs.
var matrices = []string{"score-retrieval", "score-security", "aggregate"}

// manyAtOnce runs the matrices of the evaluation with many instances.
func (b *bench) manyAtOnce(floor time.Duration) error {
	for _, stage := range matrices {
		samples, err := b.executors(filepath.Join(b.dir, "tree"), b.jobs, 0, 1,
			"run", "--until", stage, "--var", fmt.Sprintf("runs=%d", b.matrix), "--var", `detectors=["scanner"]`)
		if err != nil {
			return err
		}
		timing.Print(os.Stdout, fmt.Sprintf("%d runs until %s, %d at once, cold", b.matrix, stage, b.jobs), samples)
		verdict("(matrix in containers - constant) / local",
			float64(samples[1].Median()-floor)/float64(samples[0].Median()), 1.5, "")
	}
	return nil
}

// executors times a command with an empty cache, with each of the two executors.
func (b *bench) executors(dir string, jobs, warmup, runs int, args ...string) ([]timing.Sample, error) {
	var contenders []timing.Contender
	for _, name := range []string{"local", "dagger"} {
		store := filepath.Join(b.dir, "cold-"+name)
		argv := append([]string{b.tool}, args...)
		argv = append(argv, "--executor", name, "--cache-dir", store, "--progress", "quiet", "--jobs", fmt.Sprint(jobs))
		contenders = append(contenders,
			timing.Contender{Name: name, Dir: dir, Argv: argv, Before: func() error { return os.RemoveAll(store) }})
	}
	return timing.Compare(os.Stdout, warmup, runs, contenders...)
}

func verdict(what string, got, bound float64, unit string) {
	is := "holds"
	if got > bound {
		is = "MISSED"
	}
	fmt.Printf("%s: %.2f%s, bound %.4g%s: %s\n\n", what, got, unit, bound, unit, is)
}

func writeTree(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return command(dir, "git", "init", "--quiet")
}

// checkout copies the files of this tree that git tracks.
func checkout(to string) error {
	list, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		return fmt.Errorf("listing the tree (run this in a git checkout): %w", err)
	}

	for name := range bytes.SplitSeq(bytes.TrimRight(list, "\x00"), []byte{0}) {
		content, err := os.ReadFile(string(name))
		if os.IsNotExist(err) {
			continue
		}

		if err != nil {
			return err
		}

		file := filepath.Join(to, string(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}

		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}

	return command(to, "git", "init", "--quiet")
}

func command(dir string, argv ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
	}
	return nil
}
