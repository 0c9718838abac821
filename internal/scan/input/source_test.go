package input

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A package that imports a library for servers and defines nothing is not scanned, and one
// that only imports a client is passed over.
func TestSilentServers(t *testing.T) {
	for text, want := range map[string]string{
		"from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x', instructions='Be kind.')\nload(mcp)\n": "it imports mcp.server.fastmcp, and no tool",
		"from mcp import ClientSession\n# a tool\n":                                                        "",
	} {
		dir := writeTree(t, map[string]string{"server.py": text, "tools.json": `{"tools": [{"name": "a", "description": "A."}]}`})
		in, err := ReadPaths(context.Background(), []string{dir}, ReadOptions{Source: true})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, u := range in.Unscanned {
			got += u.Reason
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: not scanned: %q, want %q", text, got, want)
		}
	}
	file := filepath.Join(writeTree(t, map[string]string{"server.py": "from fastmcp import FastMCP\n"}), "server.py")
	in, err := ReadPaths(context.Background(), []string{file}, ReadOptions{})
	if err != nil || len(in.Unscanned) != 1 {
		t.Errorf("a file by itself: %v, %v", in, err)
	}
}

// A part of a module is read with what it imports from the rest, and has the module's name.
func TestModuleAbove(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"go.mod":            "module example.com/notes\n",
		"texts/texts.go":    "package texts\n\nconst Find = \"Finds a note.\"\n",
		"pkg/find/find.go":  "package find\n\nimport \"example.com/notes/texts\"\n\nvar t = mcp.Tool{Name: \"find\", Description: texts.Find}\n",
		"pkg/other/more.go": "package other\n\nvar t = mcp.Tool{Name: \"more\", Description: \"More.\"}\n",
	})
	for _, p := range []string{"pkg/find", "pkg/find/find.go"} {
		in, err := ReadPaths(context.Background(), []string{filepath.Join(dir, filepath.FromSlash(p))}, ReadOptions{Source: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Tools) != 1 || in.Tools[0].Description != "Finds a note." || len(in.Unscanned) > 0 ||
			p == "pkg/find" && in.Tools[0].Server != "notes" {
			t.Errorf("%s: %+v, not scanned: %v", p, in.Tools, in.Unscanned)
		}
	}
}
