package scanner

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/check"
	"github.com/touchstone-eval/touchstone/scanner/internal/tripwire"
)

// Explanation tells a person about a check or a tripwire.
type Explanation struct {
	ID string `json:"id"`
	// Severity is that of a finding with nothing but this tripwire. It is empty for
	// a check.
	Severity Severity `json:"severity,omitempty"`
	What     string   `json:"what"` // what it finds
	Why      string   `json:"why"`  // why that is dangerous
	Do       string   `json:"do"`   // what a maintainer should do
	// Fires and Near are texts that a tripwire does and does not report. The manual
	// has those of checks.
	Fires []string `json:"fires,omitempty"`
	Near  []string `json:"near,omitempty"`
}

// Explain explains the built-in check or the tripwire with an id.
func Explain(id string) (Explanation, bool) {
	for _, c := range check.All() {
		if c.Info.ID == id {
			return Explanation{ID: id, What: c.Info.Description, Why: c.Info.Why, Do: c.Info.Do}, true
		}
	}

	for _, w := range tripwire.Get().All {
		if w.ID == id {
			return Explanation{
				ID: id, Severity: Severity(w.Severity), What: "the text " + w.What, Why: w.Why, Do: w.Do,
				Fires: slices.Clone(w.Fires), Near: slices.Clone(w.Near),
			}, true
		}
	}

	return Explanation{}, false
}

// Tripwires lists the ids of the tripwires: the well-known attacks that the check
// tripwire.known finds.
func Tripwires() []string {
	var ids []string
	for _, w := range tripwire.Get().All {
		ids = append(ids, w.ID)
	}
	return ids
}

// Explain explains the tripwire or else the check that raised the signal. A signal of
// a custom check has no explanation but its Detail.
func (s *Signal) Explain() Explanation {
	if e, ok := Explain(s.Pattern); ok {
		return e
	}
	e, _ := Explain(s.CheckID)
	return e
}
