package proofs

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/engine"
)

// adapters copies the included adapters next to the pipeline of the bench.
func (b *workbench) adapters() {
	b.t.Helper()
	if out, err := exec.Command("cp", "-r", "../../../adapters", b.dir).CombinedOutput(); err != nil {
		b.t.Fatal(string(out))
	}
}

// executed runs up to a stage and returns the instances that were executed.
func (b *workbench) executed(until string) (stages []string) {
	b.t.Helper()
	var facts runFacts
	if err := json.Unmarshal([]byte(b.want(0, "run", "--json", "--progress", "quiet", "--until", until).stdout), &facts); err != nil {
		b.t.Fatal(err)
	}
	for _, s := range facts.Stages {
		if s.Status == string(engine.Ran) {
			stages = append(stages, s.Stage)
		}
	}
	return stages
}

// TestAdapterRunsWhatItConcerns edits an adapter and checks which stages run.
func TestAdapterRunsWhatItConcerns(t *testing.T) {
	b := newSmallBench(t, shared(t))
	b.adapters()
	b.vars = append(b.vars, "--var", "proxy=reference", "--var", "proxy_detectors=[]")
	b.executed("snapshot-index")
	file := filepath.Join(b.dir, "adapters", "reference.hcl")
	for _, tc := range []struct{ what, old, new, want string }{
		{"nothing", "", "", "[]"},
		{"a comment", "name ", "# Reworded.\nname ", "[build-proxy]"},
		{"a detector", "announce {", "detector \"d\" {\n  command = [\"x\"]\n  flagged = answer.bad\n}\nannounce {", "[build-proxy]"},
		{"what it says while it waits", "tools are indexed", "tools are there", "[build-proxy snapshot-index]"},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), tc.old, tc.new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(b.executed("snapshot-index")); got != tc.want {
			t.Errorf("changing %s ran %s, want %s", tc.what, got, tc.want)
		}
	}
	b.vars = []string{"--var", "proxy=nobody"}
	if r := b.want(exitUsage, "plan"); !strings.Contains(r.stderr, "There is no such adapter") {
		t.Errorf("an adapter that is not there: %s", r.stderr)
	}
}

