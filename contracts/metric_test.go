package contracts

import "testing"

func TestMetricNames(t *testing.T) {
	var m RetrievalMetrics
	for i, name := range MetricNames {
		m.SetValue(name, float64(i+1)/10)
	}
	want := RetrievalMetrics{RecallAt: map[string]float64{"1": .1, "3": .2, "5": .3, "10": .4}, MRR: .5, NDCGAt10: .6, MAP: .7}
	for i, name := range MetricNames {
		got, ok := m.Value(name)
		expected, _ := want.Value(name)
		if !ok || got != expected || got != float64(i+1)/10 {
			t.Errorf("%s is %v, %v", name, got, ok)
		}
	}
	for _, name := range []string{"recall_at_7", "recall", "ndcg", ""} {
		if _, ok := m.Value(name); ok {
			t.Errorf("there is a metric %q", name)
		}
	}
}
