// Package junit writes results of tests as JUnit XML, the format that services of CI
// read. There is no standard; the elements are those of Ant, which all of them know.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
)

// Suites is a file. Encode counts its cases.
type Suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []Suite  `xml:"testsuite"`
}

// Suite is a list of cases. Seconds is absent if it is empty.
type Suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Seconds  string `xml:"time,attr,omitempty"`
	Cases    []Case `xml:"testcase"`
}

// Case is one test. At most one of Failure, Error and Skipped is set.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Seconds string   `xml:"time,attr,omitempty"`
	Failure *Outcome `xml:"failure"`
	Error   *Outcome `xml:"error"`
	Skipped *Skipped `xml:"skipped"`
	Output  string   `xml:"system-out,omitempty"`
}

// Outcome is why a test failed: a line and the whole.
type Outcome struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Skipped is why a test was not run.
type Skipped struct {
	Message string `xml:"message,attr"`
}

// Add appends a case and counts it.
func (s *Suite) Add(c Case) {
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
	s.Cases = append(s.Cases, c)
}

// Encode writes a file with the suites. encoding/xml replaces characters that XML 1.0
// does not allow.
func Encode(w io.Writer, name string, suites []Suite) error {
	all := Suites{Name: name, Suites: suites}
	for _, s := range suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
	}

	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}

	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("cannot write JUnit XML: %w", err)
	}

	_, err := io.WriteString(w, "\n")
	return err
}
