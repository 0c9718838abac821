package selection

import (
	"encoding/json"
	"reflect"
)

// Classification sorts a run, or one call of it.
//
//   - TP: the expected tool was selected
//   - FP: no tool was expected, and one was selected
//   - TN: no tool was expected, and none was selected
//   - FN: a tool was expected, and another or none was selected
//
// A wrong tool is FN, so precision does not see it: see the wrong-tool rate and
// the accuracy.
type Classification string

const (
	TP Classification = "TP"
	FP Classification = "FP"
	TN Classification = "TN"
	FN Classification = "FN"
)

// Correct says whether the model did what was expected.
func (c Classification) Correct() bool { return c == TP || c == TN }

// ConfidenceCategory sets a run's confidence beside its correctness.
type ConfidenceCategory string

const (
	Robust       ConfidenceCategory = "robust"        // right, and confident
	NeedsClarity ConfidenceCategory = "needs_clarity" // right, and less confident
	Misleading   ConfidenceCategory = "misleading"    // wrong, and confident
)

// HighConfidence is the least confidence that counts as high.
const HighConfidence = 0.7

// Categorize gives the category of a run, or none where it has no confidence or
// is wrong without being confident.
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
// positions from 0 in the lists that Match was given, or -1.
type JudgedCall struct {
	Expected       int            `json:"expected"`
	Made           int            `json:"made"`
	Classification Classification `json:"classification"`
}

// Match pairs expected with made calls, of which equal is a tool of the same
// server. Each expected call without a partner is FN, each made call without one
// FP. Where a tool is expected twice, calls with equal parameters are paired
// first.
//
// The run as a whole is classified as follows. Where no call is expected it is FP
// if any was made, and TN otherwise. Where one is expected, the model's selection
// is its first call: TP if it is the expected one, and FN otherwise. Where several
// are expected it is TP if each of them has a partner (and, in an ordered case,
// the partners come in the expected order), and FN otherwise. Calls beyond those
// expected are listed as FP and do not change the run's class.
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

// partnersInOrder gives each expected call the first matching call after the
// partner of the one before, or -1.
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

// sameJSON compares two JSON texts by what they mean. Absent equals nothing.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// is says whether the call is of the expected tool of the expected server.
func (m MadeCall) is(want Call) bool {
	return m.Server == want.Server && m.Tool == want.Tool && m.Unknown == ""
}
