package check

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Signal is one reason to distrust a tool.
type Signal struct {
	CheckID    string
	Tier       Tier
	ThreatType ThreatType
	Confidence float64 // 0..1
	Evidence   char.Quotation
	Detail     string
	// Pointer is the place of the evidence in the definition, or "".
	Pointer string
	// Pattern is the tripwire, or "".
	Pattern string

	// Critical marks the two kinds of hard signal that make a finding critical:
	// deliberate smuggling with Unicode or with encodings.
	Critical bool
}

// Info describes a built-in check. Tier is the highest tier that it reports.
type Info struct {
	ID          string
	Tier        Tier
	ThreatType  ThreatType
	Description string
	Why         string // why what it finds is dangerous
	Do          string // what a maintainer should do
}

// quoting returns the signal with the words text[start:end] of a field as its
// evidence.
func (s Signal) quoting(v *reading.Reading, f *tool.Field, text string, start, end int) Signal {
	s.Evidence, s.Pointer = char.Quote(text, start, end), v.Pointer(f)
	return s
}

// quotingDoc does the same for the normalised text of a field.
func (s Signal) quotingDoc(v *reading.Reading, d *token.Doc, start, end int) Signal {
	return s.quoting(v, &v.Fields[d.Field], d.Text, start, end)
}

// quotingWhole quotes a text, and gives the place of the first field that has it.
func (s Signal) quotingWhole(v *reading.Reading, text string) Signal {
	s.Evidence = char.Quote(text, 0, len(text))
	for i := range v.AllFields() {
		if text != "" && strings.Contains(v.Fields[i].Text, text) {
			s.Pointer = v.Pointer(&v.Fields[i])
			break
		}
	}
	return s
}

// softWeight is the weight from which a check that weighs evidence reports it.
const softWeight = 1.4

// Check is a built-in check: its description and its function.
type Check struct {
	Info    Info
	Inspect func(*reading.Reading, *tool.Registry) []Signal
}

// All lists the checks in the order in which their signals are reported.
func All() []Check {
	return []Check{
		checkUnicode,
		checkPayload,
		checkTripwires,
		checkOrders,
		checkSentence,
		checkShadowing,
		checkCapability,
		checkRugPull,
		checkCode,
		checkSchema,
		checkEmbeddedSecret,
		checkSize,
	}
}

// positionDiscount lowers confidence by at most a fifth for evidence far into a
// text, where an order is more likely quoted or documented.
func positionDiscount(confidence float64, offset int) float64 {
	return confidence * (1 - 0.2*min(float64(offset)/4000, 1))
}
