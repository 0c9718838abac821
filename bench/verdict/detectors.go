package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/gate"
)

// detectors prints how often the gate fails, and how often it names entries, for
// changes of each detector of the baseline. Thresholds are those of a new baseline.
func detectors(sets int, baseline contracts.Baseline, securityFile string) error {
	corpus, err := contracts.Read[contracts.SecurityCorpus](securityFile)
	if err != nil {
		return err
	}

	fmt.Println("\nHow often the gate fails for a change of a detector, and in parentheses how often it names entries")
	fmt.Println("detector      changed at random: 4  20             60             3 missed       10 missed      " +
		"3 alarms       10 alarms")
	random := rand.New(rand.NewPCG(5, 6))
	for _, d := range baseline.PerDetector {
		j, err := newDetectorJudge(corpus, d)
		if err != nil {
			return err
		}

		row := fmt.Sprintf("%-12s", d.Score.Detector)
		for _, draw := range []func() verdicts{
			func() verdicts { return j.neutral(4, random) }, func() verdicts { return j.neutral(20, random) },
			func() verdicts { return j.neutral(60, random) },
			func() verdicts { return j.worse(3, true, random) }, func() verdicts { return j.worse(10, true, random) },
			func() verdicts { return j.worse(3, false, random) },
			func() verdicts { return j.worse(10, false, random) },
		} {
			failed, named := 0, 0
			for range sets {
				g, err := j.judge(draw())
				if err != nil {
					return err
				}

				if !g.Passed {
					failed++
				} else if len(g.Warnings) > 0 {
					named++
				}
			}

			row += fmt.Sprintf("  %s (%s)", share(failed, sets), share(named, sets))
		}

		fmt.Println(row)
	}

	fmt.Println("changed at random: so many entries change their verdict, each with equal chance for the " +
		"better or the " +
		"worse; fewer where the detector flags fewer of a category")
	return nil
}

// verdicts says of each entry of the corpus whether it is flagged.
type verdicts []bool

// detectorJudge puts the verdicts of one detector to the gate.
type detectorJudge struct {
	entries  []contracts.SecurityEntry
	before   verdicts
	name     string
	baseline contracts.Baseline
}

func newDetectorJudge(corpus contracts.SecurityCorpus, d contracts.BaselineDetector) (detectorJudge, error) {
	j := detectorJudge{entries: corpus.Entries, name: d.Score.Detector}
	for _, e := range corpus.Entries {
		j.before = append(j.before, slices.Contains(d.Flagged, e.ID))
	}

	// The gate also wants a metric, so there is one query that is answered.
	var err error
	j.baseline, err = gate.NewBaseline(j.aggregate(j.before), nil)
	return j, err
}

func (j detectorJudge) aggregate(flagged verdicts) contracts.Aggregate {
	agg := contracts.Aggregate{Baseline: contracts.BaselineStatus{Version: "baseline_v1", Comparable: true}}
	one := contracts.RetrievalMetrics{"recall_at_5": 1, "mrr": 1, "ndcg_at_10": 1}
	agg.Retrieval = contracts.RetrievalAggregate{Runs: 1, Queries: 1,
		PerQuery: []contracts.QuerySummary{{ID: "q", Metrics: one}}}
	for name := range one {
		agg.Retrieval.Metrics = append(agg.Retrieval.Metrics, contracts.MetricSummary{Metric: name, Mean: 1,
			Comparison: &contracts.MetricComparison{Baseline: 1, PValue: 1, Verdict: contracts.WithinNoise}})
	}

	d := contracts.DetectorSummary{Runs: 1, Score: contracts.DetectorScore{Detector: j.name}}
	for i, e := range j.entries {
		verdict := contracts.VerdictClean
		if flagged[i] {
			verdict = contracts.VerdictFlagged
		}

		d.PerEntry = append(d.PerEntry,
			contracts.EntrySummary{ID: e.ID, Label: e.Label, Category: e.Category, Verdict: verdict})
	}

	d.Score.PerCategory = categories(d.PerEntry)
	agg.Detectors = []contracts.DetectorSummary{d}
	return agg
}

// categories counts the entries, which the gate asks for before it judges.
func categories(entries []contracts.EntrySummary) []contracts.CategoryScore {
	var scores []contracts.CategoryScore
	for _, e := range entries {
		i := slices.IndexFunc(scores, func(c contracts.CategoryScore) bool { return c.Category == e.Category })
		if i < 0 {
			i = len(scores)
			scores = append(scores, contracts.CategoryScore{Category: e.Category})
		}

		scores[i].Total++
	}
	return scores
}

func (j detectorJudge) judge(now verdicts) (contracts.Gate, error) {
	g, err := gate.Judge(j.aggregate(now), j.baseline, 0)
	for _, c := range g.Checks {
		if !c.Passed && c.Subject != j.name {
			return g, fmt.Errorf("the simulated figures fail %s %s: %s", c.Subject, c.Metric, strings.TrimSpace(c.Rule))
		}
	}
	return g, err
}

// neutral changes n entries, each with equal chance for the better or the worse.
// An entry is drawn from any category in which there still are flagged and other
// entries to change, so that no rate is worse in the mean.
func (j detectorJudge) neutral(n int, random *rand.Rand) verdicts {
	now := slices.Clone(j.before)
	left := make(map[string]int)
	for _, c := range detectionCategories(j.entries) {
		left[c] = min(len(j.candidates(now, c, true)), len(j.candidates(now, c, false)))
	}

	for range n {
		category := j.entries[random.IntN(len(j.entries))].Category
		if left[category] == 0 {
			continue
		}

		left[category]--
		j.change(now, j.candidates(now, category, random.IntN(2) == 0), random)
	}

	return now
}

// worse misses n more attacks or flags n more benign entries.
func (j detectorJudge) worse(n int, attacks bool, random *rand.Rand) verdicts {
	now := slices.Clone(j.before)
	for range n {
		var all []int
		for _, c := range detectionCategories(j.entries) {
			if slices.Contains(contracts.AttackCategories, c) == attacks {
				all = append(all, j.candidates(now, c, !attacks)...)
			}
		}

		j.change(now, all, random)
	}

	return now
}

// candidates are the entries of a category that have not changed and would get the
// verdict.
func (j detectorJudge) candidates(now verdicts, category string, flagged bool) []int {
	var list []int
	for i, e := range j.entries {
		if e.Category == category && now[i] != flagged && now[i] == j.before[i] {
			list = append(list, i)
		}
	}
	return list
}

// change changes the verdict of one of the entries.
func (j detectorJudge) change(now verdicts, among []int, random *rand.Rand) {
	if len(among) > 0 {
		i := among[random.IntN(len(among))]
		now[i] = !now[i]
	}
}

func detectionCategories(entries []contracts.SecurityEntry) []string {
	var list []string
	for _, e := range entries {
		if !slices.Contains(list, e.Category) {
			list = append(list, e.Category)
		}
	}
	return list
}
