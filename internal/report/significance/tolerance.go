package significance

import (
	"fmt"
	"math"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// The parameters of a derived tolerance. The standard errors of the differences
// between search engines are 0.75 to 1.15 times those of one of them, if both are
// about equally good: a correlation of about .5 over the queries. bench/verdict
// prints how often the tolerance fails an equally good replacement.
const (
	replacementCorrelation = 0.5
	toleratedErrors        = 3.5
	// mostTolerated is the share of the baseline's value that may never be lost.
	mostTolerated = 0.5
)

// Replaceable returns the tolerance of a metric that lets pass an equally good
// replacement of the proxy: a proxy that answers other queries well, but as many.
// values are those of the queries in the baseline. With se the standard error of
// their mean and ρ = .5, the difference of the two means has the standard error
// sqrt(2(1-ρ))·se, and the tolerance is 3.5 of them: at least SmallestDrop and at
// most half of the baseline's value, rounded up to a thousandth. The test of
// Paired finds smaller losses. The tolerance is for what the test cannot find,
// such as a loss in a set of few queries.
func Replaceable(metric string, values []float64, groups []string) contracts.MetricThreshold {
	value, se := metrics.Mean(values), metrics.StdError(values, groups)
	if se == 0 {
		// All queries are equal, which says little about other queries.
		se = StandardError(metrics.ScoreMean(values, groups))
	}

	se *= math.Sqrt(2 * (1 - replacementCorrelation))
	tolerance := toleratedErrors * se
	reason := fmt.Sprintf("%g standard errors (%.4f) of the difference from an equally good replacement",
		toleratedErrors,
		se)
	switch smallest, most := SmallestDrop(value), mostTolerated*value; {
	case tolerance < smallest:
		tolerance, reason = smallest, fmt.Sprintf("the smallest loss that matters, more than %s", reason)
	case tolerance > most && most > smallest:
		tolerance, reason = most, fmt.Sprintf("half of the value, less than %s: measure more queries", reason)
	}

	tolerance = math.Ceil(tolerance*1000-1e-9) / 1000
	if value > 0 {
		reason += fmt.Sprintf("; %.0f%% of the baseline's %.4f", 100*tolerance/value, value)
	}

	return contracts.MetricThreshold{Metric: metric, Tolerance: tolerance, Derived: &tolerance, Reason: reason}
}
