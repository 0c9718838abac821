package scoreretrieval_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/buildproxy"
	"github.com/touchstone-eval/touchstone/stages/scoreretrieval"
	"github.com/touchstone-eval/touchstone/stages/snapshotindex"
)

const (
	smallCorpus = "testdata/corpus.json"
	smallGolden = "testdata/golden.json"
)

// reference builds the manifest of the reference proxy, which all tests share.
func reference(t *testing.T) (dir string) {
	t.Helper()
	dir, err := referenceOnce()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var referenceOnce = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "scoreretrieval-reference-")
	if err != nil {
		return "", err
	}
	return dir, buildproxy.Run(context.Background(), buildproxy.Options{Out: dir, Identity: "under test"})
})

// score runs snapshot-index and then score-retrieval and returns the report
// and its bytes.
func score(t *testing.T, opts scoreretrieval.Options) (contracts.RetrievalReport, []byte, error) {
	t.Helper()
	out := t.TempDir()
	opts.Index = filepath.Join(out, "index.json")
	opts.Out = filepath.Join(out, "report.json")
	if opts.Run == 0 {
		opts.Run = 1
	}
	if opts.Search == "" {
		opts.Search = contracts.SearchMCP
	}
	if err := os.WriteFile(opts.Index, snapshot(t, opts), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := scoreretrieval.Run(t.Context(), opts); err != nil {
		if _, stat := os.Stat(opts.Out); stat == nil {
			t.Error("a report was written although the stage failed")
		}
		return contracts.RetrievalReport{}, nil, err
	}
	raw, err := os.ReadFile(opts.Out)
	if err != nil {
		t.Fatal(err)
	}
	report, err := contracts.Read[contracts.RetrievalReport](opts.Out)
	if err != nil {
		t.Fatal(err)
	}
	return report, raw, nil
}

// snapshots holds what snapshot-index wrote, by the options that it depends on. Starting a proxy takes
// longer than the queries of most tests.
var snapshots struct {
	sync.Mutex
	of map[[3]string][]byte
}

// snapshot runs snapshot-index, unless another test with the same proxy did.
func snapshot(t *testing.T, opts scoreretrieval.Options) []byte {
	t.Helper()
	key := [3]string{opts.Proxy, opts.Corpus, opts.Degrade}
	snapshots.Lock()
	index, ok := snapshots.of[key]
	snapshots.Unlock()
	if ok {
		return index
	}
	out := filepath.Join(t.TempDir(), "index.json")
	err := snapshotindex.Run(t.Context(), snapshotindex.Options{Proxy: opts.Proxy, Corpus: opts.Corpus, Degrade: opts.Degrade, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	if index, err = os.ReadFile(out); err != nil {
		t.Fatal(err)
	}
	snapshots.Lock()
	defer snapshots.Unlock()
	if snapshots.of == nil {
		snapshots.of = map[[3]string][]byte{}
	}
	snapshots.of[key] = index
	return index
}

func mustScore(t *testing.T, opts scoreretrieval.Options) (contracts.RetrievalReport, []byte) {
	t.Helper()
	report, raw, err := score(t, opts)
	if err != nil {
		t.Fatal(err)
	}
	return report, raw
}

func small(dir string) scoreretrieval.Options {
	return scoreretrieval.Options{Proxy: dir, Corpus: smallCorpus, Golden: smallGolden}
}

func result(t *testing.T, r contracts.RetrievalReport, id string) contracts.QueryResult {
	t.Helper()
	for _, q := range r.PerQuery {
		if q.ID == id {
			return q
		}
	}
	t.Fatalf("the report lacks query %s", id)
	return contracts.QueryResult{}
}

// Two runs with one seed give the same bytes. Another seed or another search
// path changes only the line that names it, because the reference proxy is not
// sensitive to order.
func TestReportsAreTheSameBytes(t *testing.T) {
	t.Parallel()
	dir := reference(t)
	mcp, first := mustScore(t, small(dir))
	_, again := mustScore(t, small(dir))
	if !bytes.Equal(first, again) {
		t.Error("two runs of one seed differ")
	}
	opts := small(dir)
	opts.Run = 2
	_, second := mustScore(t, opts)
	if got := bytes.Replace(second, []byte(`"run": 2`), []byte(`"run": 1`), 1); !bytes.Equal(first, got) {
		t.Errorf("run 2 is not run 1:\n%s", got)
	}
	opts = small(dir)
	opts.Search = contracts.SearchREST
	rest, _ := mustScore(t, opts)
	// The paths have different texts, and only over MCP has the proxy tools of its own.
	rest.SearchPath, rest.Cost, mcp.Cost = mcp.SearchPath, nil, nil
	takeCosts(rest.PerQuery)
	takeCosts(mcp.PerQuery)
	if !reflect.DeepEqual(mcp, rest) {
		t.Errorf("REST gives a different report than MCP:\n%+v\nwant\n%+v", rest, mcp)
	}
}

// A unanswerable query is asked, and enters no metric.
func TestQueryWithoutARightTool(t *testing.T) {
	t.Parallel()
	dir := reference(t)
	before, _ := mustScore(t, small(dir))
	golden, err := contracts.Read[contracts.GoldenSet](smallGolden)
	if err != nil {
		t.Fatal(err)
	}
	golden.Queries = append(golden.Queries,
		contracts.Query{ID: "n1", Query: "create an event on the moon", Language: "en-GB", Tags: []string{contracts.TagIndirect}, Expects: contracts.ExpectsNone},
		contracts.Query{ID: "n2", Query: "xyzzy plugh", Expects: contracts.ExpectsNone, Labels: []contracts.Label{{ToolID: "calendar:create_event"}}},
	)
	golden.TestShare = 0.5
	opts := small(dir)
	opts.Golden = filepath.Join(t.TempDir(), "golden.json")
	if err := contracts.Write(opts.Golden, golden); err != nil {
		t.Fatal(err)
	}
	after, _ := mustScore(t, opts)
	if after.TestShare != 0.5 || before.TestShare != 0 {
		t.Errorf("the test share became %g from %g", after.TestShare, before.TestShare)
	}
	if !reflect.DeepEqual(before.Metrics, after.Metrics) || len(before.PerQuery) != len(after.PerQuery) {
		t.Errorf("the metrics became %v from %v", after.Metrics, before.Metrics)
	}
	if len(after.Unanswerable) != 2 || len(after.Unanswerable[0].Ranked) == 0 || after.Unanswerable[0].Language != "en-GB" || after.Unanswerable[0].Tags[0] != contracts.TagIndirect {
		t.Fatalf("%+v", after.Unanswerable)
	}
	if n2 := after.Unanswerable[1]; len(n2.Ranked) != 0 || n2.Error != "" {
		t.Errorf("n2 found %+v", n2)
	}
	golden.Queries = golden.Queries[len(golden.Queries)-2:]
	if err := contracts.Write(opts.Golden, golden); err != nil {
		t.Fatal(err)
	}
	if _, _, err := score(t, opts); err == nil || !strings.Contains(err.Error(), "no query with a right tool") {
		t.Errorf("nothing to score: %v", err)
	}
}

// Runs show how the order affects a proxy that is sensitive to it.
func TestRunsPermuteTheOrder(t *testing.T) {
	t.Parallel()
	opts := small(badproxy.Manifest(t, badproxy.InsertionOrder))
	_, first := mustScore(t, opts)
	_, again := mustScore(t, opts)
	opts.Run = 2
	_, second := mustScore(t, opts)
	if !bytes.Equal(first, again) {
		t.Error("two runs of one seed differ")
	}
	if bytes.Equal(first, bytes.Replace(second, []byte(`"run": 2`), []byte(`"run": 1`), 1)) {
		t.Error("another seed shows no difference in a proxy that answers in the order of insertion")
	}
}

func TestReport(t *testing.T) {
	r, _ := mustScore(t, small(reference(t)))
	if r.CorpusVersion != "small-1" || r.GoldenVersion != "small-golden-1" || r.Proxy != "reference" ||
		r.ProxyIdentity != "under test" || r.SearchPath != "mcp" || r.Run != 1 {
		t.Errorf("the report is about %+v", r)
	}
	if len(r.PerQuery) != 8 || !slices.IsSortedFunc(r.PerQuery, func(a, b contracts.QueryResult) int { return strings.Compare(a.ID, b.ID) }) {
		t.Errorf("%d queries, or not sorted", len(r.PerQuery))
	}
	for _, q := range r.PerQuery {
		if q.Metrics["recall_at_10"] != 1 {
			t.Errorf("query %s does not have %v among its ten results: %v", q.ID, q.Labels, q.Ranked)
		}
		if q.Error != "" || q.Anomalies != nil {
			t.Errorf("query %s: %s %v", q.ID, q.Error, q.Anomalies)
		}
	}
	rain := result(t, r, "s04")
	for _, ranked := range rain.Ranked {
		judged := ranked.ToolID == "weather:forecast" || ranked.ToolID == "weather:current_conditions"
		if (ranked.Relevance != nil) != judged {
			t.Errorf("%s: relevance %v", ranked.ToolID, ranked.Relevance)
		}
	}
	if result(t, r, "s05").Notes == "" {
		t.Error("notes are lost")
	}
}

// A hidden tool is listed but not found: only the queries for it lose.
func TestHiddenToolIsNeverRecalled(t *testing.T) {
	t.Parallel()
	dir := reference(t)
	whole, _ := mustScore(t, small(dir))
	opts := small(dir)
	opts.Degrade = "hide=mail:search_messages"
	hidden, _ := mustScore(t, opts)
	before, after := result(t, whole, "s03").Metrics, result(t, hidden, "s03").Metrics
	if before["recall_at_1"] != 1 {
		t.Fatalf("it was not found before it was hidden: %v", before)
	}
	for _, m := range metrics.Ranking() {
		worst := 0.0
		if m.LowerIsBetter {
			worst = 1
		}
		if after[m.Name] != worst {
			t.Errorf("%s is %v", m.Name, after[m.Name])
		}
	}
	for _, q := range hidden.PerQuery {
		if q.ID != "s03" && q.Metrics["recall_at_10"] != 1 {
			t.Errorf("query %s lost its tool too", q.ID)
		}
	}
}

func TestDegradedIndexShows(t *testing.T) {
	t.Parallel()
	dir := reference(t)
	whole, _ := mustScore(t, small(dir))
	for _, degrade := range []string{"drop-descriptions", "reverse-top"} {
		opts := small(dir)
		opts.Degrade = degrade
		r, _ := mustScore(t, opts)
		if r.Metrics["mrr"] > whole.Metrics["mrr"]-.1 || r.Metrics["ndcg_at_10"] > whole.Metrics["ndcg_at_10"]-.1 {
			t.Errorf("%s: %v, the whole index %v", degrade, r.Metrics, whole.Metrics)
		}
	}
}

// A proxy built by a command is used through the contract, like the embedded
// one. Here it is a wrapper around the reference proxy.
func TestBuiltProxyScoresAsTheEmbedded(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err = buildproxy.Run(t.Context(), buildproxy.Options{
		Out: dir, Source: t.TempDir(), Binary: "wrapper", Args: []string{"proxy"},
		Command: []string{"/bin/sh", "-c", `printf '#!/bin/sh\nshift\nexec "%s" proxy serve "$@"\n' "$1" > wrapper && chmod +x wrapper`, "sh", self},
	})
	if err != nil {
		t.Fatal(err)
	}
	embedded, _ := mustScore(t, small(reference(t)))
	built, _ := mustScore(t, small(dir))
	if built.Proxy != "wrapper" || len(built.ProxyIdentity) != 64 {
		t.Errorf("the report is about %q, %q", built.Proxy, built.ProxyIdentity)
	}
	built.Proxy, built.ProxyIdentity = embedded.Proxy, embedded.ProxyIdentity
	if !reflect.DeepEqual(built, embedded) {
		t.Errorf("got %+v, want %+v", built, embedded)
	}
}

// Test data from elsewhere, through the REST search because it is faster.
func TestMetaTool(t *testing.T) {
	level.Thorough(t, "it asks 1,411 queries")
	const shared = "../../../shared/external/"
	if _, err := os.Stat(shared + "metatool.corpus.json"); err != nil {
		t.Skip("needs ../shared/external/metatool.*.json beside the checkout:", err)
	}
	r, _ := mustScore(t, scoreretrieval.Options{
		Proxy: reference(t), Corpus: shared + "metatool.corpus.json", Golden: shared + "metatool.golden.json",
		Search: contracts.SearchREST,
	})
	t.Logf("%d queries: %v", len(r.PerQuery), r.Metrics)
	if !strings.HasPrefix(r.GoldenVersion, "sha256:") || len(r.GoldenVersion) != len("sha256:")+12 {
		t.Errorf("a golden set without version is %q", r.GoldenVersion)
	}
	// Plain BM25 over name and description, as published in the data's README.
	const plain = .454
	if got := r.Metrics["recall_at_5"]; got < plain+.1 {
		t.Errorf("recall@5 is %.4f; plain BM25 has %.3f", got, plain)
	}
}

func TestAnswersOfBadForm(t *testing.T) {
	t.Parallel()
	t.Run("every third fails", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{contracts.SearchMCP, contracts.SearchREST} {
			opts := small(badproxy.Manifest(t, badproxy.EveryThirdFails))
			opts.Search = path
			r, raw := mustScore(t, opts)
			failed := 0
			for _, q := range r.PerQuery {
				if q.Error == "" {
					continue
				}
				failed++
				if q.Metrics["recall_at_10"] != 0 || q.Metrics["mrr"] != 0 || len(q.Ranked) != 0 || len(q.Metrics) != len(contracts.MetricNames) {
					t.Errorf("a query that failed has %+v", q)
				}
			}
			if failed != 2 {
				t.Errorf("%s: %d of 8 failed, want 2", path, failed)
			}
			if bytes.Contains(raw, []byte("127.0.0.1")) {
				t.Errorf("%s: the report has an address in it", path)
			}
			_, again := mustScore(t, opts)
			if !bytes.Equal(raw, again) {
				t.Errorf("%s: two runs with failures differ", path)
			}
		}
	})
	t.Run("messy", func(t *testing.T) {
		t.Parallel()
		right, _ := mustScore(t, small(badproxy.Manifest(t, badproxy.Right)))
		messy, _ := mustScore(t, small(badproxy.Manifest(t, badproxy.AnswerMessy)))
		for i, q := range messy.PerQuery {
			if len(q.Anomalies) != 3 {
				t.Errorf("%s: %q", q.ID, q.Anomalies)
			}
			// After cleaning, a malformed answer equals a well-formed one.
			if want := right.PerQuery[i].Ranked; fmt.Sprint(ids(q.Ranked)) != fmt.Sprint(ids(want)) {
				t.Errorf("%s: got %v, want %v", q.ID, ids(q.Ranked), ids(want))
			}
		}
		text := strings.Join(messy.PerQuery[0].Anomalies, "\n")
		for _, want := range []string{"but the limit is 10", `not in the corpus: "nowhere:invented"`, "listed twice:"} {
			if !strings.Contains(text, want) {
				t.Errorf("the remarks lack %q: %s", want, text)
			}
		}
	})
}

// A list is as deep as was asked for, and its beginning is the list of ten, if the proxy has one order.
func TestDepth(t *testing.T) {
	t.Parallel()
	dir := adapted(t, "all-tools", nil)
	ten, _ := mustScore(t, small(dir))
	opts := small(dir)
	opts.Depth = 12
	twelve, _ := mustScore(t, opts)
	for i, q := range twelve.PerQuery {
		if n := len(q.Ranked); n != 12 || fmt.Sprint(ids(q.Ranked)[:10]) != fmt.Sprint(ids(ten.PerQuery[i].Ranked)) {
			t.Errorf("%s: got %v, after %v", q.ID, ids(q.Ranked), ids(ten.PerQuery[i].Ranked))
		}
		if q.Cost != nil && len(q.Cost.TokensThrough) != 12 {
			t.Errorf("%s: tokens are counted through %d results", q.ID, len(q.Cost.TokensThrough))
		}
	}
	for _, depth := range []int{9, 101} {
		opts.Depth = depth
		if _, _, err := score(t, opts); err == nil || !strings.Contains(err.Error(), "is out of range: ask for 10 to 100 results") {
			t.Errorf("%d results: %v", depth, err)
		}
	}
}

func ids(ranked []contracts.RankedTool) []string {
	var out []string
	for _, r := range ranked {
		out = append(out, r.ToolID)
	}
	return out
}

func TestProxyThatCannotBeScored(t *testing.T) {
	if testing.Short() {
		t.Skip("many proxies are started")
	}
	t.Parallel()
	for _, tc := range []struct {
		mode    string
		timeout time.Duration
		want    []string
	}{
		{badproxy.DiesAtQuery, 0, []string{"ended during the queries", "status 7", "that was one too many"}},
		{badproxy.HangsAtQuery, 500 * time.Millisecond, []string{"hangs: 3 consecutive queries", "in mode hangs-at-query"}},
		{badproxy.BreaksOff, 0, []string{"failed on each of the first 3 of 8 queries", "the proxy broke the connection"}},
		{badproxy.EveryQueryFails, 0, []string{"failed on each of the first 3 of 8 queries"}},
		{badproxy.AnswerGarbage, 0, []string{"failed on each of the first 3 of 8 queries"}},
		{badproxy.AnswerNaN, 0, []string{"failed on each of the first 3 of 8 queries", "'N'"}},
	} {
		for _, path := range []string{contracts.SearchMCP, contracts.SearchREST} {
			t.Run(tc.mode+" "+path, func(t *testing.T) {
				t.Parallel()
				opts := small(badproxy.Manifest(t, tc.mode))
				opts.QueryTimeout, opts.Search = tc.timeout, path
				_, _, err := score(t, opts)
				if err == nil {
					t.Fatal("it was scored")
				}
				for _, want := range tc.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("the error lacks %q:\n%v", want, err)
					}
				}
			})
		}
	}
}

