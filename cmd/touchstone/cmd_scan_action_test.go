package main

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/base/buildversion"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// scanProject makes a directory with tool lists for the jobs that scan.
func scanProject(t *testing.T) string {
	t.Helper()
	const bad = `{"tools":[{"name":"a","description":"Adds \u202enumbers\u202c."}]}`
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "explain"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"good.json":          `{"tools":[{"name":"a","description":"Reads a file."}]}`,
		"bad.json":           bad,
		"explain/tools.json": bad,
		"mcp.json":           `{"mcpServers":{"a":{"command":"true"}}}`,
		"b.json":             `{"version":"touchstone-scan-baseline/2","tools":[]}`,
		"s.json":             `{"suppress":[{"tool":"*:a","check":"unicode.hidden","reason":"r"}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// scannerReleases returns the address of a server with a release of the scanner. It skips the
// test where the runner's scripts do not run.
func scannerReleases(t *testing.T) string {
	t.Helper()
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("it runs the runner's scripts")
	}
	return releases(t, program.Path(t, program.Scanner)).URL
}

// The action fetches the scanner, scans, and uploads what it found.
func TestScanAction(t *testing.T) {
	downloads, scanner := scannerReleases(t), program.Path(t, program.Scanner)
	for _, tt := range []struct {
		name    string
		inputs  map[string]string
		code    int
		sarif   bool
		summary string
	}{
		{"good", map[string]string{"paths": "good.json"}, 0, true, "nothing found"},
		{"bad", map[string]string{"paths": "good.json\nbad.json\n"}, 1, true, "1 flagged"},
		{"lenient", map[string]string{"paths": "bad.json", "fail-on": "none"}, 0, true, "1 flagged"},
		{"suppressed", map[string]string{"paths": "bad.json", "suppressions": "s.json"}, 0, true, "1 signal suppressed"},
		{"skipped", map[string]string{"paths": "bad.json", "skip": "unicode.hidden"}, 0, true, "nothing found"},
		{"one check", map[string]string{"paths": "bad.json", "check": "size.suspicious"}, 0, true, "with 1 check"},
		{"drift", map[string]string{"paths": "good.json", "baseline": "b.json"}, 0, true, "is not approved"},
		{"servers", map[string]string{"paths": "mcp.json"}, 3, true, "NOT EVERYTHING"},
		{"missing", map[string]string{"paths": "none.json"}, 2, false, ""},
		{"hostile", map[string]string{"paths": "$(touch hacked)\n`touch hacked`\n--start"}, 2, false, ""},
		{"a verb as path", map[string]string{"paths": "explain"}, 1, true, "1 flagged"},
		{"a touchstone", map[string]string{"paths": "bad.json", "program": touchstoneCommand(t)}, 1, true, "1 flagged"},
		{"a touchstone-scan", map[string]string{"paths": "bad.json", "program": scanner}, 1, true, "1 flagged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := scanProject(t)
			j := &actionJob{t: t, action: "ci/actions/scan", workspace: dir, temp: t.TempDir(), inputs: map[string]string{"downloads": downloads}}
			maps.Copy(j.inputs, tt.inputs)
			j.run()
			file := j.outputs["outputs.sarif-file"]
			if _, err := os.Stat(filepath.Join(dir, "touchstone-scan.sarif")); (err == nil) != tt.sarif || (file != "") != tt.sarif {
				t.Errorf("report %v, output %q", err, file)
			}
			if j.uses("upload-sarif sarif_file=touchstone-scan.sarif") != tt.sarif {
				t.Errorf("used %q", j.used)
			}
			j.expect(t, tt.code, "", strings.ToLower(tt.summary))
			if _, err := os.Stat(filepath.Join(dir, "hacked")); err == nil {
				t.Error("an input was run")
			}
		})
	}
}

// Without the scanner of the release, nothing is scanned and the job fails.
func TestScanActionWithoutProgram(t *testing.T) {
	downloads := scannerReleases(t)
	for _, tt := range []struct {
		name   string
		inputs map[string]string
		log    string
	}{
		{"wrong digest", map[string]string{"sha256": strings.Repeat("0", 64)}, "::error title=Touchstone::touchstone-scan_" + buildversion.Developed + "_"},
		{"no such release", map[string]string{"version": "9.9.9"}, "cannot fetch " + downloads + "/v9.9.9/touchstone-scan_9.9.9_"},
		{"no program", map[string]string{"program": "none"}, "there is no program none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := &actionJob{t: t, action: "ci/actions/scan", workspace: scanProject(t), temp: t.TempDir(), inputs: map[string]string{"paths": "good.json", "downloads": downloads}}
			maps.Copy(j.inputs, tt.inputs)
			j.run()
			if !j.failed || !strings.Contains(j.log, tt.log) || j.summary != "" || j.used != nil {
				t.Errorf("failed %t, summary %q, used %q, log without %q:\n%s", j.failed, j.summary, j.used, tt.log, j.log)
			}
		})
	}
}
