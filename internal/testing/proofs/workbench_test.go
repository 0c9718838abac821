package proofs

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// workbench is a copy of the project's pipeline and data with a separate cache.
type workbench struct {
	t          *testing.T
	dir, store string
	vars       []string
	// binary is the program to run. If it is empty, the real program runs.
	binary string
}

// newBench returns a workbench. The proofs that start from unchanged data share a cache, unless they request
// their own. It marks the test as parallel, because tests spend much of their time waiting for the disk and
// for single processes.
func newBench(t *testing.T, store string) *workbench {
	t.Helper()
	t.Parallel()
	if testing.Short() {
		t.Skip("proofs run whole pipelines through the real binary; run without -short")
	}
	b := &workbench{t: t, dir: t.TempDir(), store: store, vars: []string{"--var", "runs=1", "--var", `detectors=["scanner","keywords"]`}}
	for _, name := range []string{"pipeline.hcl", "variables.hcl", "proxy.hcl", "datasets"} {
		if out, err := exec.Command("cp", "-r", filepath.Join("../../..", name), b.dir).CombinedOutput(); err != nil {
			t.Fatal(string(out))
		}
	}
	// The proofs run on version 1, and have one baseline.
	if err := os.Remove(filepath.Join(b.dir, "datasets", "baseline_v2.json")); err != nil {
		t.Fatal(err)
	}
	return b
}

// newSmallBench returns a workbench whose corpus, golden set and list of detectors are small. It is for
// proofs about runs and their cache, which hold for any data: a run takes half the processor time.
func newSmallBench(t *testing.T, store string) *workbench {
	t.Helper()
	b := newBench(t, store)
	b.vars = []string{"--var", "runs=1", "--var", `detectors=["keywords"]`}
	for _, name := range []string{"corpus", "golden"} {
		data, err := os.ReadFile("../../../stages/scoreretrieval/testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		b.write("datasets/small_"+name+".json", data)
		b.vars = append(b.vars, "--var", name+"=datasets/small_"+name+".json")
	}
	// There is none for these data.
	if err := os.Remove(b.path(defaultBaseline)); err != nil {
		t.Fatal(err)
	}
	return b
}

type result struct {
	stdout, stderr string
	code           int
}

func (b *workbench) command(args ...string) *exec.Cmd {
	b.t.Helper()
	bin := b.binary
	if bin == "" {
		bin = program.Path(b.t, program.Touchstone)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "TOUCHSTONE_CACHE="+b.store, "BENCH_SECRET=correct-horse-battery")
	// The proofs hold for any data. Version 1 is the smaller one.
	for _, kind := range []string{"corpus", "golden", "security"} {
		cmd.Env = append(cmd.Env, "TOUCHSTONE_VAR_"+kind+"=datasets/"+kind+"_v1.json")
	}
	return cmd
}

// touchstone runs a command that reads the pipeline, with the variables of the bench.
func (b *workbench) touchstone(args ...string) result {
	b.t.Helper()
	cmd := b.command(append(args, b.vars...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (b *workbench) want(code int, args ...string) result {
	b.t.Helper()
	r := b.touchstone(args...)
	if r.code != code {
		b.t.Fatalf("touchstone %v: exit code %d, want %d\n%s%s", args, r.code, code, r.stdout, r.stderr)
	}
	return r
}

// baseline measures the present state and makes it the baseline, after the given change to it.
func (b *workbench) baseline(change func(*contracts.Baseline)) {
	b.t.Helper()
	b.want(0, "baseline", "update")
	if change != nil {
		path := filepath.Join(b.dir, defaultBaseline)
		base := read[contracts.Baseline](b.t, path)
		change(&base)
		if err := contracts.Write(path, base); err != nil {
			b.t.Fatal(err)
		}
	}
}

func read[T any](t *testing.T, path string) T {
	t.Helper()
	v, err := contracts.Read[T](path)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// change edits a dataset of the bench and makes it a draft, with another version that the lock file does not
// contain.
func change[T any](b *workbench, file string, edit func(*T)) {
	b.t.Helper()
	path := filepath.Join(b.dir, file)
	v := read[T](b.t, path)
	edit(&v)
	if err := contracts.Write(path, v); err != nil {
		b.t.Fatal(err)
	}
}

// statuses maps full instance names to HIT or MISS, as in plan --json.
func (b *workbench) statuses() map[string]string {
	b.t.Helper()
	var p runFacts
	if err := json.Unmarshal([]byte(b.want(0, "plan", "--json").stdout), &p); err != nil {
		b.t.Fatal(err)
	}
	m := map[string]string{}
	for _, s := range p.Stages {
		m[s.Stage+"["+s.Instance+"]"] = s.Status
	}
	return m
}

var sharedStore = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "touchstone-proofs-store-")
	atExit = append(atExit, func() { _ = os.RemoveAll(dir) })
	return dir, err
})

// runFacts contains the fields of plan --json and run --json that the proofs read.
type runFacts struct {
	Hits   int `json:"hits"`
	Stages []struct {
		Stage    string `json:"stage"`
		Instance string `json:"instance"`
		Status   string `json:"status"`
	} `json:"stages"`
}

// gateFacts contains the fields of gate --json that the proofs read.
type gateFacts struct {
	Run runFacts `json:"run"`
}

// defaultBaseline is the file that baseline update writes.
const defaultBaseline = "datasets/baseline_v1.json"

func shared(t *testing.T) string {
	t.Helper()
	dir, err := sharedStore()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
