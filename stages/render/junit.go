package render

import (
	"bytes"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/junit"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// JUnit writes one test case for each check of the gate and one for each query
// or entry that moved. A failed check is a failure. A move is a failure only if
// a failed check names it, so that the file always agrees with the gate.
func JUnit(r contracts.Report) ([]byte, error) {
	blamed := summary.Blamed(&r.Gate)
	var checks, moves junit.Suite
	checks.Name, moves.Name = "gate", "changes"
	for _, c := range r.Gate.Checks {
		tc := junit.Case{Class: "gate." + c.Subject, Name: summary.CheckName(c)}
		text := summary.CheckText(c)
		if c.Passed {
			tc.Output = strings.TrimSpace(text + ": " + c.Rule)
		} else {
			tc.Failure = &junit.Outcome{Message: text, Text: c.Rule}
		}

		checks.Add(tc)
	}

	if r.Gate.NoVerdict != nil {
		checks.Add(junit.Case{Class: "gate", Name: "verdict",
			Error: &junit.Outcome{Message: "no verdict", Text: verdict(&r.Gate)}})
	}

	for _, m := range r.Gate.Unjudged {
		checks.Add(junit.Case{Class: "gate." + m.Subject, Name: wording.MetricName(m.Metric),
			Skipped: &junit.Skipped{Message: m.State + ": " + m.Note}})
	}

	for _, m := range r.Gate.Changes {
		tc := junit.Case{Class: "changes." + m.Subject, Name: m.ID + " " + summary.StateName(m.State)}
		message := strings.TrimSpace(m.State + " " + summary.Explanation(m))
		bad := blamed(m) && summary.ForTheWorse(m)
		switch {
		case bad && m.State == contracts.ChangeErrored:
			tc.Error = &junit.Outcome{Message: message, Text: m.Title}
		case bad:
			tc.Failure = &junit.Outcome{Message: message, Text: m.Title}
		default:
			tc.Output = strings.TrimSpace(message + "\n" + m.Title)
		}

		moves.Add(tc)
	}

	suites := []junit.Suite{checks, moves}
	if s := r.Aggregate.Selection; s != nil {
		suites = append(suites, junitSelection(s))
	}

	return encodeJUnit(suites...)
}

// encodeJUnit returns the text of junit.xml.
func encodeJUnit(suites ...junit.Suite) ([]byte, error) {
	var b bytes.Buffer
	err := junit.Encode(&b, "touchstone", suites)
	return b.Bytes(), err
}
