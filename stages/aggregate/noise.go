package aggregate

import (
	"math"

	"github.com/touchstone-eval/touchstone/metrics"
)

// noise is the standard error of a metric's mean over the runs, from the
// differences between runs alone. It is 0 for one run. perRun holds the mean of
// each run.
//
// The standard deviation of two or three means is a poor estimate. The
// differences between the runs of each query give a better one if queries vary
// independently, and a value that is too small if the runs move all queries
// together. The larger of the two counts.
func (r *retrieval) noise(metric string, perRun []float64) float64 {
	runs := float64(len(r.runs))
	if runs < 2 {
		return 0
	}

	variance := 0.0
	for i := range r.queries {
		values := make([]float64, len(r.runs))
		for k, run := range r.runs {
			values[k] = run.report.PerQuery[i].Metrics[metric]
		}

		sd := metrics.StdDev(values)
		variance += float64(sd * sd)
	}

	independent := math.Sqrt(variance) / float64(len(r.queries))
	return max(independent, metrics.StdDev(perRun)) / math.Sqrt(runs)
}
