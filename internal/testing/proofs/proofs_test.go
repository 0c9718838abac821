package proofs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// The proofs run the real binary on copies of the real pipeline and data (see workbench_test.go). They show
// that the evaluation does not pass trivially.

// INV-1.
func TestDanglingLabelFails(t *testing.T) {
	b := newBench(t, shared(t))
	var id string
	change(b, "datasets/golden_v1.json", func(g *contracts.GoldenSet) {
		g.Version = "draft"
		g.Queries[3].Labels[0].ToolID = "nowhere:nothing"
		id = g.Queries[3].ID
	})
	r := b.want(exitBadDataset, "gate")
	for _, want := range []string{id, "nowhere:nothing", "datasets/golden_v1.json"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("the message does not name %q:\n%s", want, r.stderr)
		}
	}
}

// INV-2.
func TestMissingToolDrivesRecallToZero(t *testing.T) {
	b := newSmallBench(t, shared(t))
	golden := read[contracts.GoldenSet](t, filepath.Join(b.dir, "datasets/small_golden.json"))
	i := slices.IndexFunc(golden.Queries, func(q contracts.Query) bool {
		relevant := 0
		for _, l := range q.Labels {
			if l.Relevance > 0 {
				relevant++
			}
		}
		return relevant == 1
	})
	query := golden.Queries[i]
	tool := query.Labels[slices.IndexFunc(query.Labels, func(l contracts.Label) bool { return l.Relevance > 0 })].ToolID

	score := func(dir string) float64 {
		b.want(0, "run", "--until", "score-retrieval", "-o", dir)
		report := read[contracts.RetrievalReport](t, filepath.Join(b.dir, dir, "run=1", "retrieval.json"))
		at := slices.IndexFunc(report.PerQuery, func(q contracts.QueryResult) bool { return q.ID == query.ID })
		return report.PerQuery[at].Metrics["recall_at_10"]
	}
	before := score("before")
	if before == 0 {
		t.Fatalf("%s does not find its tool to begin with, so it proves nothing", query.ID)
	}
	b.vars = append(b.vars, "--var", "degrade=hide="+tool)
	if after := score("after"); after != 0 {
		t.Errorf("recall of %s without %s is %v, want 0 (before: %v)", query.ID, tool, after, before)
	}
}

// INV-3.
func TestKnownPoisoningAndVisibleFalsePositive(t *testing.T) {
	b := newBench(t, shared(t))
	b.want(0, "run", "--until", "score-security", "-o", "out")
	report := func(detector string) contracts.SecurityReport {
		return read[contracts.SecurityReport](t, filepath.Join(b.dir, "out", "detector="+detector+",run=1", "security.json"))
	}
	// The textbook example: a tool that adds numbers first requests ~/.ssh/id_rsa.
	scanner := report("scanner")
	known := slices.IndexFunc(scanner.PerEntry, func(e contracts.EntryResult) bool { return e.ID == "tp-001" })
	if known < 0 || scanner.PerEntry[known].Verdict != contracts.VerdictFlagged || scanner.Detector.TP == 0 {
		t.Errorf("tp-001 is no true positive: %+v", scanner.Detector)
	}
	naive := report("keywords")
	flagged := 0
	for _, e := range naive.PerEntry {
		if e.Category == contracts.CategoryHardNegative && e.Verdict == contracts.VerdictFlagged {
			flagged++
		}
	}
	if flagged == 0 || naive.Detector.FP < flagged || naive.Detector.FPRHardNegative == nil || *naive.Detector.FPRHardNegative == 0 {
		t.Errorf("the keyword detector flags %d hard negatives, and the score shows %+v", flagged, naive.Detector)
	}
}

