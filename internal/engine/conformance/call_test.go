package conformance

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCallTellsFailuresApart checks the exit status of "dagger call": a failed gate has
// a different status from other failures. The messages about a pipeline are those of the
// command line.
func TestCallTellsFailuresApart(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole evaluations")
	}
	needEngine(t)
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		damage func(*testing.T, string)
		args   []string // of dagger call, by default gate
		code   int
		prints string
		says   string // on standard error
		same   bool   // standard error holds the command line's own
	}{
		{name: "nothing", damage: func(*testing.T, string) {}, code: 0},
		{
			name: "nothing, and a container has to run", code: 0, damage: func(*testing.T, string) {},
			args: []string{"run", "--only", "validate-datasets", "--force"}, prints: "1 executed",
		},
		{name: "the gate", damage: degrade, code: 1, says: "the gate FAILED"},
		{
			name: "the pipeline", code: 2, says: "There is no stage \"nowhere\".", same: true,
			damage: appending("pipeline.hcl", "stage \"broken\" {\n  inputs  = { x = stage.nowhere.x }\n  outputs = { y = \"out/y\" }\n  command = [\"touchstone\", \"version\"]\n}\n"),
		},
		{
			name: "the pipeline, asked for the reports", code: 0, args: []string{"report", "entries"}, prints: "no-verdict.json",
			damage: appending("pipeline.hcl", "stage \"broken\" {\n  inputs  = { x = stage.nowhere.x }\n  command = [\"touchstone\", \"version\"]\n}\n"),
		},
		{name: "the gate, asked for the reports", damage: degrade, code: 0, args: []string{"report", "entries"}, prints: "report.html"},
		{
			name: "a new baseline", code: 0, args: []string{"baseline", "modified-paths"}, prints: "datasets/baseline_v2.json",
			damage: func(t *testing.T, tree string) {
				edit(t, tree, "datasets/baseline_v2.json", [2]string{`"mrr": 0.`, `"mrr": 0.4`})
			},
		},
		{
			name: "a baseline of other data", damage: nextGolden, code: 0,
			args: []string{"--vars", "golden=datasets/golden_v3.json", "baseline", "added-paths"}, prints: "datasets/baseline_v3.json",
		},
		{
			name: "the build", code: 5, says: "cmd/touchstone/main.go",
			damage: appending("cmd/touchstone/main.go", "\nfunc broken( {\n"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := checkout(t, root)
			c.damage(t, tree)
			if c.args == nil {
				c.args = []string{"gate"}
			}
			stdout, stderr, code := output(t, tree, append([]string{daggerProgram(), "--silent", "call", "--build"}, c.args...)...)
			if code != c.code || !strings.Contains(stderr, c.says) || !strings.Contains(stdout, c.prints) {
				t.Errorf("exit status %d, want %d and %q\n%s%s", code, c.code, c.says, stdout, stderr)
			}
			if !c.same {
				return
			}
			file := touchstone(t)
			_, local, code := output(t, tree, file, "gate", "--executor", "local", "--cache-dir", filepath.Join(t.TempDir(), "store"))
			if code != c.code || !strings.Contains(stderr, strings.TrimSpace(local)) {
				t.Errorf("here it ends with %d and says\n%s\nand there with %d:\n%s", code, local, c.code, stderr)
			}
		})
	}
}

// TestDevelopChangesNothing generates the code of the module in a checkout. Files that git
// tracks must stay as they are: go.mod pins all that the generated code imports.
func TestDevelopChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the module")
	}
	needEngine(t)
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	tree := checkout(t, root)
	command(t, tree, "git", "add", "--all")
	command(t, tree, daggerProgram(), "--silent", "develop")
	if _, err := os.Stat(filepath.Join(tree, "ci", "dagger.gen.go")); err != nil {
		t.Error(err)
	}
	if diff, stderr, code := output(t, tree, "git", "diff"); diff != "" || code != 0 {
		t.Errorf("%s%s", diff, stderr)
	}
	if list, _, _ := output(t, tree, "git", "ls-files", "--others", "--exclude-standard"); list != "" {
		t.Errorf("new files that git does not ignore: %s", list)
	}
}

// daggerProgram returns the dagger program that the executor uses.
func daggerProgram() string {
	if cli := os.Getenv("_EXPERIMENTAL_DAGGER_CLI_BIN"); cli != "" {
		return cli
	}
	return "dagger"
}

func appending(name, text string) func(*testing.T, string) {
	return func(t *testing.T, tree string) {
		t.Helper()
		file := filepath.Join(tree, name)
		if err := os.WriteFile(file, []byte(readAll(file)+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// nextGolden adds a version of the golden set with an edited query.
func nextGolden(t *testing.T, tree string) {
	t.Helper()
	command(t, tree, "cp", "datasets/golden_v2.json", "datasets/golden_v3.json")
	edit(t, tree, "datasets/golden_v3.json", [2]string{`"version": "v2"`, `"version": "v3"`}, [2]string{`"query": "`, `"query": "Please. `})
}

// edit replaces the first occurrence of texts in a file of the tree.
func edit(t *testing.T, tree, name string, edits ...[2]string) {
	t.Helper()
	file := filepath.Join(tree, name)
	text := readAll(file)
	for _, e := range edits {
		if !strings.Contains(text, e[0]) {
			t.Fatalf("%s does not contain %s", name, e[0])
		}
		text = strings.Replace(text, e[0], e[1], 1)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func output(t *testing.T, dir string, argv ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
