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
	if _, err := ReadClients(t.Context(), files); err == nil || !strings.Contains(err.Error(), "Cursor, ") || !strings.Contains(err.Error(), home) {
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
	want := "code in the configuration of Claude Code, desktop in the configuration of Claude Desktop, codex in the configuration of Codex, cursor in the configuration of Cursor, surf in the configuration of Windsurf, zed in the configuration of Zed"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
	if len(in.PassedOver) != 1 || len(in.Unscanned) != 1 || !strings.Contains(in.Unscanned[0].Place.File, ".gemini") {
		t.Errorf("passed over %v, not scanned %v", in.PassedOver, in.Unscanned)
	}
}

// Every file of the table is found at its place, and belongs to the client that the table says.
func TestClientTable(t *testing.T) {
	if len(Clients()) < 20 {
		t.Errorf("%d clients: %v", len(Clients()), Clients())
	}
	home, config, dir := t.TempDir(), t.TempDir(), t.TempDir()
	roots := map[string]string{"~": home, "@": config, ".": dir}
	for _, c := range clients() {
		for i, f := range c.Files {
			root, rest, ok := strings.Cut(f, "/")
			if !ok || roots[root] == "" {
				t.Fatalf("%s: %s has no root", c.Client, f)
			}
			rest = strings.NewReplacer("**/", "a/b/", "*.json", "x.json", "*", "x.json").Replace(rest)
			p := filepath.Join(roots[root], rest)
			text := `{"mcpServers":{"s":{"command":"c"}}}`
			switch filepath.Ext(p) {
			case ".toml":
				text = "[mcp_servers.s]\ncommand = \"c\"\n"
			case ".yaml":
				text = "mcpServers:\n- name: s\n  command: c\n"
			}
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			in, err := ReadClients(t.Context(), ClientFiles(home, config, dir))
			if err != nil || len(in.Servers) != 1 || in.Servers[0].Client != "the configuration of "+c.Client || in.Servers[0].Name != "s" {
				t.Errorf("%s, file %d, %s: %v, %s", c.Client, i, f, err, brief(in))
			}
			if err := os.Remove(p); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The manual names every client of the table.
func TestClientsInTheManual(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/scan.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Clients() {
		if !strings.Contains(string(text), c) {
			t.Errorf("docs/reference/scan.md does not name %s", c)
		}
	}
}
