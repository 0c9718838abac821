package metrics

import (
	"cmp"
	"math"
	"slices"
)

// NoAnswerMetric declares one metric of the unanswerable queries. They
// enter no ranking metric: a ranked list for them has no right place. As with
// ranking metrics, files, reports and the table in docs/reference/metrics.md
// follow from the table below. A larger value is better in all of them.
type NoAnswerMetric struct {
	// Name is the name in files. Label is the name in reports.
	Name, Label string
	// Compute returns the value, 0 to 1, with its 95% interval. ok is false if
	// the metric is not defined.
	Compute func(NoAnswer) (value float64, interval Interval, ok bool)
	// Formula and Source are printed in docs/reference/metrics.md.
	Formula, Source string
}

// NoAnswer holds what a proxy answered to unanswerable queries, and to
// those that some tool serves.
type NoAnswer struct {
	// Queries is the number of unanswerable queries, and Empty the number
	// of them that got an empty list. A query without an answer is not empty.
	Queries, Empty int
	// Served and Unserved hold the best score of each answered query that some
	// tool serves, and that no tool serves. That of an empty list is negative
	// infinity.
	Served, Unserved []float64
}

// noAnswer is the table, in the order of reports.
var noAnswer = []NoAnswerMetric{
	{
		Name: "no_answer_empty", Label: "Empty answers",
		Compute: func(n NoAnswer) (float64, Interval, bool) {
			interval, ok := Wilson(n.Empty, n.Queries)
			return float64(n.Empty) / float64(max(1, n.Queries)), interval, ok
		},
		Formula: "queries without a right tool that get an empty list, over all queries without a right tool",
		Source:  "Voorhees, TREC 2001 question answering track (NIL answers)",
	},
	{
		Name: "no_answer_auc", Label: "Score separation (AUC)",
		Compute: func(n NoAnswer) (float64, Interval, bool) {
			if !differ(n.Served, n.Unserved) {
				return 0, Interval{}, false
			}
			return AUC(n.Served, n.Unserved)
		},
		Formula: "chance that the best score of a query with a right tool is higher than that of one " +
			"without, ties count half",
		Source: "Hanley and McNeil, Radiology 143(1), 1982; interval: Newcombe, Statistics in Medicine 25(4), " +
			"2006, method 5",
	},
}

// NoAnswerMetrics returns the declared metrics of unanswerable queries,
// in the order of reports.
func NoAnswerMetrics() []NoAnswerMetric { return slices.Clone(noAnswer) }

// NoAnswerMetricByName returns the metric of that name. ok is false if there is
// none.
func NoAnswerMetricByName(name string) (m NoAnswerMetric, ok bool) {
	i := slices.IndexFunc(noAnswer, func(m NoAnswerMetric) bool { return m.Name == name })
	if i < 0 {
		return NoAnswerMetric{}, false
	}
	return noAnswer[i], true
}

// differ reports whether the scores of lists that are not empty differ. A proxy
// that gives no scores gives the same one everywhere.
func differ(lists ...[]float64) bool {
	first, some := 0.0, false
	for _, list := range lists {
		for _, v := range list {
			if math.IsInf(v, -1) {
				continue
			}

			if some && v != first {
				return true
			}

			first, some = v, true
		}
	}

	return false
}

// AUC is the chance that a value of high is larger than one of low, where ties
// count half: the area under the ROC curve, which is the Mann-Whitney statistic
// over its maximum (Hanley and McNeil, Radiology 143(1), 1982). The interval is
// method 5 of Newcombe, "Confidence intervals for an effect size measure based
// on the Mann-Whitney statistic. Part 2", Statistics in Medicine 25(4), 2006.
// ok is false if one of the lists is empty.
func AUC(high, low []float64) (auc float64, interval Interval, ok bool) {
	if len(high) == 0 || len(low) == 0 {
		return 0, Interval{}, false
	}

	sorted := slices.Clone(low)
	slices.Sort(sorted)
	twice := 0 // twice the number of pairs in the right order
	for _, h := range high {
		below, _ := slices.BinarySearch(sorted, h)
		notAbove, _ := slices.BinarySearchFunc(sorted, h, func(v, h float64) int {
			if v == h {
				return -1
			}

			return cmp.Compare(v, h)
		})
		twice += below + notAbove
	}

	m, n := float64(len(high)), float64(len(low))
	auc = float64(twice) / (2 * m * n)
	return auc, aucInterval(auc, m, n), true
}

// aucInterval solves |auc - t| = z sqrt(V(t)) for t, with Newcombe's variance
//
//	V(t) = t (1-t) (1 + (N-1) ((1-t)/(2-t) + t/(1+t))) / mn, N = (m+n)/2
func aucInterval(auc, m, n float64) Interval {
	size := (m + n) / 2
	deviation := func(t float64) float64 {
		inner := 1 + float64((size-1)*((1-t)/(2-t)+t/(1+t)))
		return float64(z975 * math.Sqrt(t*(1-t)*inner/(m*n)))
	}
	// The distance to the estimate minus the deviation grows with the distance.
	edge := func(end float64) float64 {
		in, out := auc, end
		for range 60 {
			middle := (in + out) / 2
			if math.Abs(auc-middle) <= deviation(middle) {
				in = middle
			} else {
				out = middle
			}
		}

		return in
	}
	interval := Interval{Low: edge(0), High: edge(1)}
	if auc == 0 {
		interval.Low = 0
	}

	if auc == 1 {
		interval.High = 1
	}

	return interval
}
