package render

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/compare"
)

// sampleComparison compares a sample with itself after reversing every list,
// under names that try to break out of any format.
func sampleComparison(t testing.TB, n int) *compare.Comparison {
	t.Helper()
	a, b := sampleReport(t, n), sampleReport(t, n)
	for i := range b.Aggregate.Retrieval.PerQuery {
		q := &b.Aggregate.Retrieval.PerQuery[i]
		for j, k := 0, len(q.Ranked)-1; j < k; j, k = j+1, k-1 {
			q.Ranked[j], q.Ranked[k] = q.Ranked[k], q.Ranked[j]
		}
		q.Metrics["mrr"], q.Metrics["ndcg_at_10"] = 1-q.Metrics["mrr"], float64(i%3)/2
		q.Query += hostile
		a.Aggregate.Retrieval.PerQuery[i].Query = q.Query
	}
	b.Aggregate.ProxyIdentity = "other"
	b.Aggregate.Selection.Models[1].PerCase[30].Right = 0
	c, err := compare.Reports("old"+hostile, &a.Aggregate, "new"+hostile, &b.Aggregate, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Cost = &compare.Cost{Rounds: 3, A: compare.CostSide{P50MS: 1.25, Answered: 840, PeakMemory: 50 << 20}, B: compare.CostSide{P50MS: 2.5, Answered: 839, Failed: 1}}
	return c
}

func TestComparisonMarkdownFits(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares thousands of queries")
	}
	for _, n := range []int{5, 30, 3000} {
		text := ComparisonMarkdown(sampleComparison(t, n))
		if len(text) >= maxComment || !utf8.Valid(text) {
			t.Errorf("%d queries: %d bytes", n, len(text))
		}
		s := string(text)
		if !strings.HasPrefix(s, ComparisonMarker+"\n") || !strings.HasSuffix(s, "</sub>\n") {
			t.Errorf("%d queries: it does not begin and end as it should", n)
		}
		for _, part := range []string{"| latency, p50 | 1.25 ms | 2.50 ms |", "| peak memory | 50.0 MiB | not known |", "| nDCG@10 |"} {
			if !strings.Contains(s, part) {
				t.Errorf("%d queries: no %q", n, part)
			}
		}
		if opened, closed := strings.Count(s, "<details"), strings.Count(s, "</details>"); opened != closed {
			t.Errorf("%d details opened, %d closed", opened, closed)
		}
		if strings.Contains(s, "<script") || strings.Contains(s, "<img") {
			t.Error("untrusted text became markup")
		}
		if n == 3000 && !strings.Contains(s, "more rows are left out") {
			t.Error("it does not state that rows were left out")
		}
	}
}

func TestComparisonHTMLIsInert(t *testing.T) {
	page, err := ComparisonHTML(sampleComparison(t, 700))
	if err != nil {
		t.Fatal(err)
	}
	s := string(page)
	if strings.Contains(s, "<script") || strings.Contains(s, "<img") || strings.Contains(s, "http-equiv=\"refresh\"") {
		t.Error("untrusted text became markup")
	}
	if !strings.Contains(s, "more are left out here; the JSON output has them") || !strings.Contains(s, `<li class="relevant">`) {
		t.Error("the queries are not there as they should be")
	}
	if opened, closed := strings.Count(s, "<details>"), strings.Count(s, "</details>"); opened != maxComparedQueries || opened != closed {
		t.Errorf("%d details opened, %d closed", opened, closed)
	}
}

func TestWriteComparison(t *testing.T) {
	c := sampleComparison(t, 30)
	var b bytes.Buffer
	if err := WriteComparison(&b, c, 2); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if strings.ContainsAny(s, "\x1b\x07") {
		t.Error("a control character reaches the terminal")
	}
	if !strings.Contains(s, "more queries that differ") || !strings.Contains(s, "p95") || !strings.Contains(s, "  A ") {
		t.Errorf("it says\n%s", s)
	}
	c.Cost, c.Queries = nil, nil
	for i := range c.Metrics {
		c.Metrics[i].Verdict = contracts.WithinNoise
	}
	b.Reset()
	if err := WriteComparison(&b, c, 2); err != nil || !strings.Contains(b.String(), notMeasured) || !strings.Contains(b.String(), "No ranking metric differs") {
		t.Errorf("got (%v)\n%s", err, b.String())
	}
}

func TestComparisonOfNoAnswer(t *testing.T) {
	c := sampleComparison(t, 5)
	third := 1. / 3
	c.NoAnswer = &compare.NoAnswer{Queries: 3, P: 1, Rates: []compare.NoAnswerRate{{Metric: "no_answer_empty", Rates: compare.Rates{A: &third}}},
		Changed: []compare.NoAnswerQuery{{ID: "n1", Query: hostile, Outcome: compare.Loss, B: "shelf:paint"}}}
	page, err := ComparisonHTML(c)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := WriteComparison(&table, c, 5); err != nil {
		t.Fatal(err)
	}
	const note = "Of 3 queries that no tool serves, only A leaves 1 without a tool and only B 0"
	for format, text := range map[string]string{"html": string(page), "table": table.String(), "markdown": string(ComparisonMarkdown(c))} {
		for _, want := range []string{"Empty answers", "0.333", note} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
		if format != "table" && (strings.Contains(text, "<script") || strings.Contains(text, "<img")) {
			t.Errorf("%s: untrusted text became markup", format)
		}
	}
	if !strings.Contains(string(page), "empty → shelf:paint") {
		t.Error("the page lacks the query that changed")
	}
}
