package scanner

import "math"

// The evidence of a finding is a sum of log-odds: what any finding is worth,
// plus the confidence of each check times a weight, each check once. It is a
// probability on a log-odds scale, fitted by logistic regression to labelled
// tools of 33 authors, judged by a classifier that was trained on other authors:
//
//	go run ./scanner/training -measure -folds 4
//
// Half of the tools of that set with a finding are attacks or more, so that the
// probability is too high where attacks are rarer. Its order is not.
const (
	anyFinding = 0.9
	// hardEvidence is added for a hard signal, and tripwireEvidence for that of
	// a tripwire.
	hardEvidence     = 0.6
	tripwireEvidence = 1.4
	// customWeight is the weight of a check that a program adds.
	customWeight = 1.0

	// highEvidence is exceeded by 0.3% of the innocent tools of that set, and
	// mediumEvidence by 1%.
	highEvidence   = 2.55
	mediumEvidence = 2.1
)

// weights are the weights of checks. Checks that the set hardly exercises have
// the weight of a custom one. secret.embedded is medium alone: a leaked secret is
// to be read before a merge. A weight is never negative: another signal never
// lowers the evidence.
var weights = map[string]float64{
	"tripwire.known":         0.8,
	"sentence.classifier":    2.5,
	"shadowing.cross_server": 2.1,
	"code.malicious":         0.7,
	"schema.carrier":         0.3,
	"secret.embedded":        1.5,
	"payload.decoded":        0.3,
	"capability.mismatch":    0.3,
	"size.suspicious":        0.1,
}

// evidence adds up the signals of a finding, which are ordered by check.
func evidence(signals []Signal) float64 {
	sum, hard := anyFinding, 0.0
	best := 0.0
	for i, s := range signals {
		if i > 0 && signals[i-1].CheckID != s.CheckID {
			best = 0
		}

		w, ok := weights[s.CheckID]
		if !ok {
			w = customWeight
		}

		if s.Confidence > best {
			sum += w * (s.Confidence - best)
			best = s.Confidence
		}

		switch {
		case s.Tier != TierHard:
		case s.CheckID == "tripwire.known":
			hard = tripwireEvidence
		default:
			hard = max(hard, hardEvidence)
		}
	}

	return sum + hard
}

// probability turns log-odds into a probability.
func probability(logOdds float64) float64 { return 1 / (1 + math.Exp(-logOdds)) }
