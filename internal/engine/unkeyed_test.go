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
		"sh -c x": ReadsPrograms, "bash -ec x": ReadsPrograms, "sh script": ReadsPrograms, "cp a b": ReadsNothing,
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

// A script reads what the interpreter in its first line reads, wherever it is: an input, below one, or in PATH.
func TestUnkeyedScripts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tool": "#!/usr/bin/env -S python3 -I\nprint(1)\n", "shell": "#! /bin/sh\ntrue\n", "build": "#!/usr/bin/make -f\n",
		"plain": "python", "empty": "", "bare": "#!\n", "unfinished": "#!/usr/bin/perl",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]struct {
		reads   Reads
		program string
	}{
		"tool": {ReadsLibraries, "python3"}, "shell": {ReadsPrograms, "sh"}, "build": {ReadsSystem, "make"}, "unfinished": {ReadsLibraries, "perl"},
		"plain": {}, "empty": {}, "bare": {}, "absent": {},
	} {
		file := pipeline.SourceFile{Source: filepath.Join(dir, name)}
		member := file
		member.Path = "bin/" + name
		for what, in := range map[string]*pipeline.Instance{
			"input":     {Command: []string{"in/x"}, Inputs: []pipeline.Input{{Name: "x", Path: "in/x", Files: []pipeline.SourceFile{file}}}},
			"directory": {Command: []string{"./in/d/bin/" + name}, Inputs: []pipeline.Input{{Name: "d", Path: "in/d", Tree: true, Files: []pipeline.SourceFile{member}}}},
			"path":      {Command: []string{filepath.Join(dir, name)}},
			"PATH":      {Command: []string{name}, Env: []pipeline.EnvVar{{Name: "PATH", Value: dir}}},
		} {
			reads, program := Unkeyed(in)
			if reads != want.reads || program != want.program {
				t.Errorf("%s as %s: %q, %q, want %q, %q", name, what, reads, program, want.reads, want.program)
			}
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
