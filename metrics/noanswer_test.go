package metrics

import (
	"math"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/docstable"
)

func TestAUC(t *testing.T) {
	for _, tc := range []struct {
		high, low []float64
		want      float64
	}{
		{[]float64{2, 3}, []float64{0, 1}, 1},
		{[]float64{0, 1}, []float64{2, 3}, 0},
		{[]float64{1, 1}, []float64{1}, 0.5},
		// Of the 6 pairs, 3.5 are in the right order: 3>1, 3>2, 2>1, 2=2.
		{[]float64{3, 2, 0}, []float64{1, 2}, 3.5 / 6},
		{[]float64{1}, []float64{math.Inf(-1)}, 1},
	} {
		got, interval, ok := AUC(tc.high, tc.low)
		if !ok || got != tc.want || interval.Low > got || interval.High < got || interval.Low < 0 || interval.High > 1 {
			t.Errorf("AUC(%v, %v) = %v %v %v, want %v", tc.high, tc.low, got, interval, ok, tc.want)
		}
	}
	if _, _, ok := AUC(nil, []float64{1}); ok {
		t.Error("an AUC of nothing")
	}
}

// Newcombe's interval solves its own equation, is no point at the ends, and gets
// narrower with more values.
func TestAUCInterval(t *testing.T) {
	for _, auc := range []float64{0, 0.3, 0.5, 0.81, 1} {
		small, large := aucInterval(auc, 10, 12), aucInterval(auc, 100, 120)
		if small.High-small.Low <= large.High-large.Low || large.High-large.Low < 0.005 {
			t.Errorf("AUC %v: %v for few, %v for many", auc, small, large)
		}
		for _, end := range []float64{small.Low, small.High} {
			if end == 0 || end == 1 {
				continue
			}
			n := 11.0
			v := end * (1 - end) * (1 + (n-1)*((1-end)/(2-end)+end/(1+end))) / 120
			if got := math.Abs(auc-end) / math.Sqrt(v); math.Abs(got-1.959964) > 1e-4 {
				t.Errorf("AUC %v: the end %v is %v deviations away", auc, end, got)
			}
		}
	}
}

func TestNoAnswerMetrics(t *testing.T) {
	some := NoAnswer{Queries: 4, Empty: 1, Served: []float64{5, 4}, Unserved: []float64{math.Inf(-1), 1, 4}}
	for name, want := range map[string]float64{"no_answer_empty": 0.25, "no_answer_auc": 5.5 / 6} {
		m, ok := NoAnswerMetricByName(name)
		if !ok {
			t.Fatalf("no metric %s", name)
		}
		if got, _, ok := m.Compute(some); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s = %v %v, want %v", name, got, ok, want)
		}
		if _, _, ok := m.Compute(NoAnswer{}); ok {
			t.Errorf("%s of nothing is defined", name)
		}
	}
	auc, _ := NoAnswerMetricByName("no_answer_auc")
	if _, _, ok := auc.Compute(NoAnswer{Queries: 1, Served: []float64{0, 0}, Unserved: []float64{0, math.Inf(-1)}}); ok {
		t.Error("the scores of a proxy without scores were compared")
	}
	if _, ok := NoAnswerMetricByName("mrr"); ok {
		t.Error("mrr is a metric of queries without an answer")
	}
}

func TestDocsListTheNoAnswerMetrics(t *testing.T) {
	rows := [][]string{{"name", "label", "formula", "source"}}
	for _, m := range NoAnswerMetrics() {
		rows = append(rows, []string{"`" + m.Name + "`", m.Label, m.Formula, m.Source})
	}
	docstable.Check(t, "../docs/reference/metrics.md", "no answer", rows)
}
