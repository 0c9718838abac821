package results

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// Format is a format of results.
type Format struct {
	Name      string // as a user writes it
	MediaType string
	Extension string
	write     func(io.Writer, Results) error
}

// Formats are all formats.
var Formats = []Format{
	{"csv", "text/csv; charset=utf-8", "csv", writeCSV},
	{"junit", "application/xml; charset=utf-8", "xml", writeJUnit},
	{"html", "text/html; charset=utf-8", "html", writeHTML},
}

// FormatNamed returns the format with a name.
func FormatNamed(name string) (Format, error) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		var names []string
		for _, f := range Formats {
			names = append(names, f.Name)
		}

		return Format{}, fmt.Errorf("format %q is unknown: use one of %s", name, strings.Join(names, ", "))
	}

	return Formats[i], nil
}

// Results are ended runs. Cancelled runs and runs that were retried are not among
// them, as in all figures.
type Results struct {
	// Title says which runs they are, such as the label of their batch.
	Title string
	Runs  []score.Observation
	// Answers are what the models said, by run.
	Answers map[string]selection.SaidRaw
}

// said is what a model said in a run, in a line, or the empty text.
func (r Results) said(o score.Observation) string {
	a := r.Answers[o.RunID]
	var parts []string
	for _, part := range []struct{ name, text string }{
		{"text", a.Text}, {"refusal", a.Refusal}, {"reasoning", a.Reasoning},
	} {
		if part.text != "" {
			parts = append(parts, part.name+": "+selection.Clip(part.text, maxSaid))
		}
	}
	return strings.Join(parts, "\n")
}

// maxSaid bounds each text of a model in JUnit XML and in the page, in characters.
const maxSaid = 1000

// Write writes results in a format.
func (r Results) Write(w io.Writer, f Format) error { return f.write(w, r) }

// expected names the expected calls of a run.
func expected(o score.Observation) string {
	if len(o.Tools) == 0 {
		return score.NoTool
	}
	return strings.Join(o.Tools, ", ")
}

// verdict is what became of a run in a word.
func verdict(o score.Observation) string {
	switch {
	case o.Failed:
		return "failed"
	case o.Classification.Correct():
		return "right"
	}
	return "wrong"
}

// origin says where a run comes from that another program executed.
func origin(o score.Observation) string {
	if o.ImportedFrom == "" {
		return ""
	}
	return ", imported from " + o.ImportedFrom
}

// repeatName tells the repeats of a case apart.
func repeatName(o score.Observation) string {
	if o.Repeat <= 1 {
		return o.Case
	}
	return fmt.Sprintf("%s (repeat %d)", o.Case, o.Repeat)
}
