package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strings"
	"testing"
)

// "dagger functions" shows the first line of a function's description, so it has to be a whole sentence.
func TestFirstLinesOfDescriptions(t *testing.T) {
	seen := 0
	for _, name := range []string{"main.go", "cache.go", "program.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Recv == nil {
				continue
			}
			seen++
			if first, _, _ := strings.Cut(fn.Doc.Text(), "\n"); !strings.HasSuffix(first, ".") {
				t.Errorf("%s: the first line is no whole sentence: %q", fn.Name, first)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d functions were found", seen)
	}
}

// The root file system of an image that is a directory of the source, or the source itself, keeps the programs of npm,
// and the source loses the packages that a checkout has installed. An exception with a wildcard would make Dagger look for
// matches in everything that is ignored, such as .git.
func TestIgnoredPackages(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}

	lists := 0
	for line := range strings.Lines(string(source)) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "// +ignore=")
		if !ok {
			continue
		}

		lists++
		var rules []string
		if err := json.Unmarshal([]byte(text), &rules); err != nil {
			t.Fatal(err)
		}

		ignored := func(dir string) bool {
			found := false
			for _, r := range rules {
				pattern, exception := strings.CutPrefix(r, "!")
				if exception && strings.ContainsAny(pattern, "*?[") {
					t.Errorf("the exception %s has a wildcard", r)
				}

				if match, _ := path.Match(strings.TrimPrefix(pattern, "/"), dir); match {
					found = !exception
				}
			}

			return found
		}
		for _, dir := range []string{"node_modules", "eval/node_modules", "packages/a/node_modules", "apps/a/node_modules"} {
			if !ignored(dir) {
				t.Errorf("the rules keep %s: %s", dir, text)
			}
		}

		for _, dir := range []string{"lib/node_modules", "usr/lib/node_modules", "image/lib/node_modules",
			"image/usr/local/lib/node_modules", "images/refresh/usr/share/node_modules"} {
			if ignored(dir) || strings.Contains(text, "**/node_modules") {
				t.Errorf("the rules lose %s: %s", dir, text)
			}
		}
	}

	if lists != 2 {
		t.Errorf("%d lists of rules, want those of code and source", lists)
	}
}

// The program names the command that copies the reports if the module gives it.
func TestReportCommand(t *testing.T) {
	planner, err := os.ReadFile("planner.go")
	if err != nil {
		t.Fatal(err)
	}
	reader, err := os.ReadFile("../cmd/touchstone/no_verdict.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{planner, reader} {
		if !strings.Contains(string(text), `"TOUCHSTONE_REPORT_COMMAND"`) {
			t.Error("the module and the command line do not name the same variable")
		}
	}
}
