package selection

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
// indexes in the lists of the case and the answer, or -1. Alternative is 0 for the
// expected call itself, and counts its alternatives from 1. An optional call that
// was not made is not listed.
type JudgedCall struct {
	Expected       int            `json:"expected"`
	Alternative    int            `json:"alternative,omitempty"`
	Made           int            `json:"made"`
	Classification Classification `json:"classification"`
	// Forbidden is the reason why the call makes the run wrong, or empty.
	Forbidden ForbiddenBy `json:"forbidden,omitempty"`
}

// ForbiddenBy is who forbids a call that was not expected.
type ForbiddenBy string

const (
	ByCase        ForbiddenBy = "case"        // the case lists the tool as forbidden
	ByDestructive ForbiddenBy = "destructive" // the tool's annotations call it destructive
)
