package main

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// gitlabJob runs the script of the component as a runner of GitLab does: the inputs are put
// into the text, and all commands are one script in bash.
type gitlabJob struct {
	t       *testing.T
	name    string // of the component; "" for gate
	project string
	inputs  map[string]string

	log     string
	code    int
	reports map[string]string // files by kind
}

var gitlabInput = regexp.MustCompile(`\$\[\[ inputs\.([\w-]+) \]\]`)

// component returns the defaults of the component's inputs, and its jobs.
func (j *gitlabJob) component() (defaults map[string]string, jobs []byte) {
	j.t.Helper()
	text, err := os.ReadFile("../../templates/" + cmp.Or(j.name, "gate") + ".yml")
	if err != nil {
		j.t.Fatal(err)
	}
	head, body, _ := bytes.Cut(text, []byte("\n---\n"))
	var header struct {
		Spec struct {
			Inputs map[string]struct{ Default string }
		}
	}
	if err := yaml.Unmarshal(head, &header); err != nil {
		j.t.Fatal(err)
	}
	defaults = map[string]string{}
	for name, in := range header.Spec.Inputs {
		defaults[name] = in.Default
	}
	return defaults, body
}

func (j *gitlabJob) run() {
	j.t.Helper()
	values, body := j.component()
	maps.Copy(values, j.inputs)
	body = gitlabInput.ReplaceAllFunc(body, func(b []byte) []byte {
		v, ok := values[string(gitlabInput.FindSubmatch(b)[1])]
		if !ok {
			j.t.Errorf("%s is not an input", b)
		}
		return []byte(strings.ReplaceAll(v, "\n", `\n`)) // within a quoted scalar
	})
	var jobs map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct{ Reports map[string]string }
	}
	if err := yaml.Unmarshal(body, &jobs); err != nil {
		j.t.Fatal(err)
	}
	job := jobs["touchstone-"+cmp.Or(j.name, "gate")]
	j.reports = job.Artifacts.Reports
	cmd := exec.Command("bash", "-eo", "pipefail", "-c", strings.Join(job.Script, "\n"))
	cmd.Dir = j.project
	cmd.Env = append(os.Environ(), "CI_PROJECT_DIR="+j.project, "TMPDIR="+j.t.TempDir())
	for name, v := range job.Variables {
		cmd.Env = append(cmd.Env, name+"="+strings.ReplaceAll(v, "$CI_PROJECT_DIR", filepath.ToSlash(j.project)))
	}
	out, err := cmd.CombinedOutput()
	j.log = string(out)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		j.code = exit.ExitCode()
	case err != nil:
		j.t.Fatal(err)
	}
}