// INV-4.
func TestEntryWithoutCategoryOrLicenseFails(t *testing.T) {
	for name, edit := range map[string]func(*contracts.SecurityEntry){
		"category":   func(e *contracts.SecurityEntry) { e.Category = "" },
		"license":    func(e *contracts.SecurityEntry) { e.Provenance.License = "" },
		"restricted": func(e *contracts.SecurityEntry) { e.Provenance.License = "CC-BY-NC-4.0" },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, shared(t))
			path := filepath.Join(b.dir, "datasets/security_v1.json")
			s := read[contracts.SecurityCorpus](t, path)
			s.Version = "draft"
			edit(&s.Entries[5])
			raw, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, raw, 0o644); err != nil {
				t.Fatal(err)
			}
			r := b.want(exitBadDataset, "gate")
			if !strings.Contains(r.stderr, s.Entries[5].ID) {
				t.Errorf("the message does not name %s:\n%s", s.Entries[5].ID, r.stderr)
			}
		})
	}
}

// INV-5. A baseline from a new store equals one from another store.
func TestUnchangedRerunReproducesTheBaseline(t *testing.T) {
	b := newSmallBench(t, t.TempDir())
	b.vars = append(b.vars, "--var", `detectors=["scanner","keywords"]`)
	b.baseline(nil)
	first, err := os.ReadFile(filepath.Join(b.dir, defaultBaseline))
	if err != nil {
		t.Fatal(err)
	}
	b.want(0, "gate")
	if r := b.want(0, "gate"); !strings.Contains(r.stdout, "nothing to do") {
		t.Errorf("the second gate did something:\n%s", r.stdout)
	}
	b.store = t.TempDir()
	b.want(0, "baseline", "update")
	second, err := os.ReadFile(filepath.Join(b.dir, defaultBaseline))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("measuring again from nothing gave another baseline")
	}
}

func TestDegradedIndexFailsTheGateAndNamesTheMetric(t *testing.T) {
	for degrade, metric := range map[string]string{"drop-descriptions": "Recall@5", "reverse-top": "MRR"} {
		t.Run(degrade, func(t *testing.T) {
			if degrade == "drop-descriptions" {
				level.Thorough(t, "it runs the whole pipeline once more with another degradation")
			}
			b := newBench(t, shared(t))
			b.baseline(nil)
			b.vars = append(b.vars, "--var", "degrade="+degrade)
			before := b.read(defaultBaseline)
			if r := b.want(exitUsage, "baseline", "update"); !strings.Contains(r.stderr, "degraded on purpose ("+degrade+")") {
				t.Errorf("a harmed index may become the baseline:\n%s", r.stderr)
			}
			if !bytes.Equal(before, b.read(defaultBaseline)) {
				t.Error("the refused baseline was written")
			}
			r := b.want(exitGateFailed, "gate")
			if !strings.Contains(r.stdout, metric) || !strings.Contains(r.stdout, "FAIL") {
				t.Errorf("the verdict does not name %s:\n%s", metric, r.stdout)
			}
		})
	}
}

// TestNoisyDetectorFailsOnFPR replaces our detector by one that flags everything, and so misses nothing.
func TestNoisyDetectorFailsOnFPR(t *testing.T) {
	b := newSmallBench(t, shared(t))
	b.detector("alarmist", `
		while IFS= read -r line; do
		  id=${line#*'"id":"'}
		  printf '{"protocol":1,"id":"%s","flagged":true}\n' "${id%%'"'*}"
		done`)
	b.vars = append(b.vars, "--var", `detectors=["alarmist"]`, "--var", `external_detectors={`+shellDetector("alarmist")+`}`)
	b.baseline(func(base *contracts.Baseline) {
		base.Thresholds.Detectors = []contracts.DetectorThreshold{{
			Detector: "alarmist", FPRCeiling: 0.5, HardNegativeFPRCeiling: 0.5, RecallFloor: 1,
		}}
	})
	b.want(exitGateFailed, "gate")
	report := read[contracts.Report](t, filepath.Join(b.dir, "reports", "report.json"))
	var failed []string
	for _, c := range report.Gate.Checks {
		if c.Subject == "alarmist" && c.Metric == "recall" && c.Value != 1 {
			t.Errorf("recall is %v, want 1", c.Value)
		}
		if !c.Passed {
			failed = append(failed, c.Subject+" "+c.Metric)
		}
	}
	if want := []string{"alarmist fpr_benign", "alarmist fpr_hard_negative"}; !slices.Equal(failed, want) {
		t.Errorf("failed %v, want %v", failed, want)
	}
}

