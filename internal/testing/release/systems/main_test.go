package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A function that a system lacks is a problem there only, in a test as in other files. So is an error
// in a file of one system.
func TestCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads much of the standard library, for three systems")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.org/m\n\ngo 1.26\n",
		"a.go":        "package m\n\nimport \"syscall\"\n\nfunc end() error { return syscall.Kill(1, syscall.SIGTERM) }\n",
		"a_test.go":   "package m\n\nimport \"syscall\"\n\nvar _ = syscall.Umask\n",
		"a_darwin.go": "package m\n\nvar n int = \"no number\"\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range map[string][]string{
		"linux/amd64":   nil,
		"windows/amd64": {"syscall.Kill", "syscall.Umask"},
		"darwin/arm64":  {"no number"},
	} {
		problems, err := check(dir, system)
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) != len(want) {
			t.Errorf("%s: %q, want %q", system, problems, want)
		}
		for _, part := range want {
			if !strings.Contains(strings.Join(problems, "\n"), part) {
				t.Errorf("%s: %q does not name %s", system, problems, part)
			}
		}
	}
	if _, err := check(dir, "windows"); err == nil || !strings.Contains(err.Error(), "OS/PROCESSOR") {
		t.Errorf("got %v", err)
	}
}
