package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
)

// actionSteps reads action.yml: its inputs with their defaults, and the shell
// scripts of its steps by id.
func actionSteps(t *testing.T) (inputs, scripts map[string]string, env map[string]map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	ty, err := yaml.ImpliedType(text)
	if err != nil {
		t.Fatal(err)
	}
	action, err := yaml.Unmarshal(text, ty)
	if err != nil {
		t.Fatal(err)
	}
	inputs, scripts, env = map[string]string{}, map[string]string{}, map[string]map[string]string{}
	for name, v := range action.GetAttr("inputs").AsValueMap() {
		inputs[name] = v.GetAttr("default").AsString()
	}
	for _, step := range action.GetAttr("runs").GetAttr("steps").AsValueSlice() {
		m := step.AsValueMap()
		run, ok := m["run"]
		if !ok {
			continue
		}
		id := m["id"].AsString()
		scripts[id] = run.AsString()
		env[id] = map[string]string{}
		for name, v := range m["env"].AsValueMap() {
			if v.Type() == cty.String {
				env[id][name] = v.AsString()
			}
		}
	}
	return inputs, scripts, env
}

var actionExpression = regexp.MustCompile(`\$\{\{\s*([^}]*?)\s*\}\}`)

// The scripts of the action work in the shell that GitHub uses.
func TestAction(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	defaults, scripts, env := actionSteps(t)
	for id, script := range scripts {
		if actionExpression.MatchString(script) {
			t.Errorf("step %s has an expression in its script, which an input could break out of", id)
		}
	}
	touchstone := touchstoneCommand(t)
	for _, tt := range []struct {
		name    string
		inputs  map[string]string
		code    int
		sarif   bool
		summary string
	}{
		{"good", map[string]string{"paths": "good.json"}, 0, true, "nothing found"},
		{"bad", map[string]string{"paths": "good.json\nbad.json\n"}, 1, true, "1 flagged"},
		{"lenient", map[string]string{"paths": "bad.json", "fail-on": "none"}, 0, true, "1 flagged"},
		{"suppressed", map[string]string{"paths": "bad.json", "suppressions": "s.json"}, 0, true, "1 signal suppressed"},
		{"skipped", map[string]string{"paths": "bad.json", "skip": "unicode.hidden"}, 0, true, "nothing found"},
		{"one check", map[string]string{"paths": "bad.json", "check": "size.suspicious"}, 0, true, "with 1 check"},
		{"drift", map[string]string{"paths": "good.json", "baseline": "b.json"}, 0, true, "is not approved"},
		{"servers", map[string]string{"paths": "mcp.json"}, 3, true, "NOT EVERYTHING"},
		{"missing", map[string]string{"paths": "none.json"}, 2, false, ""},
		{"hostile", map[string]string{"paths": "$(touch hacked)\n`touch hacked`\n--start"}, 2, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"good.json": `{"tools":[{"name":"a","description":"Reads a file."}]}`,
				"bad.json":  `{"tools":[{"name":"a","description":"Adds \u202enumbers\u202c."}]}`,
				"mcp.json":  `{"mcpServers":{"a":{"command":"true"}}}`,
				"b.json":    `{"tools":[]}`,
				"s.json":    `{"suppress":[{"tool":"*:a","check":"unicode.hidden","reason":"r"}]}`,
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			run := func(id string, values map[string]string) (int, string) {
				cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts[id])
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
				for name, text := range env[id] {
					text = actionExpression.ReplaceAllStringFunc(text, func(e string) string {
						name := actionExpression.FindStringSubmatch(e)[1]
						v, ok := values[name]
						if !ok {
							t.Errorf("step %s: %s is not known", id, name)
						}
						return v
					})
					cmd.Env = append(cmd.Env, name+"="+text)
				}
				out, err := cmd.CombinedOutput()
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					return exit.ExitCode(), string(out)
				}
				if err != nil {
					t.Fatal(err)
				}
				return 0, string(out)
			}
			values := map[string]string{"runner.temp": filepath.Dir(touchstone)}
			for name, v := range defaults {
				values["inputs."+name] = v
			}
			for name, v := range tt.inputs {
				values["inputs."+name] = v
			}
			if code, out := run("scan", values); code != 0 {
				t.Fatalf("the step failed: %d %s", code, out)
			}
			output, err := os.ReadFile(filepath.Join(dir, "output"))
			if err != nil {
				t.Fatal(err)
			}
			outputs := map[string]string{}
			for line := range strings.Lines(string(output)) {
				name, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
				outputs["steps.scan.outputs."+name] = v
			}
			file := outputs["steps.scan.outputs.sarif-file"]
			if _, err := os.Stat(filepath.Join(dir, "touchstone-scan.sarif")); (err == nil) != tt.sarif || (file != "") != tt.sarif {
				t.Errorf("report %v, output %q", err, file)
			}
			if code, out := run("verdict", outputs); code != tt.code {
				t.Errorf("verdict %d, want %d: %s", code, tt.code, out)
			}
			if summary, _ := os.ReadFile(filepath.Join(dir, "summary")); !strings.Contains(string(summary), tt.summary) {
				t.Errorf("summary: %s", summary)
			}
			if _, err := os.Stat(filepath.Join(dir, "hacked")); err == nil {
				t.Error("an input was run")
			}
		})
	}
}

// The action builds the program that it runs.
func TestActionBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	_, scripts, _ := actionSteps(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("bash", "-eo", "pipefail", "-c", scripts["build"])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ACTION_PATH="+root, "RUNNER_DIR="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(filepath.Join(dir, "touchstone"), "scan", "--help").CombinedOutput(); err != nil || !strings.Contains(string(out), "--fail-on") {
		t.Errorf("%v: %s", err, out)
	}
}
