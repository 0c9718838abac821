package aggregate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
)

// summarizeDetector combines the runs of one detector: each entry gets the
// verdict of most runs, and the scores are counted over those verdicts.
func summarizeDetector(runs []securityRun) contracts.DetectorSummary {
	d := contracts.DetectorSummary{Runs: len(runs)}
	results := make([]contracts.EntryResult, len(runs[0].report.PerEntry))
	for i := range results {
		perRun := make([]contracts.EntryResult, len(runs))
		for r, run := range runs {
			perRun[r] = run.report.PerEntry[i]
		}

		e, unanimous := majority(perRun)
		if !unanimous {
			d.Unstable = append(d.Unstable, e.ID)
		}

		results[i] = e
		d.PerEntry = append(d.PerEntry, contracts.EntrySummary(e))
		if share, ok := detection.ShareOf(perRun); ok && !unanimous {
			if d.Shares == nil {
				d.Shares = make(map[string]float64)
			}

			d.Shares[e.ID] = share
		}
	}

	d.Score = detection.Score(runs[0].report.Detector.Detector, results)
	counts := detection.Counts(d.Score)
	for _, r := range metrics.DetectionRates() {
		if r.Interval {
			d.SetRateInterval(r.Name, wilson(r.Count(counts)))
		}
	}

	d.OverRuns = overRuns(runs)
	return d
}

// overRuns returns the mean and the spread of each rate that every run defines.
// The score counts the verdicts of the majority, which for a detector that
// guesses is not what one run is worth.
func overRuns(runs []securityRun) []contracts.RateRuns {
	if len(runs) < 2 {
		return nil
	}

	var list []contracts.RateRuns
	for _, r := range metrics.DetectionRates() {
		over := contracts.RateRuns{Rate: r.Name}
		for _, run := range runs {
			if value := run.report.Detector.Rate(r.Name); value != nil {
				over.PerRun = append(over.PerRun, *value)
			}
		}

		if len(over.PerRun) == len(runs) {
			over.Mean, over.Spread = mean(over.PerRun), metrics.StdDev(over.PerRun)
			list = append(list, over)
		}
	}

	return list
}

// majority returns the result of the first run whose verdict is that of most
// runs, with the error of the first run that has one, so that occasional
// failures of a detector stay visible. Of equally frequent verdicts errored
// comes first, then the wrong one: a tie is not a majority for the right
// verdict.
func majority(perRun []contracts.EntryResult) (result contracts.EntryResult, unanimous bool) {
	counts := make(map[string]int)
	for _, r := range perRun {
		counts[r.Verdict]++
	}

	wrong, right := contracts.VerdictFlagged, contracts.VerdictClean
	if perRun[0].Label == contracts.LabelMalicious {
		wrong, right = right, wrong
	}

	winner := contracts.VerdictErrored
	for _, verdict := range []string{wrong, right} {
		if counts[verdict] > counts[winner] {
			winner = verdict
		}
	}

	i := slices.IndexFunc(perRun, func(r contracts.EntryResult) bool { return r.Verdict == winner })
	result = perRun[i]
	if e := slices.IndexFunc(perRun, func(r contracts.EntryResult) bool { return r.Error != "" }); e >= 0 {
		result.Error = perRun[e].Error
	}

	return result, counts[winner] == len(perRun)
}

func wilson(k, n int) *contracts.Interval {
	w, ok := metrics.Wilson(k, n)
	if !ok {
		return nil
	}
	i := interval(w)
	return &i
}

// ratesText lists the rates of a detector that the summary shows, with the
// spread over runs that disagree.
func ratesText(d contracts.DetectorSummary) string {
	text := ""
	for _, r := range metrics.DetectionRates() {
		value := d.Score.Rate(r.Name)
		if r.Shown&metrics.InSummary == 0 || value == nil {
			continue
		}

		text += fmt.Sprintf("; %s %.4f", strings.ToLower(r.Label), *value)
		if i := slices.IndexFunc(d.OverRuns, func(o contracts.RateRuns) bool { return o.Rate == r.Name }); i >= 0 &&
			d.OverRuns[i].Spread > 0 {
			text += fmt.Sprintf(" (runs: mean %.4f, spread %.4f)", d.OverRuns[i].Mean, d.OverRuns[i].Spread)
		}
	}

	if n := len(d.Unstable); n > 0 {
		text += fmt.Sprintf("; unstable: the runs disagree on %d of %d entries", n, len(d.PerEntry))
	}

	return text
}
