package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// compositeAction is an action of this repository.
type compositeAction struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Value string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Steps []actionStep `yaml:"steps"`
	} `yaml:"runs"`
}

type actionStep struct {
	ID   string            `yaml:"id"`
	If   string            `yaml:"if"`
	Uses string            `yaml:"uses"`
	Run  string            `yaml:"run"`
	Dir  string            `yaml:"working-directory"`
	Env  map[string]string `yaml:"env"`
	With map[string]string `yaml:"with"`
}

// readAction reads the action in a directory of this repository.
func readAction(t *testing.T, dir string) compositeAction {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", dir, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action compositeAction
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	return action
}

// actionJob runs the steps of an action as the runner of GitHub does: the scripts in bash,
// with the files that a job has. Actions of others are recorded and not run.
type actionJob struct {
	t         *testing.T
	action    string // its directory in this repository
	workspace string
	temp      string
	inputs    map[string]string
	context   map[string]string // github.NAME and runner.NAME
	env       []string

	outputs map[string]string // steps.ID.outputs.NAME
	used    []string          // NAME of actions of others, with its inputs
	log     string
	summary string
	failed  bool
	code    int // of the last step that failed
}

func (j *actionJob) run() {
	j.t.Helper()
	action := readAction(j.t, j.action)
	root, err := filepath.Abs(filepath.Join("../..", j.action))
	if err != nil {
		j.t.Fatal(err)
	}
	j.outputs = map[string]string{}
	values := map[string]string{
		"github.action_path": root, "github.workspace": j.workspace, "github.sha": "1234",
		"github.token": "secret", "github.event_name": "push", "runner.temp": j.temp, "runner.os": "Linux",
	}
	for name, v := range j.context {
		values[name] = v
	}
	for name, in := range action.Inputs {
		values["inputs."+name] = j.expand(in.Default, values)
	}
	for name, v := range j.inputs {
		if _, ok := action.Inputs[name]; !ok {
			j.t.Errorf("there is no input %s", name)
		}
		values["inputs."+name] = v
	}
	for _, step := range action.Runs.Steps {
		j.step(step, values)
		for name, v := range j.outputs {
			values[name] = v
		}
	}
	for name, out := range action.Outputs {
		j.outputs["outputs."+name] = j.expand(out.Value, values)
	}
}

func (j *actionJob) step(step actionStep, values map[string]string) {
	j.t.Helper()
	if step.If != "" && !j.holds(step.If, values) || step.If == "" && j.failed || j.failed && !strings.Contains(step.If, "always()") {
		return
	}
	if step.Uses != "" {
		if !pinnedAction.MatchString(step.Uses) {
			j.t.Errorf("%s is not pinned by commit", step.Uses)
		}
		name, _, _ := strings.Cut(step.Uses, "@")
		for _, in := range []string{"path", "sarif_file", "key"} {
			if v, ok := step.With[in]; ok {
				name += " " + in + "=" + j.expand(v, values)
			}
		}
		j.used = append(j.used, name)
		return
	}
	if actionExpression.MatchString(step.Run) {
		j.t.Errorf("step %s has an expression in its script, which an input could break out of", step.ID)
	}
	files := j.t.TempDir()
	output, summary := filepath.Join(files, "output"), filepath.Join(files, "summary")
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
	cmd.Dir = filepath.Join(j.workspace, j.expand(step.Dir, values))
	cmd.Env = append(os.Environ(), "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+summary)
	cmd.Env = append(cmd.Env, j.env...)
	for name, v := range step.Env {
		cmd.Env = append(cmd.Env, name+"="+j.expand(v, values))
	}
	out, err := cmd.CombinedOutput()
	j.log += string(out)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		j.failed, j.code = true, exit.ExitCode()
	case err != nil:
		j.t.Fatal(err)
	}
	text, _ := os.ReadFile(output)
	for line := range strings.Lines(string(text)) {
		name, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		j.outputs["steps."+step.ID+".outputs."+name] = v
	}
	text, _ = os.ReadFile(summary)
	j.summary += string(text)
}

var (
	actionExpression = regexp.MustCompile(`\$\{\{\s*([^}]*?)\s*\}\}`)
	pinnedAction     = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	actionReference  = regexp.MustCompile(`^(inputs|steps|github|runner)\.[\w.-]+$`)
)

// expand replaces references. What a context does not have is empty, but inputs must
// exist.
func (j *actionJob) expand(text string, values map[string]string) string {
	return actionExpression.ReplaceAllStringFunc(text, func(e string) string {
		return j.value(actionExpression.FindStringSubmatch(e)[1], values)
	})
}

func (j *actionJob) value(name string, values map[string]string) string {
	switch {
	case strings.HasPrefix(name, "'"):
		return strings.Trim(name, "'")
	case name == "true", name == "false":
		return name
	case !actionReference.MatchString(name):
		j.t.Fatalf("the test cannot evaluate %q", name)
	}
	v, ok := values[name]
	if !ok && strings.HasPrefix(name, "inputs.") {
		j.t.Errorf("there is no %s", name)
	}
	return v
}

// holds evaluates a condition: comparisons joined by &&.
func (j *actionJob) holds(condition string, values map[string]string) bool {
	for _, part := range strings.Split(actionExpression.FindStringSubmatch(condition)[1], "&&") {
		part = strings.TrimSpace(part)
		if part == "always()" {
			continue
		}
		op := "=="
		if strings.Contains(part, "!=") {
			op = "!="
		}
		left, right, ok := strings.Cut(part, op)
		if !ok {
			j.t.Fatalf("the test cannot evaluate %q", part)
		}
		equal := j.value(strings.TrimSpace(left), values) == j.value(strings.TrimSpace(right), values)
		if equal != (op == "==") {
			return false
		}
	}
	return true
}
