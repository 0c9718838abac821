package conformance

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// script is a step of a workflow that runs a command.
type script struct {
	text   string
	always bool // runs after a failed step as well
}

// TestWorkflows executes the steps of the CI files on a copy of this tree, once unchanged
// and once with a degraded search. The gate must then fail, and its report and
// annotations must exist.
func TestWorkflows(t *testing.T) {
	level.Thorough(t, "it runs whole evaluations")
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, file string
		steps      func(*testing.T, cty.Value) []script
		dagger     bool
	}{
		{"github", ".github/workflows/gate.yml", githubSteps, true},
		{"github without Dagger", ".github/workflows/gate-without-dagger.yml", githubSteps, false},
		{"gitlab", ".gitlab-ci.yml", gitlabSteps, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.dagger {
				needEngine(t)
			}
			steps := c.steps(t, readYAML(t, filepath.Join(root, c.file)))
			for name, degraded := range map[string]bool{"as it is": false, "degraded": true} {
				t.Run(name, func(t *testing.T) { followWorkflow(t, checkout(t, root), steps, degraded) })
			}
		})
	}
}

func followWorkflow(t *testing.T, tree string, steps []script, degraded bool) {
	t.Helper()
	want := "::notice"
	if degraded {
		degrade(t, tree)
		want = "::error"
	}
	failed, output := follow(t, tree, steps)
	if failed != degraded {
		t.Fatalf("failed is %v\n%s", failed, output)
	}
	if !strings.Contains(output, want) {
		t.Errorf("no %s annotation in\n%s", want, output)
	}
	for _, name := range []string{"report.html", "report.json", "junit.xml", "report.md"} {
		if _, err := os.Stat(filepath.Join(tree, "reports", name)); err != nil {
			t.Error(err)
		}
	}
}

func readYAML(t *testing.T, file string) cty.Value {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	typ, err := yaml.ImpliedType(b)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	v, err := yaml.Unmarshal(b, typ)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}

func githubSteps(t *testing.T, v cty.Value) []script {
	t.Helper()
	var steps []script
	for _, job := range v.GetAttr("jobs").AsValueMap() {
		for _, step := range job.GetAttr("steps").AsValueSlice() {
			fields := step.AsValueMap()
			if run, ok := fields["run"]; ok {
				_, conditional := fields["if"]
				steps = append(steps, script{run.AsString(), conditional})
			}
		}
	}
	return steps
}

func gitlabSteps(t *testing.T, v cty.Value) []script {
	t.Helper()
	var steps []script
	for name, always := range map[string]bool{"script": false, "after_script": true} {
		for _, line := range v.GetAttr("gate").GetAttr(name).AsValueSlice() {
			s := script{line.AsString(), always}
			if always {
				steps = append(steps, s)
			} else {
				steps = append([]script{s}, steps...)
			}
		}
	}
	return steps
}

// checkout copies the files of a git checkout, and files that were not yet added.
func checkout(t *testing.T, root string) string {
	t.Helper()
	list, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip("needs a git checkout: ", err)
	}
	tree := stableDir(t, root)
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		b, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command(t, tree, "git", "init", "--quiet")
	baseline := filepath.Join(tree, "datasets", "baseline_v2.json")
	if _, err := os.Stat(baseline); os.IsNotExist(err) {
		file := program.Path(t, program.Touchstone)
		command(t, tree, file, "baseline", "update", "--cache-dir", filepath.Join(t.TempDir(), "store"))
	}
	return tree
}

// stableDir returns a directory for a copy of a tree. It is always the same directory,
// because the go command recompiles packages in a new directory.
func stableDir(t *testing.T, root string) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("touchstone-workflows-%x", sha256.Sum256([]byte(root)))[:40])
	lock := flock.New(dir + ".lock")
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	clear := func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}
	clear() // files of a test that was killed
	t.Cleanup(func() {
		clear()
		_ = lock.Unlock()
	})
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func command(t *testing.T, dir string, argv ...string) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
}

// degrade degrades the search of the reference proxy.
func degrade(t *testing.T, tree string) {
	t.Helper()
	file := filepath.Join(tree, "variables.hcl")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte(`variable "degrade"`))
	if at < 0 {
		t.Fatal("variables.hcl has no variable degrade")
	}
	worse := bytes.Replace(b[at:], []byte(`default     = ""`), []byte(`default     = "drop-descriptions"`), 1)
	if err := os.WriteFile(file, append(b[:at:at], worse...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// follow runs the steps like a CI.
func follow(t *testing.T, tree string, steps []script) (failed bool, output string) {
	t.Helper()
	bin := t.TempDir()
	if cli := os.Getenv("_EXPERIMENTAL_DAGGER_CLI_BIN"); cli != "" {
		if err := os.Symlink(cli, filepath.Join(bin, "dagger")); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	for _, s := range steps {
		if failed && !s.always {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", s.text)
		cmd.Dir = tree
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.Env = append(os.Environ(),
			"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
			"TOUCHSTONE_CACHE="+filepath.Join(tree, ".touchstone", "store"),
			"GITHUB_STEP_SUMMARY="+filepath.Join(bin, "summary.md"),
		)
		if err := cmd.Run(); err != nil {
			failed = true
		}
	}
	return failed, out.String()
}
