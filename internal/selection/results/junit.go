package results

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/touchstone-eval/touchstone/internal/selection/score"
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
	Seconds  string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Seconds string        `xml:"time,attr"`
	Failure *junitOutcome `xml:"failure"`
	Error   *junitOutcome `xml:"error"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes a suite for each model and a test for each run. A wrong run is a
// failure, and a failed one an error. encoding/xml replaces characters that XML 1.0
// does not allow.
func writeJUnit(w io.Writer, r Results) error {
	all := junitSuites{Name: r.Title}
	for _, group := range score.By(r.Runs, score.ByModel) {
		suite := junitSuite{Name: group.Name}
		var took int64
		for _, o := range r.Runs {
			if o.Model != group.Name {
				continue
			}

			took += o.DurationMS
			suite.Tests++
			tc := junitCase{Class: o.Model, Name: repeatName(o), Seconds: seconds(o.DurationMS)}
			text := fmt.Sprintf("expected %s, chose %s\n%s\nrun %s", expected(o), o.Selects, o.Reasoning, o.RunID)
			switch verdict(o) {
			case "failed":
				suite.Errors++
				tc.Error = &junitOutcome{o.Error, "run " + o.RunID}
			case "wrong":
				suite.Failures++
				tc.Failure = &junitOutcome{fmt.Sprintf("%s: expected %s, chose %s", o.Classification, expected(o),
					o.Selects), text}
			default:
				tc.Output = text
			}

			suite.Cases = append(suite.Cases, tc)
		}

		suite.Seconds = seconds(took)
		all.Tests, all.Failures, all.Errors = all.Tests+suite.Tests, all.Failures+suite.Failures,
			all.Errors+suite.Errors
		all.Suites = append(all.Suites, suite)
	}

	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}

	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}

	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(ms int64) string { return fmt.Sprintf("%.3f", float64(ms)/1000) }
