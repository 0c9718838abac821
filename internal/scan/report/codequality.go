package report

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// issue is an element of GitLab's code quality report.
type issue struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// issueSeverities are GitLab's names for the severities.
var issueSeverities = map[scanner.Severity]string{
	scanner.SeverityNone: "info", scanner.SeverityLow: "info", scanner.SeverityMedium: "minor",
	scanner.SeverityHigh: "major", scanner.SeverityCritical: "critical",
}

// WriteCodeQuality writes the result as GitLab's code quality report, with an issue for
// each signal, each change since the baseline, and everything that was not scanned.
func (r *Result) WriteCodeQuality(w io.Writer) error {
	issues := []issue{}
	seen := map[string]int{}
	add := func(check, text string, severity string, place input.Place, key ...string) {
		i := issue{Description: safetext.Visible(text), CheckName: check, Severity: severity}
		hash := input.Fingerprint(append([]string{check}, key...)...)
		seen[hash]++
		i.Fingerprint = fmt.Sprintf("%s:%d", hash, seen[hash])
		file := place.File
		if name, ok := strings.CutPrefix(file, "<"); ok { // a server or a pipe
			file = strings.TrimSuffix(name, ">")
		}

		i.Location.Path, i.Location.Lines.Begin = safetext.Visible(filepath.ToSlash(filepath.Clean(file))),
			max(place.Line, 1)
		issues = append(issues, i)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		for k := range f.Signals {
			signal, severity := r.withChange(f, f.Signals[k])
			s := &signal
			var place input.Place
			if places := f.placesOf(s); len(places) > 0 {
				place = places[0]
			}

			text := fmt.Sprintf("%s:%s: %s: %s", safetext.Name(f.Server), safetext.Name(f.Label()), s.Detail, marked(s))
			if _, do := advice(f, s); do != "" {
				text += " What to do: " + do
			}

			add(s.CheckID, text, issueSeverities[severity], place, f.Server, f.Label(), s.Evidence)
		}
	}

	if r.Drift != nil {
		for i := range r.Drift.Changes {
			c := &r.Drift.Changes[i]
			place := input.Place{File: "baseline"}
			if len(c.places) > 0 {
				place = c.places[0]
			}

			add("baseline", c.Item+": "+c.text(), issueSeverities[c.Severity], place, c.Item)
		}
	}

	for _, u := range r.Unscanned {
		add("not-scanned", "not scanned: "+subject(u)+": "+oneLine(u), "major", u.Place, u.Server, u.Tool, u.Reason)
	}

	for _, t := range r.Incomplete {
		add("not-scanned", "scanned in part: "+t.Server+":"+t.Tool+": "+t.reasons(), "major", input.Place{File: "scan"},
			t.Server, t.Tool)
	}

	text, err := json.MarshalIndent(issues, "", " ")
	if err != nil {
		return err
	}

	_, err = w.Write(append(safetext.JSON(text), '\n'))
	return err
}
