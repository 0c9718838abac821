package selection

import (
	"encoding/json"
	"reflect"
)

// Classification is the class of a run, or of one call.
//
//   - TP: the expected tool was selected
//   - FP: no tool was expected, and one was selected
//   - TN: no tool was expected, and none was selected
//   - FN: a tool was expected, and another or none was selected
//
// A wrong tool is FN, so it does not affect precision: see the wrong-tool rate
// and the accuracy.
type Classification string

const (
	TP Classification = "TP"
	FP Classification = "FP"
	TN Classification = "TN"
	FN Classification = "FN"
)

// Correct reports whether the model did what was expected.
func (c Classification) Correct() bool { return c == TP || c == TN }

// ConfidenceCategory combines a run's confidence with its correctness.
type ConfidenceCategory string

const (
	Robust       ConfidenceCategory = "robust"        // correct and confident
	NeedsClarity ConfidenceCategory = "needs_clarity" // correct and less confident
	Misleading   ConfidenceCategory = "misleading"    // wrong and confident
)

// HighConfidence is the lowest confidence that counts as high.
const HighConfidence = 0.7

// Categorize returns the category of a run. There is none for a run without
// confidence, or for one that is wrong without being confident.
func Categorize(correct bool, confidence *float64) ConfidenceCategory {
	switch {
	case confidence == nil:
		return ""
	case correct && *confidence >= HighConfidence:
		return Robust
	case correct:
		return NeedsClarity
	case *confidence >= HighConfidence:
		return Misleading
	}
	return ""
}

// JudgedCall is one call that was expected or made. Expected and Made are
// indexes in the lists given to Match, or -1.
type JudgedCall struct {
	Expected       int            `json:"expected"`
	Made           int            `json:"made"`
	Classification Classification `json:"classification"`
}

// Match pairs expected calls with made calls of the same tool of the same
// server. Each expected call without a partner is FN, and each made call
// without one is FP. If a tool is expected twice, calls with equal parameters
// are paired first.
//
// The whole run is classified as follows. If no call is expected, it is FP if
// any was made, and TN otherwise. If one is expected, the model's selection is
// its first call: the run is TP if that is the expected one, and FN otherwise.
// If several are expected, it is TP if each has a partner (and, in an ordered
// case, the partners come in the expected order), and FN otherwise. Additional
// calls are listed as FP and do not change the run's class.
func Match(expected []Call, made []MadeCall, ordered bool) (Classification, []JudgedCall) {
	var partners []int
	switch {
	case len(expected) == 1:
		partners = partnersInOrder(expected, made[:min(1, len(made))])
	case ordered:
		partners = partnersInOrder(expected, made)
	default:
		partners = partnersInAnyOrder(expected, made)
	}

	var judged []JudgedCall
	taken := make([]bool, len(made))
	all := true
	for i, partner := range partners {
		class := TP
		if partner < 0 {
			class, all = FN, false
		} else {
			taken[partner] = true
		}

		judged = append(judged, JudgedCall{Expected: i, Made: partner, Classification: class})
	}

	for j := range made {
		if !taken[j] {
			judged = append(judged, JudgedCall{Expected: -1, Made: j, Classification: FP})
		}
	}

	switch {
	case len(expected) == 0 && len(made) == 0:
		return TN, nil
	case len(expected) == 0:
		return FP, judged
	case all:
		return TP, judged
	}

	return FN, judged
}

// partnersInOrder returns for each expected call the first matching call after
// the previous partner, or -1.
func partnersInOrder(expected []Call, made []MadeCall) []int {
	partners, from := make([]int, len(expected)), 0
	for i, want := range expected {
		partners[i] = -1
		for j := from; j < len(made); j++ {
			if made[j].is(want) {
				partners[i], from = j, j+1
				break
			}
		}
	}
	return partners
}

func partnersInAnyOrder(expected []Call, made []MadeCall) []int {
	partners, taken := make([]int, len(expected)), make([]bool, len(made))
	for i := range partners {
		partners[i] = -1
	}

	for _, exactly := range []bool{true, false} {
		for i, want := range expected {
			for j := 0; j < len(made) && partners[i] < 0; j++ {
				if !taken[j] && made[j].is(want) && (!exactly || sameJSON(want.Parameters, made[j].Parameters)) {
					partners[i], taken[j] = j, true
				}
			}
		}
	}

	return partners
}

// sameJSON compares the values of two JSON texts. Two absent texts are equal.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// is reports whether the call is of the expected tool of the expected server.
func (m MadeCall) is(want Call) bool {
	return m.Server == want.Server && m.Tool == want.Tool && m.Unknown == ""
}
