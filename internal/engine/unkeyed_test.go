package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/pipeline"
)

func TestUnkeyed(t *testing.T) {
	if got, _ := Unkeyed(&pipeline.Instance{Off: "when = false"}); got != ReadsNothing {
		t.Errorf("an instance that is off reads %q", got)
	}
	for command, want := range map[string]Reads{
		"sh -c x": ReadsPrograms, "bash -ec x": ReadsPrograms, "sh script": ReadsNothing, "cp a b": ReadsNothing,
		"python3 x.py": ReadsLibraries, "/opt/v/bin/python3.12 x.py": ReadsLibraries, "node x.js": ReadsLibraries, "perl -e 1": ReadsLibraries,
		"gcc -c x.c": ReadsSystem, "gcc-13 -c x.c": ReadsSystem, "g++ x": ReadsSystem, "clang++-18 x": ReadsSystem, "go build": ReadsSystem,
		"env A=1 python3 x.py": ReadsLibraries, "timeout 5 gcc x.c": ReadsSystem, "env unknown": ReadsPrograms, "tar cf x y": ReadsNothing,
		"in/python": ReadsLibraries,
	} {
		if got, _ := Unkeyed(&pipeline.Instance{Command: strings.Fields(command)}); got != want {
			t.Errorf("%s reads %q, want %q", command, got, want)
		}
		if got, _ := Unkeyed(&pipeline.Instance{Command: strings.Fields(command), Image: "x"}); got != ReadsNothing {
			t.Errorf("%s in an image reads %q", command, got)
		}
	}
}

// TestPackageDirs lists the packages of programs: those of a prefix or beside them, and none of the system.
func TestPackageDirs(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{
		"v/bin", "v/lib/python3.12/site-packages", "base/bin", "base/lib/python3.12/site-packages", "p[1]/bin", "p[1]/lib/node_modules",
		"app/node_modules/.bin", "app/node_modules/tool", "plain/bin",
	} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "v/pyvenv.cfg"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ search, files, want string }{
		{"/usr/bin", "/usr/bin/python3", ""},
		{"/usr/bin", "v/bin/python3 base/bin/python3.12", "v/lib/python3.12/site-packages v/pyvenv.cfg"},
		{"/usr/bin", "base/bin/python3 base/bin/python3.12", "base/lib/python3.12/site-packages"},
		{"p[1]/bin:/usr/bin", "/usr/bin/sh", "p[1]/lib/node_modules"},
		{"/usr/bin", "app/node_modules/.bin/tool app/node_modules/tool/cli.js", "app/node_modules"},
		{"/usr/bin", "app/cli.js", "app/node_modules"},
		{"plain/bin", "plain/bin/tool", ""},
	} {
		at := func(list, separator string) []string {
			var paths []string
			for _, p := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(separator, r) }) {
				if !filepath.IsAbs(p) {
					p = filepath.Join(root, p)
				}
				paths = append(paths, p)
			}
			return paths
		}
		got := packageDirs(strings.Join(at(tt.search, ":"), string(filepath.ListSeparator)), at(tt.files, " "))
		if !slices.Equal(got, at(tt.want, " ")) {
			t.Errorf("%s and %s: %q, want %s", tt.search, tt.files, got, tt.want)
		}
	}
}
