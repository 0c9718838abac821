package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/docstable"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Every check has a row in docs/scanner/README.md.
func TestDocsListTheChecks(t *testing.T) {
	rows := [][]string{{"check", "raises", "threat"}}
	for _, c := range scanner.Checks() {
		rows = append(rows, []string{fmt.Sprintf("[%s](%s.md)", c.ID, c.ID), c.Tier.String(), string(c.ThreatType)})
	}
	docstable.Check(t, "../../../docs/scanner/README.md", "checks", rows)
}

// innocentExample matches the begin of an example of what a check does not report, with
// the reason.
var innocentExample = regexp.MustCompile(`(?m)^Not reported, because [^:]+:\n\n<!-- not flagged: (\S+) -->$`)

// Every check has a page with the standard sections, a table of cases and a
// fuzz target.
func TestEveryCheckHasAPageAndTests(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(source)
	}
	for _, c := range scanner.Checks() {
		page := filepath.Join("../../../docs/scanner", c.ID+".md")
		text, err := os.ReadFile(page)
		if err != nil {
			t.Errorf("the check %s has no page: %v", c.ID, err)
			continue
		}
		for _, want := range []string{
			"# ", "`" + c.ID + "`", "## What it looks for", "## Why", "## Example", "## What it does not find",
			"<!-- flagged: " + c.ID + " -->",
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s does not have %q", page, want)
			}
		}
		innocent := innocentExample.FindAllStringSubmatch(string(text), -1)
		if len(innocent) < 2 {
			t.Errorf("%s has %d examples of innocent tools, want 2 that begin with \"Not reported, because\"", page, len(innocent))
		}
		for _, m := range innocent {
			if m[1] != c.ID {
				t.Errorf("%s has an example of %s", page, m[1])
			}
		}
		if c.Description == "" {
			t.Errorf("the check %s has no description", c.ID)
		}
		if !strings.Contains(tests.String(), fmt.Sprintf("fuzzCheck(f, %q", c.ID)) {
			t.Errorf("the check %s has no fuzz target: call fuzzCheck in one", c.ID)
		}
		if n := strings.Count(tests.String(), fmt.Sprintf("%q", c.ID)); n < 2 {
			t.Errorf("the check %s has no test beside its fuzz target", c.ID)
		}
	}
}
