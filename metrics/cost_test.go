package metrics

import (
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/docstable"
)

func TestBreakEven(t *testing.T) {
	for _, c := range []struct {
		all, own, answer, want float64
		ok                     bool
	}{
		{60000, 200, 1600, 37.375, true}, {100, 200, 10, 0, true}, {100, 0, 0, 0, false},
	} {
		if got, ok := BreakEven(c.all, c.own, c.answer); got != c.want || ok != c.ok {
			t.Errorf("%+v: got %v, %v", c, got, ok)
		}
	}
}

func TestDocsListTheCosts(t *testing.T) {
	rows := [][]string{{"name", "label", "formula", "better"}}
	for _, f := range CostFigures() {
		better := "lower"
		if f.HigherIsBetter {
			better = "higher"
		}
		rows = append(rows, []string{"`" + f.Name + "`", f.Label, f.Formula, better})
	}
	docstable.Check(t, "../docs/reference/metrics.md", "cost", rows)
}
