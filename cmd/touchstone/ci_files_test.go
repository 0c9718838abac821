package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflowFile is a workflow of GitHub.
type workflowFile struct {
	Jobs map[string]struct {
		Steps []actionStep
	}
}

func readWorkflow(t *testing.T, text []byte) (steps []actionStep) {
	t.Helper()
	var w workflowFile
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	for _, job := range w.Jobs {
		steps = append(steps, job.Steps...)
	}
	if len(steps) == 0 {
		t.Fatalf("no steps:\n%s", text)
	}
	return steps
}

// Actions of others are pinned by commit, and those of this repository get inputs that they
// have: in its own workflows and in the one that init writes.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	shared := &initRemote{key: "KEY", headers: []string{"authorization=env:LOGIN"}, secrets: []string{"KEY", "LOGIN"}}
	texts := map[string][]byte{
		"init": []byte(githubWorkflow("it's/eval", "main", nil)), "init, with a remote cache": []byte(githubWorkflow("it's/eval", "main", shared)),
	}
	for _, file := range files {
		if texts[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	own := 0
	for name, text := range texts {
		for _, step := range readWorkflow(t, text) {
			switch {
			case step.Uses == "":
			case step.Uses == "./", strings.HasPrefix(step.Uses, "touchstone-eval/touchstone@"):
				own++
				inputs := readAction(t, ".").Inputs
				for in, v := range step.With {
					if _, ok := inputs[in]; !ok {
						t.Errorf("%s: the action has no input %s", name, in)
					}
					if strings.HasPrefix(name, "init") && in == "directory" && v != "it's/eval" {
						t.Errorf("the directory is %q", v)
					}
				}
			case !pinnedAction.MatchString(step.Uses):
				t.Errorf("%s: %s is not pinned by commit", name, step.Uses)
			}
		}
	}
	if own != 1+2 {
		t.Errorf("the action of this repository is used %d times", own)
	}
}

// Only the job of the default branch gets secrets and writes.
func TestWhoWritesResults(t *testing.T) {
	shared := &initRemote{key: "KEY", headers: []string{"authorization=env:LOGIN"}, secrets: []string{"KEY", "LOGIN"}}
	var github struct {
		Jobs map[string]struct {
			If, Environment string
			Steps           []struct{ Env map[string]string }
		}
	}
	if err := yaml.Unmarshal([]byte(githubWorkflow("eval", "main", shared)), &github); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		event, environment string
		env                map[string]string
	}{
		"gate": {"pull_request", "", map[string]string{"TOUCHSTONE_REMOTE_MODE": "read"}},
		"record": {"push", writersEnvironment, map[string]string{
			"TOUCHSTONE_REMOTE_MODE": "read-write", "TOUCHSTONE_REMOTE_SIGN": "env:KEY", "TOUCHSTONE_REMOTE_HEADER": "authorization=env:LOGIN",
			"KEY": "${{ secrets.KEY }}", "LOGIN": "${{ secrets.LOGIN }}",
		}},
	} {
		job := github.Jobs[name]
		if job.If != "github.event_name == '"+want.event+"'" || job.Environment != want.environment || len(job.Steps) != 2 || !maps.Equal(job.Steps[1].Env, want.env) {
			t.Errorf("%s: %+v", name, job)
		}
	}
	text, err := gitlabPipeline("eval", shared)
	if err != nil {
		t.Fatal(err)
	}
	var gitlab struct {
		Job struct {
			Rules []struct {
				If        string
				Variables map[string]string
			}
		} `yaml:"touchstone-gate"`
	}
	if err := yaml.Unmarshal([]byte(text), &gitlab); err != nil {
		t.Fatal(err)
	}
	rules := gitlab.Job.Rules
	if len(rules) != 2 || rules[0].If != "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" || rules[0].Variables["TOUCHSTONE_REMOTE_SIGN"] != "env:KEY" ||
		len(rules[1].Variables) != 1 || rules[1].Variables["TOUCHSTONE_REMOTE_MODE"] != "read" {
		t.Errorf("%+v", rules)
	}
	j := &gitlabJob{t: t}
	if defaults, _ := j.component(); defaults["job"] != "touchstone-gate" {
		t.Errorf("the job of the component is %q", defaults["job"])
	}
}

// The file that init writes for GitLab gives the component inputs that it has.
func TestGitLabPipeline(t *testing.T) {
	text, err := gitlabPipeline("eval", nil)
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Include []struct {
			Remote, Integrity string
			Inputs            map[string]string
		}
	}
	if err := yaml.Unmarshal([]byte(text), &written); err != nil {
		t.Fatal(err)
	}
	in := written.Include[0]
	if !strings.HasSuffix(in.Remote, "/v"+version+"/templates/gate.yml") || !strings.HasPrefix(in.Integrity, "sha256-") || in.Inputs["directory"] != "eval" {
		t.Errorf("%+v", in)
	}
	j := &gitlabJob{t: t}
	defaults, _ := j.component()
	for name := range in.Inputs {
		if _, ok := defaults[name]; !ok {
			t.Errorf("the component has no input %s", name)
		}
	}
}
