package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
	testprogram "github.com/touchstone-eval/touchstone/internal/testing/program"
)

// workflowFile is a workflow of GitHub.
type workflowFile struct {
	Jobs map[string]struct {
		Steps []actionStep
	}
}

// releasedProgram and builtProgram are how CI gets the program with a release, and before the first one.
var (
	releasedProgram = ciProgram{released: true, revision: strings.Repeat("a", 40)}
	builtProgram    = ciProgram{revision: strings.Repeat("b", 40), programs: []string{"node", "npm"}}
)

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
	shared := &initRemote{}
	texts := map[string][]byte{
		"init":                      []byte(githubWorkflow("it's/eval", "main", nil, releasedProgram)),
		"init, with a remote cache": []byte(githubWorkflow("it's/eval", "main", shared, releasedProgram)),
		"init, before a release":    []byte(githubWorkflow("it's/eval", "main", nil, builtProgram)),
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
	if own != 1+3 {
		t.Errorf("the action of this repository is used %d times", own)
	}
}

// Only the job of the default branch gets secrets and writes.
func TestWhoWritesResults(t *testing.T) {
	shared := &initRemote{}
	var github struct {
		Jobs map[string]struct {
			If, Environment string
			Steps           []struct{ Env map[string]string }
		}
	}
	if err := yaml.Unmarshal([]byte(githubWorkflow("eval", "main", shared, releasedProgram)), &github); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		event, environment string
		env                map[string]string
	}{
		"gate": {"pull_request", "", map[string]string{"TOUCHSTONE_REMOTE_MODE": "read"}},
		"record": {"push", writersEnvironment, map[string]string{
			"TOUCHSTONE_REMOTE_MODE": "read-write", "TOUCHSTONE_REMOTE_SIGN": "env:TOUCHSTONE_SIGNING_KEY",
			"TOUCHSTONE_SIGNING_KEY": "${{ secrets.TOUCHSTONE_SIGNING_KEY }}",
		}},
	} {
		job := github.Jobs[name]
		if job.If != "github.event_name == '"+want.event+"'" || job.Environment != want.environment || len(job.Steps) != 2 || !maps.Equal(job.Steps[1].Env, want.env) {
			t.Errorf("%s: %+v", name, job)
		}
	}
	text, err := gitlabPipeline("eval", shared, releasedProgram)
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
	if len(rules) != 2 || rules[0].If != "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" || rules[0].Variables["TOUCHSTONE_REMOTE_SIGN"] != "env:TOUCHSTONE_SIGNING_KEY" ||
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
	text, err := gitlabPipeline("eval", nil, releasedProgram)
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

// Before a release, the files that init writes get the program from a commit and what the proxy needs from the
// system. They are run as a runner would run them, with a "go" that has built that commit already: what go itself
// does with a commit is not ours to test.
func TestFilesBeforeARelease(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it runs the runner's scripts")
	}
	level.Thorough(t, "it runs a whole evaluation twice")
	program := testprogram.Path(t, testprogram.Touchstone)
	temp := t.TempDir()
	repository := otherRepository(t, program, filepath.Join(temp, "touchstone-store"))
	t.Setenv("TOUCHSTONE_CACHE", filepath.Join(temp, "touchstone-store"))
	t.Setenv("TOUCHSTONE_VAR_runs", "1")
	bin := t.TempDir()
	fake := "#!/bin/sh\n[ \"$*\" = 'install github.com/touchstone-eval/touchstone/cmd/touchstone@" + builtProgram.revision +
		"' ] || exit 9\nmkdir -p \"$GOBIN\" && ln -sf '" + program + "' \"$GOBIN/touchstone\"\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	built := builtProgram
	built.programs = []string{"sh"}
	t.Run("GitHub", func(t *testing.T) {
		j := &actionJob{t: t, action: ".", workspace: repository, temp: temp}
		values := map[string]string{"runner.temp": temp, "runner.os": "Linux"}
		t.Setenv("RUNNER_TEMP", temp)
		for _, step := range readWorkflow(t, []byte(githubWorkflow("eval", "main", nil, built))) {
			switch {
			case step.Run != "":
				cmd := exec.Command("bash", "-eo", "pipefail", "-c", step.Run)
				cmd.Dir = repository
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", step.Run, err, out)
				}
			case strings.HasPrefix(step.Uses, "touchstone-eval/"):
				j.inputs = map[string]string{}
				for name, v := range step.With {
					j.inputs[name] = j.expand(v, values)
				}
				j.run()
			}
		}
		j.expect(t, 0, "the gate passed", "passed")
	})
	t.Run("GitLab", func(t *testing.T) {
		text, err := gitlabPipeline("eval", nil, built)
		if err != nil {
			t.Fatal(err)
		}
		var jobs map[string]struct {
			Before    []string `yaml:"before_script"`
			Script    []string
			Variables map[string]string
		}
		if err := yaml.Unmarshal([]byte(text), &jobs); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		job := jobs["touchstone-gate"]
		cmd := exec.Command("bash", "-eo", "pipefail", "-c", strings.Join(append(job.Before, job.Script...), "\n"))
		cmd.Dir = repository
		cmd.Env = append(os.Environ(), "CI_PROJECT_DIR="+repository)
		for name, v := range job.Variables {
			cmd.Env = append(cmd.Env, name+"="+strings.ReplaceAll(v, "$CI_PROJECT_DIR", repository))
		}
		cmd.Env = append(cmd.Env, "TOUCHSTONE_CACHE="+filepath.Join(temp, "touchstone-store"))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "the gate passed") || strings.Contains(text, "$[[") {
			t.Errorf("%v\n%s\n%s", err, out, text)
		}
	})
}

func TestProgramsOfAnAdapter(t *testing.T) {
	adapter := `build { command = ["sh", "-c", "npm ci && npm run build"] }
start { command = ["node", binary] }`
	if got := programsOf([]byte(adapter), []string{"go", "build"}); !slices.Equal(got, []string{"go", "node", "npm"}) {
		t.Errorf("%q", got)
	}
}