func TestEditOfOneQueryRerunsOnlyWhatReadsIt(t *testing.T) {
	b := newBench(t, shared(t))
	change(b, "datasets/golden_v1.json", func(g *contracts.GoldenSet) { g.Version = "draft" })
	b.want(0, "run", "--until", "aggregate")
	change(b, "datasets/golden_v1.json", func(g *contracts.GoldenSet) { g.Queries[0].Query += " please" })
	b.want(0, "run", "--until", "validate-datasets")
	got := b.statuses()
	for instance, want := range map[string]string{
		"validate-datasets[]": "HIT", "build-proxy[]": "HIT", "snapshot-index[]": "HIT",
		"score-security[detector=scanner,run=1]": "HIT", "score-security[detector=keywords,run=1]": "HIT",
		"score-retrieval[run=1]": "MISS", "aggregate[]": "WAITS",
	} {
		if got[instance] != want {
			t.Errorf("%s is %s, want %s", instance, got[instance], want)
		}
	}
	if r := b.want(0, "explain", "score-retrieval"); !strings.Contains(r.stdout, "edited (query)") {
		t.Errorf("explain does not name the edited query:\n%s", r.stdout)
	}
	// A frozen version must not be edited where that is refused.
	change(b, "datasets/golden_v1.json", func(g *contracts.GoldenSet) { g.Version = "v1" })
	if r := b.want(exitBadDataset, "gate", "--var", "changed_data.frozen=refuse"); !strings.Contains(r.stderr, "frozen") {
		t.Errorf("the message does not say that the version is frozen:\n%s", r.stderr)
	}
}

func TestCommentInThePipelineRerunsNothing(t *testing.T) {
	b := newSmallBench(t, shared(t))
	b.want(0, "run", "--until", "aggregate")
	path := filepath.Join(b.dir, "pipeline.hcl")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("# a comment\n"), src...), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := b.want(0, "run", "--until", "aggregate"); !strings.Contains(r.stdout, "nothing to do") {
		t.Errorf("a comment made something run:\n%s", r.stdout)
	}
}

// A baseline on other data is compared with in the part that is the same, unless
// that is too small.
func TestBaselineOfOtherData(t *testing.T) {
	level.Thorough(t, "it judges all queries of version 1, and the script changed_data does the same with eight")
	b := newBench(t, shared(t))
	b.baseline(nil)
	var all int
	change(b, "datasets/golden_v1.json", func(g *contracts.GoldenSet) {
		g.Version = "draft"
		all = len(g.Queries) - 1
		g.Queries = g.Queries[:all]
	})
	r := b.want(0, "gate")
	if want := fmt.Sprintf("%d of %d queries", all, all); !strings.Contains(r.stdout, want) || !strings.Contains(r.stdout, "queries, removed: ") {
		t.Errorf("the verdict does not say %q and what was removed:\n%s", want, r.stdout)
	}
	change(b, "datasets/golden_v1.json", func(g *contracts.GoldenSet) { g.Queries = g.Queries[:all/2-1] })
	r = b.want(exitNoVerdict, "gate")
	if !strings.Contains(r.stdout, "no verdict: ") || !strings.Contains(r.stdout, "touchstone baseline update") {
		t.Errorf("the message does not name the reason and the remedy:\n%s", r.stdout)
	}
}

