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

// The root file system of an image that is a directory of the source keeps the programs of npm, which are four levels
// deep or more, and the source loses the packages that a checkout has installed. An exception with a wildcard would make
// Dagger look for matches in everything that is ignored, such as .git.
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

		ignored := 0
		for _, r := range rules {
			if strings.HasPrefix(r, "!") && strings.ContainsAny(r, "*?[") {
				t.Errorf("the exception %s has a wildcard", r)
			}

			if strings.HasSuffix(r, "/node_modules") {
				ignored++
				for _, kept := range []string{"image/usr/lib/node_modules", "image/usr/local/lib/node_modules",
					"images/refresh/usr/share/node_modules"} {
					if match, _ := path.Match(strings.TrimPrefix(r, "/"), kept); match || strings.Contains(r, "**") {
						t.Errorf("the rule %s loses %s", r, kept)
					}
				}
			}
		}

		if ignored != 3 {
			t.Errorf("%d rules ignore installed packages, want those of three levels: %s", ignored, text)
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
