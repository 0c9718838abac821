package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadClients(t *testing.T) {
	home := t.TempDir()
	files := ClientFiles(home, filepath.Join(home, ".config"), home)
	if _, err := ReadClients(t.Context(), files); err == nil || !strings.Contains(err.Error(), filepath.Join(home, ".cursor", "mcp.json")) {
		t.Errorf("error %v, want one that names the searched places", err)
	}
	for name, text := range map[string]string{
		".config/Claude/claude_desktop_config.json": `{"mcpServers":{"desktop":{"command":"a"}}}`,
		".config/Code/User/settings.json":           `{"editor.tabSize":2}`,
		".cursor/mcp.json":                          `{"mcpServers":{"cursor":{"command":"b"}}}`, // for the user and the project
		".gemini/settings.json":                     `{"mcpServers":`,
		".codex/config.toml":                        "[mcp_servers.codex]\ncommand = \"d\"\n",
		".config/zed/settings.json":                 `{"theme":"One","context_servers":{"zed":{"command":"e"}}}`,
		".codeium/windsurf/mcp_config.json":         `{"mcpServers":{"surf":{"serverUrl":"https://h/"}}}`,
		".claude.json":                              `{"projects":{"/p":{"mcpServers":{"code":{"command":"c"}}}}}`,
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, err := ReadClients(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range in.Servers {
		got = append(got, s.Name+" in "+s.Client)
	}
	want := "desktop in the configuration of Claude Desktop, zed in the configuration of Zed, codex in the configuration of Codex, code in the configuration of Claude Code, surf in the configuration of Windsurf, cursor in the configuration of Cursor"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
	if len(in.PassedOver) != 1 || len(in.Unscanned) != 1 || !strings.Contains(in.Unscanned[0].Place.File, ".gemini") {
		t.Errorf("passed over %v, not scanned %v", in.PassedOver, in.Unscanned)
	}
}
