package render

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// stability says whether the runs of a detector agree. It is empty for one run.
func stability(d contracts.DetectorSummary) string {
	switch n := len(d.Unstable); {
	case n > 0:
		return fmt.Sprintf("unstable: the runs disagree on %d of %s", n,
			wording.CountOf(len(d.PerEntry), "1 entry", "%d entries"))
	case d.Runs > 1:
		return fmt.Sprintf("all %d runs agree", d.Runs)
	}
	return ""
}

// spread is the mean and the spread of a rate over runs that disagree on it,
// and empty if they agree.
func spread(d contracts.DetectorSummary, rate string) string {
	i := slices.IndexFunc(d.OverRuns, func(o contracts.RateRuns) bool { return o.Rate == rate })
	if i < 0 || d.OverRuns[i].Spread == 0 {
		return ""
	}
	o := d.OverRuns[i]
	return fmt.Sprintf("runs %s ± %s", wording.Figure(o.Mean), wording.Figure(o.Spread))
}

// expected lists the precision at each base rate, with its interval.
func expected(s contracts.DetectorScore) []string {
	var list []string
	for _, b := range s.PrecisionAt {
		if b.Precision == nil {
			continue
		}
		list = append(list, fmt.Sprintf("in %d: %s", b.OneIn, wording.Rate(b.Precision, b.Interval)))
	}
	return list
}
