package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScanAction(t *testing.T) {
	program := touchstoneCommand(t)
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
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"good.json": `{"tools":[{"name":"a","description":"Reads a file."}]}`,
				"bad.json":  `{"tools":[{"name":"a","description":"Adds \u202enumbers\u202c."}]}`,
				"mcp.json":  `{"mcpServers":{"a":{"command":"true"}}}`,
				"b.json":    `{"tools":[]}`,
				"s.json":    `{"suppress":[{"tool":"*:a","check":"unicode.hidden","reason":"r"}]}`,
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			j := &actionJob{t: t, action: "actions/scan", workspace: dir, temp: t.TempDir(), inputs: tt.inputs}
			j.inputs["program"] = program
			j.run()
			file := j.outputs["outputs.sarif-file"]
			if _, err := os.Stat(filepath.Join(dir, "touchstone-scan.sarif")); (err == nil) != tt.sarif || (file != "") != tt.sarif {
				t.Errorf("report %v, output %q", err, file)
			}
			if uploaded := strings.Contains(strings.Join(j.used, "\n"), "upload-sarif sarif_file=touchstone-scan.sarif"); uploaded != tt.sarif {
				t.Errorf("used %q", j.used)
			}
			if j.code != tt.code {
				t.Errorf("exit status %d, want %d: %s", j.code, tt.code, j.log)
			}
			if !strings.Contains(j.summary, tt.summary) {
				t.Errorf("summary: %s", j.summary)
			}
			if _, err := os.Stat(filepath.Join(dir, "hacked")); err == nil {
				t.Error("an input was run")
			}
		})
	}
}
