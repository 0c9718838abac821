package input

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Entries of servers are recognised by their shape, in the file of any client.
func TestServerShapes(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"opencode", "opencode.jsonc", `{/* mine */"mcp":{"x":{"type":"local","command":["npx","-y","s"],"environment":{"A":"1"}},"y":{"type":"remote","url":"https://h/"},"z":{"enabled":false}},"lsp":{"go":{"command":["gopls"],"env":{}}}}`,
			"opencode.jsonc:1 server x stdio npx -y s\nopencode.jsonc:1 server y http https://h/\npassed over opencode.jsonc:1: the entry z only switches a server on or off that is declared elsewhere"},
		{"crush", "crush.json", `{"$schema":"https://h/s.json","mcp":{"x":{"type":"stdio","command":"a","args":["b"]}},"lsp":{"go":{"command":"gopls","args":[]}}}`,
			"crush.json:1 server x stdio a b"},
		{"a flat file", ".mcp.json", `{"x":{"command":"a"},"y":{"url":"https://h/"}}`, ".mcp.json:1 server x stdio a\n.mcp.json:1 server y http https://h/"},
		{"a flat file of another name", "servers.json", `{"x":{"command":"a","args":[]}}`, "servers.json:1 server x stdio a"},
		{"Amp", "settings.json", `{"amp.mcpServers":{"x":{"command":"a"}},"amp.tools":{"a":true}}`, "settings.json:1 server x stdio a"},
		{"Continue", "config.json", `{"experimental":{"modelContextProtocolServers":[{"name":"x","transport":{"type":"stdio","command":"a","args":["b"]}}]}}`,
			"config.json:1 server x stdio a b"},
		{"nanocoder", "agents.config.json", `{"nanocoder":{"mcpServers":[{"name":"x","transport":"stdio","command":"a","args":["b"]},{"name":"y","url":"https://h/"}]}}`,
			"agents.config.json:1 server x stdio a b\nagents.config.json:1 server y http https://h/"},
		{"an agent", "agent.json", `{"name":"a","description":"b","mcpServers":{"x":{"command":"a"}},"hooks":{"stop":[{"command":"c"}]}}`, "agent.json:1 server x stdio a"},
		{"a client that nobody knows", "c.json", `{"features":{"toolServers":{"x":{"command":"uvx","args":["s"]},"y":{"type":"sse","url":"https://h/"}}}}`,
			"c.json:1 server x stdio uvx s\nc.json:1 server y sse https://h/"},
		{"beside a list of tools", "c.json", `{"tools":[{"name":"a","inputSchema":{}}],"mcp":{"x":{"command":"b"}}}`,
			"c.json:1 srv:a \"\" in={} out= ann=\nc.json:1 server x stdio b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := Read(tt.file, "srv", []byte(tt.text))
			if err != nil || strings.TrimSpace(brief(in)) != tt.want {
				t.Errorf("%v\ngot  %s\nwant %s", err, brief(in), tt.want)
			}
		})
	}
}

// Commands and addresses of other programs declare no servers.
func TestNoServerShapes(t *testing.T) {
	for _, text := range []string{
		`{"services":{"web":{"image":"i","command":["run"],"environment":{"A":"1"}}}}`,
		`{"tasks":[{"label":"build","command":"make","args":["all"]}]}`,
		`{"targets":{"build":{"executor":"e","command":"tsc","inputs":[]}}}`,
		`{"lsp":{"go":{"command":"gopls","args":[]}}}`,
		`{"openapi":"3.0.0","servers":[{"url":"https://h/"}],"paths":{}}`,
		`{"hooks":{"stop":{"type":"command","command":"x"}}}`,
		`{"repository":{"type":"git","url":"https://h/"},"name":"p"}`,
		`{"dependencies":{"x":{"resolved":"https://h/","version":"1"}}}`,
	} {
		in, err := Read("c.json", "srv", []byte(text))
		var bad *InputError
		if !errors.As(err, &bad) || !bad.OtherKind {
			t.Errorf("%s: %v, %+v", text, err, in)
		}
	}
}

// A configuration in YAML has the same entries. Other YAML is refused.
func TestReadYAML(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ text, want string }{
		"config.yaml":          {"name: mine\nmcpServers:\n  - name: x\n    command: npx\n    args: [-y, s]\n", "config.yaml:3 server x stdio npx -y s"},
		"goose/config.yaml":    {"extensions:\n  x:\n    type: stdio\n    cmd: uvx\n    args: [s]\n    enabled: true\n  memory:\n    type: builtin\n", "goose/config.yaml:2 server x stdio uvx s"},
		"compose.yaml":         {"services:\n  web:\n    image: i\n    command: x\n", "declares no servers"},
		"tools.yml":            {"tools:\n- name: a\n  description: b\n", "declares no servers"},
		"broken.yaml":          {"a: [\n", "not YAML: "},
		"list-of-servers.yaml": {"mcpServers:\n  x:\n    command: a\n    url: b\n", "it has both a command and a URL"},
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := ReadPaths(t.Context(), []string{p}, ReadOptions{})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = brief(in)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}
