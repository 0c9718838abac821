package input

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPackages(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"package.json":           `{"name": "@acme/all", "private": true}`,
		"go/go.mod":              "module github.com/acme/mcp-go/v3\n\ngo 1.26\n",
		"go/pkg/go.mod.txt":      "module other\n",
		"py/pyproject.toml":      "[project]\nname = \"notes\"\n",
		"poetry/pyproject.toml":  "[tool.poetry]\nname = \"verse\"\n",
		"nameless/package.json":  `{"type": "module"}`,
		"broken/pyproject.toml":  "[project\n",
		"py/src/notes/server.py": "",
	} {
		path := filepath.Join(root, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := packages{root, map[string]string{}}
	for file, want := range map[string]string{
		"a.ts": "@acme/all", "src/deep/a.ts": "@acme/all", "go/main.go": "mcp-go", "go/pkg/x/a.go": "mcp-go",
		"py/src/notes/server.py": "notes", "poetry/a.py": "verse", "nameless/a.js": "@acme/all", "broken/a.py": "@acme/all",
	} {
		if got := p.nameOf(t.Context(), filepath.Join(root, filepath.FromSlash(file))); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	inner := packages{filepath.Join(root, "src"), map[string]string{}}
	if got := inner.nameOf(t.Context(), filepath.Join(root, "src", "a.ts")); got != "" {
		t.Errorf("a manifest above the directory that is scanned names %q", got)
	}
}
