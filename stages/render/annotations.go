package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// maxAnnotations is the number of annotations of one kind that GitHub shows for
// a step.
const maxAnnotations = 10

// maxAnnotationText bounds one annotation's message in characters.
const maxAnnotationText = 1000

// Annotations writes GitHub workflow commands, one a line: an error for each
// failed check, a warning for each query or entry that got worse, and notices
// for the verdict, for an index that was degraded on purpose and for each
// metric that is not judged. If there are more than ten of a kind, the tenth
// gives the number of the rest.
func Annotations(r contracts.Report) []byte {
	var failures, warnings []annotation
	for _, c := range failedChecks(&r.Gate) {
		failures = append(failures, annotation{"Touchstone: " + checkName(c),
			fmt.Sprintf("%s is %s, must be %s %s. %s", checkName(c), figure(c.Value), sign(c.Comparison), figure(c.Bound), c.Rule)})
	}
	for _, m := range sortedMoves(r.Gate.Moves) {
		if m.State == contracts.MoveRegressed || m.State == contracts.MoveErrored {
			warnings = append(warnings, annotation{fmt.Sprintf("Touchstone: %s %s", m.ID, m.State), strings.TrimSpace(shorten(m.Title, 200) + " " + why(m))})
		}
	}
	title := "Touchstone: the gate passed"
	if !r.Gate.Passed {
		title = "Touchstone: the gate failed"
	}
	var b bytes.Buffer
	writeAnnotations(&b, "error", failures)
	writeAnnotations(&b, "warning", warnings)
	notices := []annotation{{title, verdict(&r.Gate) + " " + movesLine(r.Gate.Moves)}}
	if d := degraded(&r.Aggregate); d != "" {
		notices = append(notices, annotation{"Touchstone: degraded index", d})
	}
	for _, line := range r.Gate.Warnings {
		notices = append(notices, annotation{"Touchstone: may fail by chance", line})
	}
	for _, line := range unjudged(&r.Gate) {
		notices = append(notices, annotation{"Touchstone: not judged", line})
	}
	writeAnnotations(&b, "notice", notices)
	return b.Bytes()
}

type annotation struct{ title, message string }

func writeAnnotations(b *bytes.Buffer, command string, list []annotation) {
	for i, a := range list {
		if i == maxAnnotations-1 && len(list) > maxAnnotations {
			a = annotation{"Touchstone: more", fmt.Sprintf("%d more are not shown here; report.md and report.html list them.", len(list)-i)}
		}
		if i == maxAnnotations {
			return
		}
		fmt.Fprintf(b, "::%s title=%s::%s\n", command, annotationProperty.Replace(plainLines(shorten(a.title, 200))), annotationText.Replace(plainLines(shorten(a.message, maxAnnotationText))))
	}
}

// These are the escapes that the runner decodes; a raw line feed would start a
// command. Other control characters were replaced before.
var (
	annotationText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotationProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
