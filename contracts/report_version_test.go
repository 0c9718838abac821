package contracts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A report of another version is told as such in one line, and what is no report is not taken for one.
func TestReportOfAnotherVersion(t *testing.T) {
	for text, want := range map[string]string{
		`{"version": 1, "colour": "red"}`: `another version of Touchstone wrote this report`,
		`{"queries": []}`:                 `unknown field "queries"`,
		`[`:                               `the file is cut off`,
	} {
		path := filepath.Join(t.TempDir(), "report.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadReport(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "report.json") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if strings.Contains(want, "another version") && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %v", err)
		}
	}
}
