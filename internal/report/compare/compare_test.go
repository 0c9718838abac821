package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// answered is a query whose right tool is at a rank; 0 for not in the list.
func answered(id, right string, rank int) contracts.QuerySummary {
	q := contracts.QuerySummary{ID: id, Query: "intent of " + id, Labels: []contracts.Label{{ToolID: right, Relevance: 2}}}
	ranked := []string{}
	for i := 1; i <= 10; i++ {
		tool := fmt.Sprintf("s:other%d", i)
		if i == rank {
			tool = right
		}
		ranked = append(ranked, tool)
		q.Ranked = append(q.Ranked, contracts.RankedTool{Rank: i, ToolID: tool})
	}
	topic := metrics.EvaluateTopic(ranked, map[string]int{right: 2}, 1)
	q.Metrics = make(contracts.RetrievalMetrics)
	for _, m := range metrics.Ranking() {
		q.Metrics[m.Name] = m.Compute(topic)
	}
	return q
}

func reportOf(proxy string, queries ...contracts.QuerySummary) *contracts.Aggregate {
	r := &contracts.Aggregate{}
	r.Proxy, r.ProxyIdentity, r.SearchPath = proxy, proxy, contracts.SearchMCP
	r.Retrieval.PerQuery = queries
	return r
}

func TestReports(t *testing.T) {
	var before, after []contracts.QuerySummary
	for i := range 12 {
		id, tool := fmt.Sprintf("q%02d", i), fmt.Sprintf("s:right%d", i)
		was, is := 1, 1
		switch {
		case i < 7:
			is = 6 // lost, each in a separate group
		case i == 7:
			was = 3
		case i == 8:
			was, is = 8, 0
		}
		before, after = append(before, answered(id, tool, was)), append(after, answered(id, tool, is))
	}
	relabelled := answered("other", "s:right0", 1)
	before = append(before, relabelled, answered("gone", "s:x", 1))
	relabelled = answered("other", "s:right1", 1)
	after = append(after, relabelled, answered("new", "s:x", 1))
	c, err := Reports("old", reportOf("p1", before...), "new", reportOf("p2", after...), Options{By: "recall_at_5"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Paired != 12 || !cmp.Equal(c.OnlyA, []string{"gone", "other"}) || !cmp.Equal(c.OnlyB, []string{"new", "other"}) {
		t.Errorf("%d paired, only in a %v, only in b %v", c.Paired, c.OnlyA, c.OnlyB)
	}
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "4 queries are left out: they are in one report only") {
		t.Errorf("notes %q", c.Notes)
	}
	checkMetrics(t, c)
	checkQueries(t, c)
	// With the reports swapped, all results are reversed.
	back, err := Reports("new", reportOf("p2", after...), "old", reportOf("p1", before...), Options{By: "recall_at_5"})
	if err != nil {
		t.Fatal(err)
	}
	for m := range c.Metrics {
		x, y := c.Metrics[m], back.Metrics[m]
		if x.Delta != -y.Delta || x.PValue != y.PValue || x.Wins != y.Losses || x.Losses != y.Wins || x.A != y.B {
			t.Errorf("not symmetric: %+v and %+v", x, y)
		}
	}
}

// checkMetrics checks the metrics of TestReports.
func checkMetrics(t *testing.T, c *Comparison) {
	t.Helper()
	five := c.Metrics[2]
	// Seven of twelve fall from 1 to 0: mean -7/12, and an exact p of 2/2^7.
	differences := []float64{-1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0}
	if five.Metric != "recall_at_5" || five.Wins != 0 || five.Losses != 7 || five.Ties != 5 || math.Abs(five.Delta+7.0/12) > 1e-12 || five.PValue != 2.0/128 {
		t.Errorf("recall@5: %+v", five)
	}
	if want, _ := metrics.CohenDz(differences); five.EffectSize == nil || math.Abs(*five.EffectSize-want) > 1e-12 {
		t.Errorf("effect size %v, want %v", five.EffectSize, want)
	}
	if ten := c.Metrics[3]; ten.Losses != 1 || ten.Verdict != contracts.WithinNoise {
		t.Errorf("recall@10: %+v", ten)
	}
}

// checkQueries checks the queries of TestReports.
func checkQueries(t *testing.T, c *Comparison) {
	t.Helper()
	var got []string
	for _, q := range c.Queries {
		got = append(got, q.Outcome+" "+q.ID)
	}
	want := []string{"loss q00", "loss q01", "loss q02", "loss q03", "loss q04", "loss q05", "loss q06", "tie q07", "tie q08"}
	if !cmp.Equal(got, want) {
		t.Errorf("queries %q, want %q", got, want)
	}
	q := c.Queries[0]
	if q.A.Ranked[0].ToolID != "s:right0" || q.A.Ranked[0].Relevance == nil || *q.A.Ranked[0].Relevance != 2 || q.B.Ranked[5].ToolID != "s:right0" || q.B.Ranked[0].Relevance != nil {
		t.Errorf("lists %+v %+v", q.A.Ranked, q.B.Ranked)
	}
}

// Queries for one tool rise and fall together: seven of them are one
// observation, not seven.
func TestReportsGroups(t *testing.T) {
	var before, after []contracts.QuerySummary
	for i := range 7 {
		before = append(before, answered(fmt.Sprint("q", i), "s:same", 1))
		after = append(after, answered(fmt.Sprint("q", i), "s:same", 9))
	}
	c, err := Reports("a", reportOf("p", before...), "b", reportOf("p", after...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Metrics {
		if m.Verdict != contracts.WithinNoise || m.PValue != 1 {
			t.Errorf("one tool alone is significant: %+v", m)
		}
	}
	if m := c.Metrics[0]; m.EffectSize != nil {
		t.Errorf("equal differences have an effect size of %v", *m.EffectSize)
	}
}

func TestReportsRefuses(t *testing.T) {
	if _, err := Reports("a", reportOf("p", answered("x", "s:t", 1)), "b", reportOf("p", answered("y", "s:t", 1)), Options{}); err == nil || !strings.Contains(err.Error(), "no query in common") {
		t.Errorf("error %v", err)
	}
	if _, err := Reports("a", reportOf("p"), "b", reportOf("p"), Options{By: "luck"}); err == nil || !strings.Contains(err.Error(), "recall_at_5") {
		t.Errorf("error %v", err)
	}
}

func TestDetectors(t *testing.T) {
	entry := func(id, label, verdict string) contracts.EntrySummary {
		return contracts.EntrySummary{ID: id, Label: label, Category: "c", Verdict: verdict}
	}
	const bad, good = contracts.LabelMalicious, contracts.LabelBenign
	a := contracts.DetectorSummary{Score: contracts.DetectorScore{Detector: "d"}, PerEntry: []contracts.EntrySummary{
		entry("1", bad, "flagged"), entry("2", bad, "flagged"), entry("3", bad, "clean"), entry("4", good, "flagged"), entry("5", good, "clean"), entry("6", good, "clean"), entry("7", bad, "flagged"), entry("8", bad, "flagged"),
	}}
	b := contracts.DetectorSummary{Score: contracts.DetectorScore{Detector: "d"}, PerEntry: []contracts.EntrySummary{
		entry("1", bad, "flagged"), entry("2", bad, "clean"), entry("3", bad, "flagged"), entry("4", good, "clean"), entry("5", good, "clean"), entry("6", good, "errored"), entry("7", bad, "errored"), entry("9", bad, "flagged"),
	}}
	d := compareDetector(&a, &b)
	if d.Entries != 7 || *d.Recall.A != .75 || *d.Recall.B != .5 || d.RecallP != 1 || *d.FPR.A != .5 || *d.FPR.B != 0 {
		t.Errorf("%+v, recall %v %v, fpr %v %v", d, *d.Recall.A, *d.Recall.B, *d.FPR.A, *d.FPR.B)
	}
	var got []string
	for _, e := range d.Changed {
		got = append(got, e.ID+" "+e.Outcome)
	}
	if want := []string{"2 loss", "3 win", "4 win", "6 loss", "7 loss"}; !cmp.Equal(got, want) {
		t.Errorf("changed %q, want %q", got, want)
	}
}

func TestNearestRank(t *testing.T) {
	for _, x := range []struct {
		p    float64
		n    int
		want float64
	}{{.5, 1, 1}, {.5, 2, 1}, {.5, 3, 2}, {.95, 20, 19}, {.95, 100, 95}, {1, 4, 4}, {.5, 0, 0}} {
		times := make([]float64, x.n)
		for i := range times {
			times[i] = float64(i + 1)
		}
		if got := NearestRank(times, x.p); got != x.want {
			t.Errorf("p%v of %d is %v, want %v", x.p*100, x.n, got, x.want)
		}
	}
}

// Lists that differ without an effect on a metric are counted.
func TestReportsCountReorderedLists(t *testing.T) {
	before := []contracts.QuerySummary{answered("q0", "s:a", 1), answered("q1", "s:b", 2), answered("q2", "s:c", 1)}
	after := []contracts.QuerySummary{answered("q0", "s:a", 1), answered("q1", "s:b", 1), answered("q2", "s:c", 1)}
	ranked := after[2].Ranked
	ranked[7].ToolID, ranked[8].ToolID = ranked[8].ToolID, ranked[7].ToolID
	c, err := Reports("old", reportOf("p1", before...), "new", reportOf("p2", after...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Reordered != 2 || c.Unmoved != 1 || len(c.Queries) != 1 {
		t.Errorf("%d lists differ, %d without an effect, %d queries", c.Reordered, c.Unmoved, len(c.Queries))
	}
}
