package trec

import (
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/metrics"
)

// TestDeclaredMetricsHaveTheirTRECNames evaluates a run with every declared
// metric that trec_eval has, and checks that the name in the table gives the
// same figure.
func TestDeclaredMetricsHaveTheirTRECNames(t *testing.T) {
	qrels, err := ReadQrels("qrels", strings.NewReader("t 0 a 2\nt 0 b 1\nt 0 c 0\nt 0 d 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	const run = "t Q0 x 1 9 r\nt Q0 b 2 8 r\nt Q0 c 3 7 r\nt Q0 a 4 6 r\nt Q0 y 5 5 r\nt Q0 z 6 4 r\nt Q0 d 7 3 r\n"
	e, err := Evaluate(qrels, "run", strings.NewReader(run), Options{Level: 1})
	if err != nil {
		t.Fatal(err)
	}
	topic := metrics.EvaluateTopic([]string{"x", "b", "c", "a", "y", "z", "d"}, map[string]int{"a": 2, "b": 1, "c": 0, "d": 1}, 1)
	for _, m := range metrics.Ranking() {
		if m.TREC == "" {
			continue
		}
		i := slices.Index(e.Names, m.TREC)
		if i < 0 {
			t.Errorf("%s: the standard measures do not have %s; they are %v", m.Name, m.TREC, e.Names)
			continue
		}
		if got := m.Compute(topic); got != e.All[i] {
			t.Errorf("%s is %v, and %s is %v", m.Name, got, m.TREC, e.All[i])
		}
	}
}
