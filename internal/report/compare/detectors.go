package compare

import (
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Detector compares a detector of both reports over the entries that both
// judged. RecallP and FPRP are p-values of the paired randomization test over
// attacks and over benign entries. With at most 16 entries that differ the test
// is exact, and the same as McNemar's exact test (Psychometrika 12(2), 1947).
type Detector struct {
	Detector string  `json:"detector"`
	Entries  int     `json:"entries"`
	Recall   Rates   `json:"recall"`
	FPR      Rates   `json:"fpr"`
	RecallP  float64 `json:"recall_p_value"`
	FPRP     float64 `json:"fpr_p_value"`
	Changed  []Entry `json:"changed"`
}

// Rates holds a rate of both sides, null if it has no denominator, and for
// detectors their 95% intervals by Wilson.
type Rates struct {
	A         *float64            `json:"a"`
	B         *float64            `json:"b"`
	AInterval *contracts.Interval `json:"a_interval,omitempty"`
	BInterval *contracts.Interval `json:"b_interval,omitempty"`
}

// Entry is an entry on which the verdicts differ. Outcome is about B.
type Entry struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Outcome  string `json:"outcome"`
	A        string `json:"a"`
	B        string `json:"b"`
}

func (c *Comparison) compareDetectors(a, b []contracts.DetectorSummary) {
	for i := range a {
		j := slices.IndexFunc(b,
			func(d contracts.DetectorSummary) bool { return d.Score.Detector == a[i].Score.Detector })
		if j >= 0 {
			c.Detectors = append(c.Detectors, compareDetector(&a[i], &b[j]))
		}
	}
}

func compareDetector(a, b *contracts.DetectorSummary) Detector {
	d := Detector{Detector: a.Score.Detector, Changed: []Entry{}}
	other := make(map[string]contracts.EntrySummary, len(b.PerEntry))
	for _, e := range b.PerEntry {
		other[e.ID] = e
	}

	// The flags of A and B, for attacks (true) and for benign entries (false).
	flagged := map[bool][2][]float64{}
	for _, e := range a.PerEntry {
		o, ok := other[e.ID]
		if !ok || o.Label != e.Label {
			continue
		}

		d.Entries++
		attack := e.Label == contracts.LabelMalicious
		if e.Verdict != o.Verdict {
			d.Changed = append(d.Changed,
				Entry{e.ID, e.Category, entryOutcome(attack, e.Verdict, o.Verdict), e.Verdict, o.Verdict})
		}

		if !attack && (e.Verdict == contracts.VerdictErrored || o.Verdict == contracts.VerdictErrored) {
			continue // an error on a benign entry is neither right nor a false alarm
		}

		f := flagged[attack]
		f[0], f[1] = append(f[0], one(e.Verdict)), append(f[1], one(o.Verdict))
		flagged[attack] = f
	}

	d.Recall, d.RecallP = rates(flagged[true])
	d.FPR, d.FPRP = rates(flagged[false])
	return d
}

func one(verdict string) float64 {
	if verdict == contracts.VerdictFlagged {
		return 1
	}
	return 0
}

// entryOutcome classifies a change of verdict. Flagging is right for an attack
// and wrong for a benign entry. An error is worse than a right verdict.
func entryOutcome(attack bool, a, b string) string {
	right := func(v string) bool {
		return v != contracts.VerdictErrored && (v == contracts.VerdictFlagged) == attack
	}
	switch {
	case right(b) && !right(a):
		return Win
	case right(a) && !right(b):
		return Loss
	}
	return Tie
}

func rates(flagged [2][]float64) (Rates, float64) {
	n := len(flagged[0])
	if n == 0 {
		return Rates{}, 1
	}

	a, b := metrics.Mean(flagged[0]), metrics.Mean(flagged[1])
	differences := make([]float64, n)
	for i := range differences {
		differences[i] = flagged[1][i] - flagged[0][i]
	}

	wilson := func(p float64) *contracts.Interval {
		i := metrics.WilsonOf(p, n)
		return &contracts.Interval{Low: i.Low, High: i.High}
	}
	return Rates{&a, &b, wilson(a), wilson(b)}, metrics.RandomizationTest(differences, nil)
}
