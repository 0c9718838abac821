package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/compare"
	"github.com/touchstone-eval/touchstone/metrics"
)

// figures has a recall of one half, with 1,234 tokens for an answer.
func figures() contracts.RetrievalAggregate {
	between := contracts.Interval{Low: .25, High: .75}
	return contracts.RetrievalAggregate{
		Errored: 3,
		Metrics: []contracts.MetricSummary{
			{Metric: "mrr", Mean: .25, Interval: between}, {Metric: "recall_at_5", Mean: .5, Interval: between},
			{Metric: "ndcg_at_10", Mean: .375, Interval: between},
		},
		Cost: &contracts.CostSummary{
			Figures: []contracts.CostFigure{
				{Figure: metrics.CostAnswerTokens, Mean: 1234.4, Interval: &contracts.Interval{Low: 999.9, High: 2000}},
				{Figure: metrics.CostBreakEven, Mean: 12.34},
			},
		},
	}
}

var curve = []contracts.CostCurveStep{{K: 1, Tokens: 100, Recall: .125}, {K: 20, Tokens: 1200, Recall: .5}}

func TestRankingText(t *testing.T) {
	worse := &compare.Comparison{Metrics: []compare.Metric{
		{Metric: "mrr", Delta: .5, Verdict: contracts.Improved},
		{Metric: "recall_at_5", Delta: -.125, Verdict: contracts.Regressed},
		{Metric: "ndcg_at_10", Delta: 0, Verdict: contracts.WithinNoise},
	}}
	text := rankingText([]ranked{
		{subject: subject{system: system{name: "ours"}}, figures: figures()},
		{subject: subject{system: system{name: "theirs", version: "1.2"}}, figures: figures(), curve: curve, against: worse},
		{subject: subject{system: system{name: "broken"}, problem: errors.New("no | `x`; the end of its log:\nmore")}},
	}, datasets["v2"])
	for _, want := range []string{
		"| ours |  | 0.500 (0.250 to 0.750) | 0.250 (0.250 to 0.750) | 0.375 (0.250 to 0.750) |  | 3 |\n",
		"| −0.125 worse, +0.500 better, 0.000 noise | 3 |\n",
		"| theirs | 1,234 (1,000 to 2,000) | - | - | 12.3 | - |\n",
		"| theirs | 0.125, 100 | - | - | - | - | 0.500, 1,200 |\n",
		"| not measured | why |\n|---|---|\n| broken | `no \\| 'x'` |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "more") || strings.Count(text, "| broken |") != 2 {
		t.Errorf("broken should only have a command and a reason:\n%s", text)
	}
}

func TestTimesText(t *testing.T) {
	rows := []timed{
		{subject: subject{system: system{name: floor}}, ready: time.Second,
			alone: latencies{times: []float64{1, 2, 3, 4}}, beside: latencies{times: []float64{2}}, many: latencies{times: []float64{10, 20}, wall: time.Second}},
		{subject: subject{system: system{name: "slow"}}, ready: 90 * time.Second, memory: 3 << 30,
			alone: latencies{times: []float64{1234}, failed: 2}, beside: latencies{times: []float64{2, 9}}, many: latencies{times: []float64{5}, wall: time.Second / 4}},
		{subject: subject{system: system{name: "late"}, problem: errors.New("it was not ready within 4m0s")}},
	}
	text := timesText([]sized{{tools: 10000, rows: rows}}, 16)
	for _, want := range []string{
		"10,000 tools of 200 servers:\n\n",
		"| all-tools | 1.0 s | 2.0, 4.0, 4.0 ms | 1.0 times | 10, 20, 20 ms | 2 | unknown | 4, 2 |\n",
		"| slow | 90.0 s | 1,234, 1,234, 1,234 ms | 617.0 times | 5.0, 5.0, 5.0 ms | 4 | 3,072 MiB | 1 (2 failed), 1 |\n",
		"| late, 10,000 tools | `it was not ready within 4m0s` |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

func TestWithSection(t *testing.T) {
	const page = "a\n<!-- generated: x -->\nold\n<!-- end: x -->\nb\n"
	got, err := withSection(page, "x", "new\n")
	if want := strings.Replace(page, "old", "new", 1); err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := withSection(page, "y", "new\n"); err == nil {
		t.Error("a page without the section was changed")
	}
}

func TestNumber(t *testing.T) {
	for _, tc := range []struct {
		v        float64
		decimals int
		want     string
	}{{0, 0, "0"}, {999, 0, "999"}, {1000, 0, "1,000"}, {1234567.89, 1, "1,234,567.9"}} {
		if got := number(tc.v, tc.decimals); got != tc.want {
			t.Errorf("%v: got %s, want %s", tc.v, got, tc.want)
		}
	}
}

func TestTick(t *testing.T) {
	for most, want := range map[float64]float64{0: 100, 800: 100, 801: 200, 2604: 500, 12829: 2000} {
		if got := tick(most); got != want {
			t.Errorf("%v: got %v, want %v", most, got, want)
		}
	}
}

// The picture is XML, has a point for each step, and names the best system first.
func TestPicture(t *testing.T) {
	worse := []contracts.CostCurveStep{{K: 10, Tokens: 100, Recall: .1}}
	all := lines([]ranked{
		{subject: subject{system: system{name: "second"}}, curve: worse},
		{subject: subject{system: system{name: "none"}, problem: io.EOF}},
		{subject: subject{system: system{name: "first & best"}}, curve: curve},
	})
	text := picture(all)
	read := xml.NewDecoder(strings.NewReader(text))
	points := 0
	for {
		token, err := read.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			points++
		}
	}
	first, second := strings.Index(text, "first &amp; best"), strings.Index(text, "second")
	if points != 3 || first < 0 || first > second || strings.Contains(text, "none<") {
		t.Errorf("%d points, names at %d and %d:\n%s", points, first, second, text)
	}
}
