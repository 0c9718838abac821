package input

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// To start what a user refused is the worst that a scan can do.
func TestServersRefusedInClaudeCode(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "p")
	writeFiles(t, home, map[string]string{
		".claude.json": `{"mcpServers":{"mine":{"command":"a"},"toggled":{"command":"b"}},"projects":{
			"` + filepath.ToSlash(project) + `":{"mcpServers":{"local":{"command":"c"},"localoff":{"command":"d"}},
				"disabledMcpServers":["toggled","localoff"],"disabledMcpjsonServers":["rejected"]},
			"/other":{"mcpServers":{"elsewhere":{"command":"e"},"rejected":{"command":"e"}}}}}`,
		".claude/settings.json":         `{"deniedMcpServers":[{"serverName":"denied"},{"serverCommand":["npx","bad"]},{"serverUrl":"https://*.bad.example/*"}]}`,
		"p/.claude/settings.json":       `{"disabledMcpjsonServers":["shared off"],"enableAllProjectMcpServers":true}`,
		"p/.claude/settings.local.json": `{"disabledMcpjsonServers":["local off","mine"]}`,
		"p/.mcp.json": `{"mcpServers":{"on":{"command":"x"},"rejected":{"command":"x"},"shared off":{"command":"x"},"local off":{"command":"x"},
			"denied":{"command":"x"},"by command":{"command":"npx","args":["bad"]},"by url":{"url":"https://a.bad.example/mcp"}}}`,
	})
	read := func() *Input {
		in, err := ReadClients(t.Context(), ClientFiles(home, filepath.Join(home, ".config"), project))
		if err != nil {
			t.Fatal(err)
		}
		in.DisableRefused(t.Context(), home, project)
		return in
	}
	enabled := func(in *Input) string {
		var names []string
		for _, s := range in.Servers {
			if !s.Disabled {
				names = append(names, s.Name)
			}
		}
		slices.Sort(names)
		return strings.Join(names, ", ")
	}
	in := read()
	if got, want := enabled(in), "elsewhere, local, mine, on, rejected"; got != want {
		t.Errorf("enabled: %s; want %s", got, want)
	}
	in.RemoveOtherProjects(project)
	if got, want := enabled(in), "local, mine, on"; got != want {
		t.Errorf("enabled in this project: %s; want %s", got, want)
	}
	if len(in.PassedOver) != 3 || !strings.HasPrefix(in.PassedOver[0].Reason, "2 servers belong to other projects") {
		t.Errorf("passed over: %v", in.PassedOver)
	}
	in.SkipServers("")
	told := false
	for _, p := range in.PassedOver {
		told = told || p.Reason == "the server shared off is disabled in "+filepath.ToSlash(filepath.Join(project, ".claude", "settings.json"))
	}
	if !told {
		t.Errorf("passed over: %v", in.PassedOver)
	}
	writeFiles(t, home, map[string]string{"p/.claude/settings.local.json": `{"disabledMcpjsonServers":`})
	in = read()
	if got, want := enabled(in), "elsewhere, rejected"; got != want || len(in.Unscanned) == 0 {
		t.Errorf("after settings that cannot be read, enabled: %s, not scanned: %v", got, in.Unscanned)
	}
}