// The proxy that is scored must be the proxy that snapshot-index recorded.
func TestIndexHasToBeTheSnapshot(t *testing.T) {
	t.Parallel()
	dir := reference(t)
	out := t.TempDir()
	index := filepath.Join(out, "index.json")
	err := snapshotindex.Run(t.Context(), snapshotindex.Options{Proxy: dir, Corpus: smallCorpus, Out: index})
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := contracts.Read[contracts.IndexSnapshot](index)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		change func(*contracts.IndexSnapshot)
		want   string
	}{
		{"other content", func(s *contracts.IndexSnapshot) { s.Tools[3].SchemaSHA256 = strings.Repeat("0", 64) }, "different schema"},
		{"one more", func(s *contracts.IndexSnapshot) { s.Tools = s.Tools[1:] }, "not expected"},
		{"other proxy", func(s *contracts.IndexSnapshot) { s.ProxyIdentity = "older" }, "run snapshot-index again"},
		{"other corpus", func(s *contracts.IndexSnapshot) { s.CorpusVersion = "older" }, "run snapshot-index again"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changed := snapshot
			changed.Tools = slices.Clone(snapshot.Tools)
			tc.change(&changed)
			opts := small(dir)
			opts.Run, opts.Search, opts.Out = 1, contracts.SearchMCP, filepath.Join(out, "report.json")
			opts.Index = filepath.Join(out, "changed.json")
			if err := contracts.Write(opts.Index, changed); err != nil {
				t.Fatal(err)
			}
			err := scoreretrieval.Run(t.Context(), opts)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	good := small("testdata")
	good.Index, good.Search, good.Run = "testdata/none.json", contracts.SearchMCP, 1
	for _, tc := range []struct {
		name   string
		change func(*scoreretrieval.Options)
		want   string
	}{
		{"run 0", func(o *scoreretrieval.Options) { o.Run = 0 }, "--run 0"},
		{"search", func(o *scoreretrieval.Options) { o.Search = "telepathy" }, "--search"},
		{"degrade", func(o *scoreretrieval.Options) { o.Degrade = "a bit" }, "--degrade"},
		{"corpus is none", func(o *scoreretrieval.Options) { o.Corpus = smallGolden }, "golden.json"},
		{"no index", func(*scoreretrieval.Options) {}, "none.json"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := good
			tc.change(&opts)
			err := scoreretrieval.Run(t.Context(), opts)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