// kill -9 at random stages of progress loses nothing: the next run passes, and the
// store is sound.
func TestKilledAtRandomInstants(t *testing.T) {
	kills := level.Rounds(3, 15) // bench/campaigns kills more often
	b := newSmallBench(t, shared(t))
	b.baseline(nil)
	b.store = t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		events := filepath.Join(t.TempDir(), "events.ndjson")
		cmd := b.command(append([]string{"gate", "--progress", "quiet", "--events", events}, b.vars...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killAt(cmd, events, random.Int64N(5000), time.Duration(random.IntN(10))*time.Millisecond)
		if random.IntN(5) == 0 {
			b.store = t.TempDir() // sometimes start with an empty cache
		}
	}
	b.want(0, "gate")
	if out, err := b.command("cache", "verify").CombinedOutput(); err != nil {
		t.Errorf("the store is damaged: %s", out)
	}
}

// killAt kills a command a random moment after its event log has reached the given size,
// unless it ends before. The size of the log measures the progress of a run independently
// of the speed of the machine.
func killAt(cmd *exec.Cmd, log string, bytes int64, moment time.Duration) {
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	for {
		if st, err := os.Stat(log); err == nil && st.Size() >= bytes {
			break
		}
		select {
		case <-ended:
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
	time.Sleep(moment)
	_ = cmd.Process.Kill()
	<-ended
}

// The REST search and retrieve_tools use the same index.
func TestBothSearchPathsRankAlike(t *testing.T) {
	level.Thorough(t, "it asks all queries of version 1, and TestReportsAreTheSameBytes of score-retrieval compares the paths on eight")
	b := newBench(t, shared(t))
	metrics := func(search string) contracts.RetrievalMetrics {
		out := "out-" + search
		b.want(0, "run", "--until", "score-retrieval", "-o", out, "--var", "retrieval.search="+search)
		return read[contracts.RetrievalReport](t, filepath.Join(b.dir, out, "run=1", "retrieval.json")).Metrics
	}
	if mcp, rest := metrics("mcp"), metrics("rest"); !reflect.DeepEqual(mcp, rest) {
		t.Errorf("by MCP %+v, by REST %+v", mcp, rest)
	}
}

// MetaTool's data has no baseline, so it is reported but not judged.
func TestForeignDataIsReported(t *testing.T) {
	level.Thorough(t, "it asks 1,411 queries")
	external, err := filepath.Abs("../../../../shared/external")
	if err != nil {
		t.Fatal(err)
	}
	corpus := filepath.Join(external, "metatool.corpus.json")
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("the external data is not beside this checkout: ", corpus)
	}
	b := newBench(t, shared(t))
	b.vars = append(b.vars, "--var", "corpus="+corpus, "--var", "golden="+filepath.Join(external, "metatool.golden.json"))
	b.want(0, "run", "--until", "aggregate", "-o", "out")
	agg := read[contracts.Aggregate](t, filepath.Join(b.dir, "out", "aggregate.json"))
	if agg.Retrieval.Queries != 1411 || agg.Baseline.Comparable {
		t.Errorf("%d queries, baseline %+v", agg.Retrieval.Queries, agg.Baseline)
	}
	for _, m := range agg.Retrieval.Metrics {
		if m.Metric == "recall_at_5" {
			t.Logf("Recall@5 is %.4f, plain BM25 has .454", m.Mean)
			if m.Mean < 0.454 {
				t.Errorf("Recall@5 is %.4f, below plain BM25's .454", m.Mean)
			}
		}
	}
}

func TestInterruptedGateSaysSoAndGoesOn(t *testing.T) {
	b := newSmallBench(t, shared(t))
	b.baseline(nil)
	b.store = t.TempDir()
	events := filepath.Join(b.dir, "events.ndjson")
	cmd := b.command(append([]string{"gate", "--events", events}, b.vars...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if log, _ := os.ReadFile(events); bytes.Contains(log, []byte(`"event":"done"`)) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(errs.String(), "the results of finished stages are cached") {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
	r := b.want(0, "gate", "--json")
	var facts gateFacts
	if err := json.Unmarshal([]byte(r.stdout), &facts); err != nil || facts.Run.Hits == 0 {
		t.Errorf("after the interrupt there were %d hits, %v", facts.Run.Hits, err)
	}
}