// The detectors of an adapter are scored however their blocks are written. Otherwise the pipeline would
// silently leave one out.
func TestEveryDetectorOfAnAdapterIsPlanned(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.adapters()
	b.vars = append(b.vars, "--var", "proxy=odd")
	text, err := os.ReadFile(filepath.Join(b.dir, "adapters", "reference.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	const body = " {\n  command = [\"x\"]\n  flagged = true\n}\n"
	blocks := "\ndetector \"plain\"" + body + "  detector \"indented\"" + body + "\tdetector  bare" + body + "detector \"tight\"{\n  command = [\"x\"]\n  flagged = true\n}\n# detector \"never\"" + strings.ReplaceAll(body, "\n", "\n# ")
	if err := os.WriteFile(filepath.Join(b.dir, "adapters", "odd.hcl"), append(text, blocks...), 0o644); err != nil {
		t.Fatal(err)
	}
	plan := b.want(0, "plan").stdout
	for name, want := range map[string]bool{"plain": true, "indented": true, "bare": true, "tight": true, "never": false} {
		if got := strings.Contains(plan, "detector="+name+","); got != want {
			t.Errorf("detector %s is planned: %t\n%s", name, got, plan)
		}
	}
}

// mcpproxyVariable is the environment variable with a checkout of mcpproxy-go, which the test builds.
const mcpproxyVariable = "TOUCHSTONE_MCPPROXY"

// TestMCPProxy scores mcpproxy-go on its own published data. With the descriptions and schemas of its
// baseline, our figures equal those that it publishes, on both search paths and with compact answers, and
// so do those of its detectors.
func TestMCPProxy(t *testing.T) {
	source := os.Getenv(mcpproxyVariable)
	if source == "" {
		t.Skipf("set %s to a checkout of mcpproxy-go, see CONTRIBUTING.md", mcpproxyVariable)
	}
	b := newBench(t, t.TempDir())
	b.adapters()
	b.vars = nil
	source, err := filepath.Abs(source)
	if err != nil {
		t.Fatal(err)
	}
	theirs := func(name string) string { return filepath.Join(source, "specs", name) }
	const data = "065-evaluation-foundation/datasets/"
	b.want(0, "stage", "build-proxy", "--adapter", "adapters/mcpproxy.hcl", "--source", source, "--out", "proxy", "--detectors", "detectors")
	b.want(0, "data", "import", theirs("083-discovery-profiler/datasets/corpus_v2.tools.json"), "-o", "v2.json")
	b.want(0, "data", "import", theirs(data+"corpus_v1.tools.json"), "--schemas", "v2.json", "-o", "corpus.json")
	b.want(0, "data", "import", theirs(data+"retrieval_golden_v1.json"), "--corpus", "corpus.json", "-o", "golden.json")
	want := map[string]float64{
		"recall_at_1": .4184, "recall_at_3": .5603, "recall_at_5": .6809, "recall_at_10": .7908,
		"mrr": .5685, "ndcg_at_10": .6095, "map": .5436,
	}
	b.want(0, "stage", "build-proxy", "--adapter", "adapters/mcpproxy.hcl", "--source", source, "--option", "response_mode=compact", "--out", "compact")
	var tokens, calls [3]int
	for i, tc := range []struct{ proxy, search string }{
		{"proxy", contracts.SearchREST}, {"proxy", contracts.SearchMCP}, {"compact", contracts.SearchMCP},
	} {
		b.want(0, "stage", "snapshot-index", "--proxy", tc.proxy, "--corpus", "corpus.json", "--out", "index.json")
		b.want(0, "stage", "score-retrieval", "--proxy", tc.proxy, "--corpus", "corpus.json", "--golden", "golden.json",
			"--index", "index.json", "--search", tc.search, "--run", "1", "--out", "report.json")
		report := read[contracts.RetrievalReport](t, filepath.Join(b.dir, "report.json"))
		for name, published := range want {
			if got := report.Metrics[name]; math.Abs(got-published) > .00005 {
				t.Errorf("%s, %s: %s is %.5f, published is %.4f", tc.proxy, tc.search, name, got, published)
			}
		}
		for _, q := range report.PerQuery {
			tokens[i] += q.Cost.Tokens
			calls[i] += q.Cost.Calls
		}
	}
	if n := calls[1]; calls[0] != n || calls[2] <= n || calls[2] > 2*n || tokens[2] >= tokens[1] {
		t.Errorf("over REST, over MCP and compact, with the descriptions of lossy results: %d calls, %d tokens", calls, tokens)
	}
	b.want(0, "data", "import", theirs(data+"detect_corpus_v1.json"), "--license", "self-authored=MIT", "-o", "security.json",
		"--drop-category", contracts.CategoryCapabilityMismatch)
	// Its gate is 29 of 29 and 0 of 21, and its own tests expect of the live scanner that it blocks no innocent tool.
	for detector, falseAlarms := range map[string]int{"mcpproxy-hard-checks": 0, "mcpproxy-scanner": 0, "mcpproxy-scanner-warnings": 11} {
		b.want(0, "stage", "score-security", "--security", "security.json", "--detector", detector, "--adapted", "detectors", "--run", "1", "--out", "detect.json")
		score := read[contracts.SecurityReport](t, filepath.Join(b.dir, "detect.json")).Detector
		if score.TP != 29 || score.FN != 0 || score.FP != falseAlarms || score.Errored != 0 {
			t.Errorf("%s: want 29 of 29 and %d of 26; got %+v", detector, falseAlarms, score)
		}
	}
}

// Options of mcpproxy-go without a search to measure are refused before the proxy is built.
func TestMCPProxyModes(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.adapters()
	b.vars = nil
	for _, tc := range []struct {
		want    string
		options []string
	}{
		{"has no search", []string{"routing_mode=direct"}},
		{"retrieve_tools or code_execution", []string{"routing_mode=search"}},
		{"answers in full", []string{"routing_mode=code_execution", "response_mode=compact"}},
		{"full or compact", []string{"response_mode=short"}},
		{"Use none or all", []string{"profile=github"}},
		{"the mode retrieve_tools alone", []string{"routing_mode=code_execution", "profile=all"}},
	} {
		args := []string{"stage", "build-proxy", "--adapter", "adapters/mcpproxy.hcl", "--source", b.dir, "--out", "proxy"}
		for _, o := range tc.options {
			args = append(args, "--option", o)
		}
		if r := b.want(exitStageFailed, args...); !strings.Contains(r.stderr, tc.want) {
			t.Errorf("%v: want %q, got %s", tc.options, tc.want, r.stderr)
		}
	}
}
