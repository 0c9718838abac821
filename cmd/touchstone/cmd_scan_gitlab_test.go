package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The component for GitLab fetches the scanner, scans, and reports findings as code quality.
func TestScanOnGitLab(t *testing.T) {
	downloads := scannerReleases(t)
	for _, tt := range []struct {
		name   string
		inputs map[string]string
		code   int
		issue  string
	}{
		{"good", map[string]string{"paths": "good.json"}, 0, ""},
		{"bad", map[string]string{"paths": "good.json\nbad.json"}, 1, "unicode.hidden"},
		{"lenient", map[string]string{"paths": "bad.json", "fail-on": "none"}, 0, "unicode.hidden"},
		{"changed", map[string]string{"paths": "good.json", "baseline": "b.json", "fail-on": "change"}, 1, "baseline"},
		{"suppressed", map[string]string{"paths": "bad.json", "suppressions": "s.json"}, 0, ""},
		{"a verb as path", map[string]string{"paths": "explain"}, 1, "unicode.hidden"},
		{"hostile", map[string]string{"paths": "$(touch hacked)"}, 2, ""},
		{"wrong digest", map[string]string{"paths": "good.json", "sha256": strings.Repeat("0", 64)}, 2, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := scanProject(t)
			tt.inputs["downloads"] = downloads
			j := &gitlabJob{t: t, name: "scan", project: dir, inputs: tt.inputs}
			j.run()
			if j.code != tt.code {
				t.Errorf("exit status %d, want %d: %s", j.code, tt.code, j.log)
			}
			report, err := os.ReadFile(filepath.Join(dir, j.reports["codequality"]))
			if tt.code < 2 && err != nil || tt.issue != "" && !regexp.MustCompile(`"check_name": "`+tt.issue).Match(report) || tt.issue == "" && len(report) > 3 {
				t.Errorf("report %s, %v", report, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "hacked")); err == nil {
				t.Error("an input was run")
			}
		})
	}
}
