package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/base/buildversion"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
	testprogram "github.com/touchstone-eval/touchstone/internal/testing/program"
)

// releases serves a release with the archive of one program and no other, as GitHub does. A script
// stands for the program in the archive: packing 50 MB, and unpacking them for each job, would take
// most of the time.
func releases(t *testing.T, program string) *httptest.Server {
	t.Helper()
	name := filepath.Base(program)
	text := []byte("#!/bin/sh\nexec '" + program + "' \"$@\"\n")
	var archive bytes.Buffer
	z, _ := gzip.NewWriterLevel(&archive, gzip.BestSpeed)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name += "_" + buildversion.Developed + "_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v" + buildversion.Developed + "/" + name:
			_, _ = w.Write(archive.Bytes())
		case "/v" + buildversion.Developed + "/checksums.txt":
			fmt.Fprintf(w, "%x  other.tar.gz\n%x  %s\n", sha256.Sum256(nil), sha256.Sum256(archive.Bytes()), name)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// pullRequestAPI is GitHub's API for the comments of one pull request.
type pullRequestAPI struct {
	*httptest.Server
	readOnly bool
	comments []map[string]any
	requests []string
}

func newPullRequestAPI(t *testing.T) *pullRequestAPI {
	api := &pullRequestAPI{}
	api.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.requests = append(api.requests, r.Method)
		if r.Method == http.MethodGet {
			_ = json.NewEncoder(w).Encode(api.comments)
			return
		}
		if api.readOnly {
			http.Error(w, `{"message":"Resource not accessible by integration"}`, http.StatusForbidden)
			return
		}
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/repos/someone/proxy/issues/5/comments":
			in["id"], in["user"] = 1+len(api.comments), map[string]string{"type": "Bot"}
			api.comments = append(api.comments, in)
		case r.Method == http.MethodPatch && r.URL.Path == "/repos/someone/proxy/issues/comments/1":
			api.comments[0]["body"] = in["body"]
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(api.Close)
	return api
}

// otherRepository makes a repository that is not Touchstone's, with the pipeline that init
// writes and a baseline.
func otherRepository(t *testing.T, program, store string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("# A proxy of someone\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][]string{
		{dir, program, "init", "eval"},
		{filepath.Join(dir, "eval"), program, "baseline", "update", "--var", "runs=1"},
	} {
		cmd := exec.Command(step[1], step[2:]...)
		cmd.Dir = step[0]
		cmd.Env = append(os.Environ(), "TOUCHSTONE_CACHE="+store)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", step, err, out)
		}
	}
	return dir
}

// gateFixture is a repository that is not this one, where the action runs with a released
// program and a pull request over real HTTP.
type gateFixture struct {
	program, repository string
	temp, event         string
	downloads           *httptest.Server
	api                 *pullRequestAPI
}

