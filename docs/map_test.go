package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The map of the repository names every directory at the top, and every
// package directly below internal/.
func TestArchitectureNamesEveryDirectory(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("explanation", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, parent := range []string{"", "internal"} {
		entries, err := os.ReadDir(filepath.Join("..", parent))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := filepath.ToSlash(filepath.Join(parent, e.Name()))
			if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || name == "internal" || name == "reports" || name == "cmd" {
				continue
			}
			if !strings.Contains(string(page), "`"+name+"/`") {
				t.Errorf("docs/explanation/architecture.md does not name %s/", name)
			}
		}
	}
}

// The map names every file of the command line that is not a verb.
func TestArchitectureNamesFilesThatAreNoVerbs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("explanation", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../cmd/touchstone/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "cmd_") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/explanation/architecture.md does not name cmd/touchstone/%s", name)
		}
	}
}
