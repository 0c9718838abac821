package compare

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/samplereport"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// sampleComparison compares a sample with itself after reversing every list,
// under names that try to break out of any format.
func sampleComparison(t testing.TB, n int) *Comparison {
	t.Helper()
	a, b := samplereport.New(n), samplereport.New(n)
	for i := range b.Aggregate.Retrieval.PerQuery {
		q := &b.Aggregate.Retrieval.PerQuery[i]
		for j, k := 0, len(q.Ranked)-1; j < k; j, k = j+1, k-1 {
			q.Ranked[j], q.Ranked[k] = q.Ranked[k], q.Ranked[j]
		}
		q.Metrics["mrr"], q.Metrics["ndcg_at_10"] = 1-q.Metrics["mrr"], float64(i%3)/2
		q.Query += samplereport.Hostile
		a.Aggregate.Retrieval.PerQuery[i].Query = q.Query
	}
	b.Aggregate.ProxyIdentity = "other"
	b.Aggregate.Selection.Models[1].PerCase[30].Right = 0
	c, err := Reports("old"+samplereport.Hostile, &a.Aggregate, "new"+samplereport.Hostile, &b.Aggregate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Cost = &Cost{Rounds: 3, A: CostSide{P50MS: 1.25, Answered: 840, PeakMemory: 50 << 20}, B: CostSide{P50MS: 2.5, Answered: 839, Failed: 1}}
	return c
}

func TestComparisonMarkdownFits(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares thousands of queries")
	}
	for _, n := range []int{5, 30, 3000} {
		text := Markdown(sampleComparison(t, n))
		if len(text) >= wording.MaxComment || !utf8.Valid(text) {
			t.Errorf("%d queries: %d bytes", n, len(text))
		}
		s := string(text)
		if !strings.HasPrefix(s, Marker+"\n") || !strings.HasSuffix(s, "</sub>\n") {
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
	page, err := HTML(sampleComparison(t, 700))
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

func TestWrite(t *testing.T) {
	c := sampleComparison(t, 30)
	var b bytes.Buffer
	if err := Write(&b, c, 2); err != nil {
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
	if err := Write(&b, c, 2); err != nil || !strings.Contains(b.String(), notMeasured) || !strings.Contains(b.String(), "No ranking metric differs") {
		t.Errorf("got (%v)\n%s", err, b.String())
	}
}

func TestComparisonOfNoAnswer(t *testing.T) {
	c := sampleComparison(t, 5)
	third := 1. / 3
	c.NoAnswer = &NoAnswer{Queries: 3, P: 1, Rates: []NoAnswerRate{{Metric: "no_answer_empty", Rates: Rates{A: &third}}},
		Changed: []NoAnswerQuery{{ID: "n1", Query: samplereport.Hostile, Outcome: Loss, B: "shelf:paint"}}}
	page, err := HTML(c)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := Write(&table, c, 5); err != nil {
		t.Fatal(err)
	}
	const note = "Of 3 unanswerable queries, only A leaves 1 without a tool and only B 0"
	for format, text := range map[string]string{"html": string(page), "table": table.String(), "markdown": string(Markdown(c))} {
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

func TestComparisonOfSelection(t *testing.T) {
	c := sampleComparison(t, 5)
	page, err := HTML(c)
	if err != nil {
		t.Fatal(err)
	}
	var terminal strings.Builder
	if err := Write(&terminal, c, 3); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ where, text, part string }{
		{"page", string(page), `<td>replay/test/model</td><td>30</td><td>0.050 (0.040 to 0.070)</td><td>0.050 (0.040 to 0.070)</td>`},
		{"page", string(page), `loss: <span class="id">c030</span> request`},
		{"Markdown", string(Markdown(c)), "| lexical/bm25 &#40;a baseline&#41; | 30 | 0.050 (0.040 to 0.070) | 0.050 (0.040 to 0.070) |"},
		{"Markdown", string(Markdown(c)), "| 1 | 0 | 1.000 | loss c030 |"},
		{"terminal", strings.Join(strings.Fields(terminal.String()), " "), "model cases Accuracy A B Wrong tool A B"},
		{"terminal", strings.Join(strings.Fields(terminal.String()), " "), "lexical/bm25 (a baseline) 30 0.050 (0.040 to 0.070) 0.050 (0.040 to 0.070) 0.100"},
	} {
		if !strings.Contains(want.text, want.part) {
			t.Errorf("%s: no %q in\n%s", want.where, want.part, want.text)
		}
	}
}