func newGateFixture(t *testing.T) *gateFixture {
	t.Helper()
	level.Thorough(t, "it runs whole evaluations")
	if runtime.GOOS == "windows" {
		t.Skip("it runs the runner's scripts")
	}
	// The jobs share the store, which is below temp.
	f := &gateFixture{program: testprogram.Path(t, testprogram.Touchstone), temp: t.TempDir(), api: newPullRequestAPI(t)}
	f.downloads = releases(t, f.program)
	f.repository = otherRepository(t, f.program, filepath.Join(f.temp, "touchstone-store"))
	f.event = filepath.Join(f.temp, "event.json")
	if err := os.WriteFile(f.event, []byte(`{"pull_request":{"number":5}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	return f
}

// pull runs the action for a pull request.
func (f *gateFixture) pull(t *testing.T, inputs map[string]string) *actionJob {
	t.Helper()
	j := &actionJob{
		t: t, action: ".", workspace: f.repository, temp: f.temp,
		inputs:  map[string]string{"directory": "eval", "vars": "runs=1\n", "downloads": f.downloads.URL},
		context: map[string]string{"github.event_name": "pull_request"},
		env:     []string{"GITHUB_API_URL=" + f.api.URL, "GITHUB_REPOSITORY=someone/proxy", "GITHUB_EVENT_PATH=" + f.event},
	}
	maps.Copy(j.inputs, inputs)
	j.run()
	return j
}

// expect checks how a job ended, a pattern of its log, and its summary in lower case.
func (j *actionJob) expect(t *testing.T, code int, log, summary string) {
	t.Helper()
	if j.code != code || j.outputs["outputs.exit-code"] != fmt.Sprint(code) {
		t.Errorf("exit status %d and output %q, want %d:\n%s", j.code, j.outputs["outputs.exit-code"], code, j.log)
	}
	if !regexp.MustCompile(log).MatchString(j.log) {
		t.Errorf("the log lacks %s:\n%s", log, j.log)
	}
	if !strings.Contains(strings.ToLower(j.summary), summary) {
		t.Errorf("the summary lacks %s:\n%s", summary, j.summary)
	}
}

// uses reports whether the job used an action of others whose description has this text.
func (j *actionJob) uses(text string) bool {
	return strings.Contains(strings.Join(j.used, "\n"), text)
}

func TestGateAction(t *testing.T) {
	f := newGateFixture(t)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *gateFixture)
	}{
		{"passes", passingPullRequest}, {"fails", failingPullRequest}, {"on a fork", pullRequestFromFork},
		{"invalid data", pullRequestWithInvalidData}, {"on the main branch", pushToMain}, {"in GitLab", gitlabJobs}, {"no program", noProgram},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, f) })
	}
}

func passingPullRequest(t *testing.T, f *gateFixture) {
	j := f.pull(t, nil)
	j.expect(t, 0, `(?m)^::notice title=Touchstone%3A the gate passed::`, "passed")
	if len(f.api.comments) != 1 || !strings.HasPrefix(fmt.Sprint(f.api.comments[0]["body"]), "<!-- touchstone: gate -->\n") {
		t.Errorf("comments: %v", f.api.comments)
	}
	if !j.uses("actions/cache/restore path="+f.temp+"/touchstone-store key=touchstone-Linux-gate-1234") ||
		!j.uses("actions/upload-artifact path=eval/reports") || j.uses("save") || j.uses("sarif") {
		t.Errorf("used %q", j.used)
	}
}

func failingPullRequest(t *testing.T, f *gateFixture) {
	j := f.pull(t, map[string]string{"vars": "runs=1\ndegrade=drop-descriptions", "sarif-file": "out.sarif", "upload-sarif": "true"})
	j.expect(t, 1, `(?m)^::error .*title=Touchstone%3A .*Recall@10`, "failed")
	if len(f.api.comments) != 1 || !strings.Contains(strings.ToLower(fmt.Sprint(f.api.comments[0]["body"])), "failed") {
		t.Errorf("the comment was not changed: %v", f.api.comments)
	}
	sarif, err := os.ReadFile(filepath.Join(f.repository, "out.sarif"))
	if err != nil || !strings.Contains(string(sarif), `"eval/pipeline.hcl"`) {
		t.Errorf("%v: %s", err, sarif)
	}
	if !j.uses("upload-sarif sarif_file=out.sarif") {
		t.Errorf("used %q", j.used)
	}
}

func pullRequestFromFork(t *testing.T, f *gateFixture) {
	f.api.readOnly = true
	defer func() { f.api.readOnly = false }()
	j := f.pull(t, map[string]string{"sarif-file": "out.sarif"})
	j.expect(t, 0, "no comment: ", "passed")
	if strings.Contains(j.log, "::warning title=Touchstone::the comment") {
		t.Errorf("not silent:\n%s", j.log)
	}
}

func pullRequestWithInvalidData(t *testing.T, f *gateFixture) {
	golden := filepath.Join(f.repository, "eval/datasets/golden_v2.json")
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(golden, text, 0o644)
	if err := os.WriteFile(golden, bytes.Replace(text, []byte(`"tool_id"`), []byte(`"tol"`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	j := f.pull(t, nil)
	j.expect(t, 4, `(?m)^::error file=eval/datasets/golden_v2.json,line=\d+,`, "no verdict")
	if body := fmt.Sprint(f.api.comments[0]["body"]); len(f.api.comments) != 1 || !strings.Contains(strings.ToLower(body), "no verdict") {
		t.Errorf("comments: %v", f.api.comments)
	}
}

func pushToMain(t *testing.T, f *gateFixture) {
	before := len(f.api.requests)
	j := &actionJob{
		t: t, action: ".", workspace: f.repository, temp: f.temp,
		inputs: map[string]string{"directory": "eval", "vars": "runs=1", "program": f.program, "artifact": ""},
		env:    []string{"GITHUB_API_URL=" + f.api.URL, "GITHUB_REPOSITORY=someone/proxy", "GITHUB_EVENT_PATH=" + filepath.Join(f.repository, "eval/datasets/lock.json")},
	}
	j.run()
	j.expect(t, 0, "nothing to do", "passed")
	if !j.uses("actions/cache/save") || j.uses("artifact") {
		t.Errorf("used %q", j.used)
	}
	if len(f.api.requests) != before {
		t.Errorf("requests without a pull request: %v", f.api.requests[before:])
	}
}

func gitlabJobs(t *testing.T, f *gateFixture) {
	for vars, want := range map[string]int{"runs=1": 0, "runs=1\ndegrade=drop-descriptions": 1} {
		j := &gitlabJob{t: t, project: f.repository, inputs: map[string]string{
			"directory": "eval", "vars": vars, "downloads": f.downloads.URL,
		}}
		j.run()
		if j.code != want || strings.Contains(j.log, "::error") || strings.Contains(j.log, "::notice") {
			t.Errorf("exit status %d, want %d:\n%s", j.code, want, j.log)
		}
		for kind, file := range j.reports {
			text, err := os.ReadFile(filepath.Join(f.repository, file))
			if err != nil {
				t.Fatal(err)
			}
			if failed := strings.Contains(string(text), "<failure") || strings.Contains(string(text), `"severity": "major"`); failed != (want == 1) {
				t.Errorf("%s of a job that ended with %d: %.500s", kind, want, text)
			}
		}
		if len(j.reports) != 2 {
			t.Errorf("reports: %v", j.reports)
		}
	}
	j := &gitlabJob{t: t, project: f.repository, inputs: map[string]string{"downloads": f.downloads.URL, "sha256": strings.Repeat("0", 64)}}
	j.run()
	if j.code == 0 || j.code == 1 || strings.Contains(j.log, "the gate") {
		t.Errorf("a wrong digest: exit status %d\n%s", j.code, j.log)
	}
}

func noProgram(t *testing.T, f *gateFixture) {
	for name, tt := range map[string]struct {
		inputs map[string]string
		want   string
	}{
		"wrong digest":    {map[string]string{"sha256": strings.Repeat("0", 64)}, "but 0000"},
		"no such release": {map[string]string{"version": "9.9.9"}, "cannot fetch .*/v9.9.9/"},
		"no version":      {map[string]string{"version": "$(touch hacked)"}, "is not a version"},
		"no program":      {map[string]string{"program": "none"}, "there is no program none"},
	} {
		t.Run(name, func(t *testing.T) {
			j := f.pull(t, tt.inputs)
			if !j.failed || j.code != 2 || !regexp.MustCompile(tt.want).MatchString(j.log) || strings.Contains(j.log, "the gate") {
				t.Errorf("exit status %d:\n%s", j.code, j.log)
			}
		})
	}
}

// The actions fetch the release that they belong to.
func TestActionsNameTheVersion(t *testing.T) {
	for _, file := range []string{"../../action.yml", "../../ci/actions/scan/action.yml", "../../templates/gate.yml", "../../templates/scan.yml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), `default: "`+buildversion.Developed+`"`) {
			t.Errorf("%s does not fetch version %s", file, buildversion.Developed)
		}
	}
}
