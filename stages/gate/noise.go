package gate

import (
	"fmt"
	"math"

	"github.com/touchstone-eval/touchstone/contracts"
)

// quietErrors is the number of standard errors that a tolerance should have. A
// proxy that did not change and whose change is normal with a tolerance of 2.4
// standard errors exceeds it in 1 of 120 comparisons.
const quietErrors = 2.4

// noiseWarnings warns about tolerances that a noisy proxy may exceed by chance.
// The noise of the baseline is taken to be that of the runs now, over as many
// runs as the baseline has.
func noiseWarnings(agg contracts.Aggregate, b contracts.Baseline) []string {
	var warnings []string
	for _, t := range b.Thresholds.Retrieval {
		m, _ := metric(agg, t.Metric)
		if m.Noise == 0 {
			continue
		}

		runs := float64(agg.Retrieval.Runs)
		se := m.Noise * math.Sqrt(1+runs/float64(max(1, b.RunsAveraged)))
		if t.Tolerance >= quietErrors*se {
			continue
		}

		// With k times as many runs, now and in the baseline, se falls by sqrt(k).
		enough := 1
		if t.Tolerance > 0 {
			single := m.Noise * math.Sqrt(runs)
			enough = int(math.Ceil(2 * math.Pow(quietErrors*single/t.Tolerance, 2)))
		}

		remedy := fmt.Sprintf("measure at least %d runs, here and for the baseline, or set a tolerance of at least "+
			"%.3f", enough, math.Ceil(quietErrors*se*1000)/1000)
		if t.Tolerance == 0 {
			remedy = fmt.Sprintf("set a tolerance of at least %.3f", math.Ceil(quietErrors*se*1000)/1000)
		}

		warnings = append(warnings, fmt.Sprintf("the runs of the proxy differ: %s has a standard error of %.4f; "+
			"the tolerance of %s is only %.1f standard errors, so chance alone may exceed it: %s",
			t.Metric, se, figure(t.Tolerance), t.Tolerance/se, remedy))
	}

	return warnings
}
