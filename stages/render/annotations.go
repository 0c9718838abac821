package render

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// maxAnnotations is the number of annotations of one kind that GitHub shows for
// a step.
const maxAnnotations = 10

// maxAnnotationText bounds one annotation's message in characters.
const maxAnnotationText = 1000

// Annotations writes GitHub workflow commands, one a line: an error for each
// failed check, a warning for an edited frozen dataset and
// for each query or entry that got worse, and notices
// for the verdict, for an index that was degraded on purpose, for changed data
// and for each metric that is not judged. If there are more than ten of a kind, the tenth
// gives the number of the rest.
func Annotations(r contracts.Report) []byte {
	var failures, warnings []annotation
	for _, c := range summary.FailedChecks(&r.Gate) {
		failures = append(failures, annotation{title: "Touchstone: " + summary.CheckName(c),
			message: summary.CheckText(c) + ": " + c.Rule})
	}

	for _, m := range r.Gate.Changes {
		if m.State == contracts.ChangeRegressed || m.State == contracts.ChangeErrored {
			warnings = append(warnings,
				annotation{title: fmt.Sprintf("Touchstone: %s %s", m.ID, m.State),
					message: strings.TrimSpace(wording.Shorten(m.Title, 200) + " " + summary.Explanation(m))})
		}
	}

	warnings = append(editedFrozen(&r.Gate), warnings...)
	title := "Touchstone: the gate " + outcome(&r.Gate)
	if n := r.Gate.NoVerdict; n != nil {
		title = "Touchstone: no verdict"
		failures = append(failures, annotation{title: title, message: verdict(&r.Gate)})
	}

	var b bytes.Buffer
	writeAnnotations(&b, "error", failures)
	writeAnnotations(&b, "warning", warnings)
	notices := []annotation{{title: title, message: strings.TrimSpace(verdict(&r.Gate) + " " + moved(&r.Gate))}}
	if d := degraded(&r.Aggregate); d != "" {
		notices = append(notices, annotation{title: "Touchstone: not the usual figures", message: d})
	}

	for _, line := range r.Gate.Warnings {
		notices = append(notices, annotation{title: "Touchstone: may fail by chance", message: line})
	}

	if lines := changedData(&r.Gate); len(lines) > 0 {
		notices = append(notices, annotation{title: "Touchstone: changed data", message: strings.Join(lines, " ")})
	}

	for _, line := range unjudged(&r.Gate) {
		notices = append(notices, annotation{title: "Touchstone: not judged", message: line})
	}

	writeAnnotations(&b, "notice", notices)
	return b.Bytes()
}

// annotation is one message. file is relative to the repository's root, or empty;
// line and column are 0 if they are not known.
type annotation struct {
	title, message, file string
	line, column         int
}

// place formats the properties that say where an annotation belongs.
func (a *annotation) place() string {
	if a.file == "" {
		return ""
	}
	text := "file=" + annotationProperty.Replace(wording.PlainLines(a.file)) + ","
	if a.line > 0 {
		text += fmt.Sprintf("line=%d,", a.line)
	}
	if a.column > 0 {
		text += fmt.Sprintf("col=%d,", a.column)
	}
	return text
}

func writeAnnotations(b *bytes.Buffer, command string, list []annotation) {
	for i, a := range list {
		if i == maxAnnotations-1 && len(list) > maxAnnotations {
			a = annotation{title: "Touchstone: more",
				message: fmt.Sprintf("%d more are not shown here; report.md and report.html list them.", len(list)-i)}
		}

		if i == maxAnnotations {
			return
		}

		fmt.Fprintf(b, "::%s %stitle=%s::%s\n", command, a.place(),
			annotationProperty.Replace(wording.PlainLines(wording.Shorten(a.title, 200))),
			annotationText.Replace(wording.PlainLines(wording.Shorten(a.message, maxAnnotationText))))
	}
}

// These are the escapes that the runner decodes; a raw line feed would start a
// command. Other control characters were replaced before.
var (
	annotationText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotationProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
