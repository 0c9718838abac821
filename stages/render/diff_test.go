package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestDiff(t *testing.T) {
	same := Diff(sampleReport(t, 20), sampleReport(t, 20))
	if len(same.Figures)+len(same.Moves)+len(same.DataChanged) != 0 || same.ProxyChanged {
		t.Errorf("a report differs from itself: %+v", same)
	}
	if lines := same.Lines(); len(lines) != 2 || lines[1] != "nothing moved" {
		t.Errorf("%q", lines)
	}

	right := []contracts.Label{{ToolID: "s:right", Relevance: 2}, {ToolID: "s:other", Relevance: 0}}
	list := func(tools ...string) []contracts.RankedTool {
		var ranked []contracts.RankedTool
		for i, id := range tools {
			t := contracts.RankedTool{Rank: i + 1, ToolID: id}
			if at := slices.IndexFunc(right, func(l contracts.Label) bool { return l.ToolID == id }); at >= 0 {
				t.Relevance = &right[at].Relevance
			}
			ranked = append(ranked, t)
		}
		return ranked
	}
	query := func(id string, errored int, ranked ...string) contracts.QuerySummary {
		q := contracts.QuerySummary{ID: id, Query: "text\x1b of " + id, Labels: right, Ranked: list(ranked...), ErroredRuns: errored}
		if errored > 0 {
			q.Error = "timed out"
		}
		return q
	}
	var a, b contracts.Report
	a.Aggregate.Retrieval.PerQuery = []contracts.QuerySummary{
		query("down", 0, "s:right", "s:other"), query("lost", 0, "s:other", "s:right"), query("up", 0, "s:other", "s:right"),
		query("same", 0, "s:right"), query("gone", 0, "s:right"), query("breaks", 0, "s:right"), query("mended", 1),
	}
	b.Aggregate.Retrieval.PerQuery = []contracts.QuerySummary{
		query("down", 0, "s:other", "s:right"), query("lost", 0, "s:other"), query("up", 0, "s:right"),
		query("same", 0, "s:right"), query("fresh", 0, "s:right"), query("breaks", 2), query("mended", 0, "s:right"),
	}
	entry := func(id, label, verdict string) contracts.EntrySummary {
		e := contracts.EntrySummary{ID: id, Label: label, Verdict: verdict}
		if verdict == contracts.VerdictErrored {
			e.Error = "timed out"
		}
		return e
	}
	inOneRun := entry("e8", "malicious", "flagged") // of several
	inOneRun.Error = "timed out"
	value := func(f float64) *float64 { return &f }
	a.Aggregate.Detectors = []contracts.DetectorSummary{{
		Score:          contracts.DetectorScore{Detector: "d", Recall: value(0.9), Precision: value(0.5)},
		RecallInterval: &contracts.Interval{Low: 0.8, High: 0.95},
		PerEntry:       []contracts.EntrySummary{entry("e1", "malicious", "flagged"), entry("e2", "benign", "flagged"), entry("e3", "benign", "clean"), entry("e4", "benign", "clean"), entry("e5", "benign", "clean"), entry("e7", "malicious", "errored"), entry("e8", "malicious", "flagged")},
	}, {Score: contracts.DetectorScore{Detector: "only before"}}}
	b.Aggregate.Detectors = []contracts.DetectorSummary{{
		Score:          contracts.DetectorScore{Detector: "d", Recall: value(0.85), FPRBenign: value(0.1)},
		RecallInterval: &contracts.Interval{Low: 0.7, High: 0.92},
		PerEntry:       []contracts.EntrySummary{entry("e1", "malicious", "clean"), entry("e2", "benign", "clean"), entry("e3", "benign", "flagged"), entry("e4", "benign", "errored"), entry("e6", "benign", "clean"), entry("e7", "malicious", "clean"), inOneRun},
	}}
	b.Gate.Passed = true
	b.Aggregate.Data.GoldenSHA256 = "other"
	b.Aggregate.ProxyIdentity = "other"

	want := `gate: failed → passed
note: the golden datasets differ, which is one reason why figures differ
note: the proxies under test differ
~ d Recall: 0.900 → 0.850 (−0.050)
  d FPR, plain benign: new, 0.100
- d Precision: gone, was 0.500
regressed: d e1 (flagged → clean)
regressed: d e3 (clean → flagged)
regressed: down (rank 1 → 2 for s:right, displaced by s:other) text· of down
regressed: lost (rank 2 → none for s:right) text· of lost
errored: d e4 (error: timed out)
errored: d e8 (error: timed out)
errored: breaks (error: timed out) text· of breaks
removed: d e5 (clean → not there)
removed: gone (rank 1 → none for s:right) text· of gone
new: d e6 (not there → clean)
new: fresh (rank none → 1 for s:right) text· of fresh
fixed: d e2 (flagged → clean)
fixed: d e7 (errored → clean)
fixed: mended (rank none → 1 for s:right) text· of mended
fixed: up (rank 2 → 1 for s:right) text· of up`
	if got := strings.Join(Diff(a, b).Lines(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A side that was degraded on purpose is marked, and a query that improved was
// displaced by nothing.
func TestDiffMarksADegradedSide(t *testing.T) {
	a, b := sampleReport(t, 30), sampleReport(t, 30)
	b.Aggregate.Degraded = "drop-descriptions"
	if text := strings.Join(Diff(a, b).Lines(), "\n"); !strings.Contains(text, "note: the index after was degraded on purpose: drop-descriptions") || strings.Contains(text, "index before") {
		t.Errorf("%s", text)
	}
	two, one := 2, 1
	m := contracts.Move{Subject: retrieval, State: contracts.MoveFixed, Tool: "s:a", RankBefore: &two, RankAfter: &one, DisplacedBy: "s:b"}
	if got := why(m); got != "rank 2 → 1 for s:a" {
		t.Errorf("%q", got)
	}
	m.State = contracts.MoveRegressed
	if got := why(m); got != "rank 2 → 1 for s:a, displaced by s:b" {
		t.Errorf("%q", got)
	}
}
