package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// runTrec runs the command and returns its standard output.
func runTrec(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := newTrecCommand(&globalFlags{})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	err := cmd.Execute()
	return out.String(), err
}

func TestTrecReproducesTheReference(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "reference", "trec")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the reference figures are not beside this checkout: %v", err)
	}
	qrels, run := filepath.Join(dir, "qrels.txt"), filepath.Join(dir, "run.txt")
	measures := []string{"-m", "recall.1,3,5,10", "-m", "recip_rank", "-m", "ndcg_cut.10", "-m", "map", "-m", "P.1,5,10", "-m", "success.1,5,10"}
	for file, options := range map[string][]string{
		"expected.txt": nil, "expected_complete.txt": {"-c"}, "expected_level2.txt": {"-l", "2"},
	} {
		want, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, chosen := range [][]string{nil, measures} {
			got, err := runTrec(t, append(append(append([]string{"-q"}, options...), chosen...), qrels, run)...)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s with %v differs", file, chosen)
			}
		}
	}
}

func TestTrecPrintsMeansOnly(t *testing.T) {
	dir := t.TempDir()
	qrels, run := filepath.Join(dir, "qrels"), filepath.Join(dir, "run")
	writeText(t, qrels, "q1 0 d1 2\nq2 0 d2 1\n")
	writeText(t, run, "q1 Q0 d1 1 2 x\nq1 Q0 d9 1 3 x\n")
	got, err := runTrec(t, "-c", "-m", "ndcg_cut.10", "-m", "recip_rank", qrels, run)
	if err != nil {
		t.Fatal(err)
	}
	if want := "recip_rank            \tall\t0.2500\nndcg_cut_10           \tall\t0.3155\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	file := filepath.Join(dir, "made", "figures.txt")
	printed, err := runTrec(t, "-c", "-m", "recip_rank", "-o", file, qrels, run)
	if b, readErr := os.ReadFile(file); err != nil || readErr != nil || printed != "" || string(b) != "recip_rank            \tall\t0.2500\n" {
		t.Errorf("-o: %q, %v and %v, and %q is printed", b, err, readErr, printed)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{qrels}, "needs 2 arguments"},
		{[]string{qrels, filepath.Join(dir, "none")}, "check that it exists"},
		{[]string{run, run}, run + ":1: 6 fields instead of 4"},
		{[]string{"-m", "ndcg", qrels, run}, `unknown measure "ndcg"`},
		{[]string{"-l", "-1", qrels, run}, "level -1 is negative"},
	} {
		if _, err := runTrec(t, tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %s", tt.args, err, tt.want)
		}
	}
}

// TestTrecRoundTrip exports a golden set and a report, scores them, and imports the golden set again.
func TestTrecRoundTrip(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	corpus := contracts.Corpus{Version: "c1", GeneratedFrom: contracts.GeneratedFrom{Source: "test"}, Tools: []contracts.Tool{
		{ToolID: "a:one two", Server: "a", Tool: "one two", Description: "x", Schema: []byte(`{"type":"object"}`)},
		{ToolID: "b:100%", Server: "b", Tool: "100%", Description: "y", Schema: []byte(`{"type":"object"}`)},
	}}
	golden := contracts.GoldenSet{CorpusVersion: "c1", Queries: []contracts.Query{
		{ID: "q1", Query: "first", Labels: []contracts.Label{{ToolID: "a:one two", Relevance: 2}, {ToolID: "b:100%", Relevance: 0}}},
	}}
	write := func(name string, v any) {
		t.Helper()
		if err := contracts.Write(in(name), v); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(in("set"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("set/corpus.json", corpus)
	write("golden.json", golden)
	sha := strings.Repeat("0", 64)
	write("report.json", contracts.RetrievalReport{
		CorpusVersion: "c1", GoldenVersion: "g1", CorpusSHA256: sha, GoldenSHA256: sha,
		Proxy: "my proxy", ProxyIdentity: "x", SearchPath: contracts.SearchMCP, Run: 1,
		Metrics: contracts.RetrievalMetrics{"recall_at_1": 0, "recall_at_3": 1, "recall_at_5": 1, "recall_at_10": 1},
		PerQuery: []contracts.QueryResult{{ID: "q1", Query: "first", Labels: golden.Queries[0].Labels,
			Metrics: contracts.RetrievalMetrics{"recall_at_1": 0, "recall_at_3": 1, "recall_at_5": 1, "recall_at_10": 1},
			// With equal scores, trec_eval would put b:100% first only by chance.
			Ranked: []contracts.RankedTool{{Rank: 1, ToolID: "b:100%", Score: 1}, {Rank: 2, ToolID: "a:one two", Score: 1}}}},
	})
	writeText(t, in("set/topics.tsv"), "q1\tfirst\nq9\tnever judged\n")
	for _, args := range [][]string{
		{"data", "export", in("golden.json"), "--output", in("set/qrels.txt")},
		{"data", "export", in("report.json"), "--output", in("run.txt")},
		{"data", "import", in("set"), "--format", "trec", "--output", in("again")},
	} {
		cmd := newRootCommand()
		cmd.SetArgs(args)
		cmd.SetOut(&bytes.Buffer{})
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
	}
	refused := newRootCommand()
	refused.SetArgs([]string{"data", "export", in("golden.json"), "--output", in("golden.json")})
	if err := refused.Execute(); err == nil || !strings.Contains(err.Error(), "name another file") {
		t.Errorf("an export to the file itself: %v", err)
	}
	if got, err := os.ReadFile(in("run.txt")); err != nil || string(got) != "q1 Q0 b:100%25 1 2 my-proxy\nq1 Q0 a:one%20two 2 1 my-proxy\n" {
		t.Errorf("%v\n%s", err, got)
	}
	if got, err := runTrec(t, "-m", "recip_rank", in("set/qrels.txt"), in("run.txt")); err != nil || !strings.Contains(got, "0.5000") {
		t.Errorf("%v\n%s", err, got)
	}
	again, err := contracts.Read[contracts.GoldenSet](in("again/golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Queries) != 1 || again.Queries[0].Query != "first" || !slices.Equal(again.Queries[0].Labels, golden.Queries[0].Labels) {
		t.Errorf("the queries became\n%+v", again.Queries)
	}
}

// A file that is read is not replaced, by whatever name it is given.
func TestTrecKeepsWhatItReads(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	const qrels, run = "q1 0 d1 2\n", "q1 Q0 d1 1 2 x\n"
	writeText(t, in("qrels"), qrels)
	writeText(t, in("run"), run)
	if err := os.Link(in("run"), in("link")); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"run", "qrels", "link", "./run"} {
		_, err := runTrec(t, in("qrels"), in("run"), "-o", dir+"/"+out)
		if err == nil || !strings.Contains(err.Error(), ", which this command reads: name another file") {
			t.Errorf("-o %s: %v", out, err)
		}
	}
	if _, err := runTrec(t, in("qrels"), in("run"), "-o", in("other")); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"qrels": qrels, "run": run} {
		if got, err := os.ReadFile(in(name)); err != nil || string(got) != want {
			t.Errorf("%s is now %q, %v", name, got, err)
		}
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
