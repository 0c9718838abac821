package scanner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChecksAreDocumented checks that every check has a page and a test that
// runs it by its id, and that every page has a check.
func TestChecksAreDocumented(t *testing.T) {
	paths, err := filepath.Glob("internal/check/*_test.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d tests of checks: %v", len(paths), err)
	}
	var tests strings.Builder
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(content)
	}
	known := map[string]bool{}
	for _, c := range Checks() {
		known[c.ID] = true
		page, err := os.ReadFile(filepath.Join("..", "docs", "scanner", c.ID+".md"))
		if err != nil {
			t.Errorf("%s has no page: %v", c.ID, err)
		} else if len(page) < 500 || !strings.HasPrefix(string(page), "# ") {
			t.Errorf("the page of %s is empty: begin it with a title and describe what the check finds", c.ID)
		}
		if !strings.Contains(tests.String(), `runCases(t, "`+c.ID+`"`) && !strings.Contains(tests.String(), `WithChecks("`+c.ID+`"`) {
			t.Errorf("no test in internal/check runs %s: add a table of cases", c.ID)
		}
	}
	pages, err := filepath.Glob("../docs/scanner/*.*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if id := strings.TrimSuffix(filepath.Base(page), ".md"); !known[id] {
			t.Errorf("docs/scanner/%s.md describes no check", id)
		}
	}
}
