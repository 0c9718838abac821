package scanner

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/change"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Change is a field of a tool that differs from the approved version. Was and Now are
// the texts, or JSON for anything but a string; an empty one means that the field is
// absent. They are as the server wrote them, and not safe to print.
type Change struct {
	Pointer string `json:"pointer"` // a JSON Pointer, as in Signal
	Was     string `json:"was"`
	Now     string `json:"now"`
	// Severity is how bad the change of the field is by itself: none for the version of
	// a server or of JSON Schema, low for wording, medium for what deserves a review,
	// high for what a reviewer would refuse without an explanation, such as a new default
	// recipient. A high one is a finding of the check rugpull.change too.
	Severity Severity `json:"severity"`
	Why      string   `json:"why"`
}

// Diff lists the fields in which a tool differs from its approved version, in the order
// of the definition. White space and the order of members in JSON do not count. It does
// not judge the sentences: the check rugpull.change does.
func Diff(approved, now Tool) []Change {
	severities := [...]Severity{change.Note: SeverityNone, change.Low: SeverityLow, change.Medium: SeverityMedium,
		change.High: SeverityHigh}
	changes := []Change{}
	for _, d := range change.Fields((*tool.Definition)(&approved), (*tool.Definition)(&now)) {
		changes = append(changes, Change{d.Pointer, d.Was, d.Now, severities[d.Level], d.Why})
	}
	return changes
}
