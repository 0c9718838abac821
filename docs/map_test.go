package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The map of the repository names every directory at the top, and every room
// below internal/. A room says in a package comment what belongs there.
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
			if parent == "internal" && !hasPackageComment(t, filepath.Join("..", name)) {
				t.Errorf("no file of %s has a package comment", name)
			}
		}
	}
}

func hasPackageComment(t *testing.T, dir string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(source), "// Package "+filepath.Base(dir)+" ") {
			return true
		}
	}
	return false
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
