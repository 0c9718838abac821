package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclparse"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Suppression declares that the signals of a check on a tool are known and
// accepted. Check may also be a tripwire, which is one of those of tripwire.known. Tool is "server:tool",
// where * matches any text. Reason is
// required. Expires is the last day on which the suppression applies, or empty.
type Suppression struct {
	Tool    string
	Check   string
	Reason  string
	Expires string
	Place   input.Place
}

func (s Suppression) String() string {
	return fmt.Sprintf("%s on %s (%s)", s.Check, safetext.Visible(s.Tool), s.Place)
}

type suppressionsFile struct {
	Suppress []struct {
		Tool    string    `hcl:"tool"`
		Check   string    `hcl:"check"`
		Reason  string    `hcl:"reason"`
		Expires string    `hcl:"expires,optional"`
		Range   hcl.Range `hcl:",def_range"`
	} `hcl:"suppress,block"`
}

// ParseSuppressions reads a suppressions file in HCL, or in JSON if its name
// ends in .json. The error lists every problem with its line.
func ParseSuppressions(file string, text []byte) ([]Suppression, error) {
	parser := hclparse.NewParser()
	parse := parser.ParseHCL
	if strings.EqualFold(filepath.Ext(file), ".json") {
		parse = parser.ParseJSON
	}

	f, diags := parse(text, file)
	var content suppressionsFile
	if !diags.HasErrors() {
		diags = append(diags, gohcl.DecodeBody(f.Body, nil, &content)...)
	}

	incomplete := diags.HasErrors()
	list := make([]Suppression, 0, len(content.Suppress))
	for _, s := range content.Suppress {
		complain := func(summary, detail string) {
			diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail,
				Subject: s.Range.Ptr()})
		}
		missing := func(value string) bool { return incomplete && value == "" } // already reported
		if strings.TrimSpace(s.Reason) == "" && !missing(s.Reason) {
			complain("a suppression has no reason", "add a reason that explains why the finding is accepted")
		}

		if !strings.Contains(s.Tool, ":") && !missing(s.Tool) {
			complain(fmt.Sprintf("%q names no tool", s.Tool), `write server:tool; * matches any text, as in "github:*"`)
		}

		if ids := slices.Concat(CheckIDs(), scanner.Tripwires()); !slices.Contains(ids, s.Check) && !missing(s.Check) {
			complain(Unknown("check or tripwire", s.Check, ids).Error(), "")
		}

		if _, err := time.Parse(time.DateOnly, s.Expires); s.Expires != "" && err != nil {
			complain(fmt.Sprintf("%q is not a date", s.Expires), "write a date such as 2027-01-31")
		}

		list = append(list, Suppression{s.Tool, s.Check, s.Reason, s.Expires,
			input.Place{File: file, Line: s.Range.Start.Line}})
	}

	if diags.HasErrors() {
		return nil, &suppressionsError{diags}
	}

	return list, nil
}

// suppressionsError prints each problem on its own line.
type suppressionsError struct{ diags hcl.Diagnostics }

func (e *suppressionsError) Error() string {
	var lines []string
	for _, d := range e.diags {
		place := ""
		if d.Subject != nil {
			place = fmt.Sprintf("%s:%d,%d: ", d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column)
		}

		line := place + safetext.Visible(d.Summary)
		if d.Detail != "" {
			line += ": " + safetext.Visible(d.Detail)
		}

		lines = append(lines, line)
	}

	return strings.Join(lines, "\n")
}

// suppress moves suppressed signals out of the report and judges the remaining
// ones again.
func (r *Result) suppress(report *scanner.Report, opts Options, definitions []definition) {
	active := []Suppression{}
	for _, s := range opts.Suppressions {
		if s.Expires != "" && s.Expires < opts.Today {
			r.Expired = append(r.Expired, s)
		} else {
			active = append(active, s)
		}
	}

	used := make([]bool, len(active))
	left := report.Without(func(f *scanner.Finding, sig *scanner.Signal) bool {
		for i, s := range active {
			if s.Check != sig.CheckID && s.Check != sig.Pattern || !wildcard(s.Tool, f.Server+":"+f.Label()) {
				continue
			}

			used[i] = true
			of := findingOf(*f, definitions)
			r.Suppressed = append(r.Suppressed,
				Suppressed{f.Server, f.Label(), *sig, s.Reason, s.Expires, of.Places, &of})
			return true
		}

		return false
	})
	for i, s := range active {
		if !used[i] {
			r.Unused = append(r.Unused, s)
		}
	}

	r.RiskScore = left.RiskScore
	for _, f := range left.Findings {
		if f.Flagged() {
			r.Findings = append(r.Findings, findingOf(f, definitions))
		}
	}
}

func findingOf(f scanner.Finding, definitions []definition) Finding {
	d := &definitions[f.Index]
	return Finding{f, d.places, d}
}

// wildcard reports whether text matches a pattern in which * stands for any
// text.
func wildcard(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	head, rest := parts[0], parts[1:]
	text, ok := strings.CutPrefix(text, head)
	if !ok {
		return false
	}

	for i, part := range rest {
		if i == len(rest)-1 {
			return strings.HasSuffix(text, part)
		}

		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}

		text = after
	}

	return text == ""
}

// nearest returns the candidate closest to s, or "" if none is close.
func nearest(s string, candidates []string) string {
	best, distance := "", max(2, len(s)/3)+1
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if d := levenshtein.Distance(s, c, nil); d < distance {
			best, distance = c, d
		}
	}
	return best
}
