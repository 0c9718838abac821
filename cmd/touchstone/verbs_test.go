package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// TestContainers builds the program that the Dagger module compiles. It must not contain what takes long to
// compile, and its stages must have the keys of any other program.
func TestContainers(t *testing.T) {
	t.Parallel()
	list, err := exec.Command("go", "list", "-deps", "-tags", "containers", ".").Output()
	if err != nil {
		t.Fatal(err)
	}

	for _, slow := range []string{"modernc.org/", "github.com/evanw/esbuild/", "github.com/danielgtaylor/huma/",
		"github.com/xeipuuv/gojsonschema", "github.com/touchstone-eval/touchstone/internal/scan/report"} {
		if bytes.Contains(list, []byte("\n"+slow)) {
			t.Errorf("the program for containers imports %s", slow)
		}
	}

	file := filepath.Join(t.TempDir(), "touchstone")
	if out, err := exec.Command("go", "build", "-tags", "containers", "-o", file, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	var versions [2]versionJSON
	for i, program := range []string{file, program.Path(t, program.Touchstone)} {
		out, err := exec.Command(program, "version", "--json").Output()
		if err == nil {
			err = json.Unmarshal(out, &versions[i])
		}

		if err != nil {
			t.Fatal(err)
		}
	}

	if versions[0] != versions[1] {
		t.Errorf("the program for containers is %v, and not %v", versions[0], versions[1])
	}

	for verb, command := range map[string][]string{
		"eval": {"eval", "run", "cases.json", "--model", "lexical"}, "scan": {"scan", "--help"},
		"data import": {"data", "import", "f.json", "--format", "metatool"}, "init": {"init"},
		"compare": {"compare", "HEAD", "--json"}, "report convert": {"report", "convert", "--format", "sarif"},
	} {
		out, err := exec.Command(file, command...).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != exitUsage ||
			!strings.Contains(string(out), "was built for containers and has no "+verb+":") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	for _, above := range [][]string{nil, {"data"}, {"report"}} {
		if got, want := verbsBelow(t, file, above), verbsBelow(t, program.Path(t, program.Touchstone), above); got != want {
			t.Errorf("below %s, the program for containers has %s, and not %s", above, got, want)
		}
	}
}

// verbsBelow lists the names of the verbs below one, as the program completes them.
func verbsBelow(t *testing.T, file string, above []string) string {
	t.Helper()
	out, err := exec.Command(file, append(append([]string{"__complete"}, above...), "")...).Output()
	if err != nil {
		t.Fatal(err)
	}

	var names []string
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, strings.TrimSpace(name))
	}

	return strings.Join(names, " ")
}
