package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitOutcome `xml:"failure"`
	Error   *junitOutcome `xml:"error"`
	Skipped *junitSkipped `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes one test case for each check of the gate and one for each query
// or entry that moved. A failed check is a failure. A move is a failure only if
// a failed check names it, so that the file always agrees with the gate.
// encoding/xml replaces characters that XML 1.0 does not allow.
func JUnit(r contracts.Report) ([]byte, error) {
	blamed := summary.Blamed(&r.Gate)
	var checks, moves junitSuite
	checks.Name, moves.Name = "gate", "changes"
	for _, c := range r.Gate.Checks {
		tc := junitCase{Class: "gate." + c.Subject, Name: summary.CheckName(c)}
		text := summary.CheckText(c)
		if c.Passed {
			tc.Output = strings.TrimSpace(text + ": " + c.Rule)
		} else {
			tc.Failure = &junitOutcome{text, c.Rule}
		}

		checks.add(tc)
	}

	if r.Gate.NoVerdict != nil {
		checks.add(junitCase{Class: "gate", Name: "verdict", Error: &junitOutcome{"no verdict", verdict(&r.Gate)}})
	}

	for _, m := range r.Gate.Unjudged {
		checks.add(junitCase{Class: "gate." + m.Subject, Name: wording.MetricName(m.Metric),
			Skipped: &junitSkipped{m.State + ": " + m.Note}})
	}

	for _, m := range r.Gate.Changes {
		tc := junitCase{Class: "changes." + m.Subject, Name: m.ID + " " + summary.StateName(m.State)}
		message := strings.TrimSpace(m.State + " " + summary.Explanation(m))
		bad := blamed(m) && summary.ForTheWorse(m)
		switch {
		case bad && m.State == contracts.ChangeErrored:
			tc.Error = &junitOutcome{message, m.Title}
		case bad:
			tc.Failure = &junitOutcome{message, m.Title}
		default:
			tc.Output = strings.TrimSpace(message + "\n" + m.Title)
		}

		moves.add(tc)
	}

	all := junitSuites{Name: "touchstone", Suites: []junitSuite{checks, moves}}
	if s := r.Aggregate.Selection; s != nil {
		all.Suites = append(all.Suites, junitSelection(s))
	}

	return encodeJUnit(all)
}

// encodeJUnit returns the text of junit.xml. It counts the cases of the suites.
func encodeJUnit(all junitSuites) ([]byte, error) {
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
	}

	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", " ")
	if err := enc.Encode(all); err != nil {
		return nil, fmt.Errorf("cannot write junit.xml: %w", err)
	}

	b.WriteByte('\n')
	return b.Bytes(), nil
}

func (s *junitSuite) add(c junitCase) {
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
	s.Cases = append(s.Cases, c)
}
