package contracts

import "strings"

// MetricNames lists the ranking metrics by the names that summaries,
// thresholds and checks use, in the order that reports show them.
var MetricNames = []string{
	"recall_at_1", "recall_at_3", "recall_at_5", "recall_at_10", "mrr", "ndcg_at_10", "map",
}

// Value returns the metric of that name. ok is false when there is none.
func (m RetrievalMetrics) Value(name string) (value float64, ok bool) {
	switch name {
	case "mrr":
		return m.MRR, true
	case "ndcg_at_10":
		return m.NDCGAt10, true
	case "map":
		return m.MAP, true
	}
	cutoff, ok := strings.CutPrefix(name, "recall_at_")
	if !ok {
		return 0, false
	}
	value, ok = m.RecallAt[cutoff]
	return value, ok
}

// SetValue sets the metric of that name, one of MetricNames.
func (m *RetrievalMetrics) SetValue(name string, value float64) {
	switch name {
	case "mrr":
		m.MRR = value
	case "ndcg_at_10":
		m.NDCGAt10 = value
	case "map":
		m.MAP = value
	default:
		if m.RecallAt == nil {
			m.RecallAt = make(map[string]float64)
		}
		m.RecallAt[strings.TrimPrefix(name, "recall_at_")] = value
	}
}
