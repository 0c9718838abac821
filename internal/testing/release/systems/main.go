// Command systems type-checks all packages of this module, with their tests, for other systems, given as
// OS/PROCESSOR. It prints what does not fit there, such as a function that one system lacks.
//
//	go run ./internal/testing/release/systems windows/amd64 darwin/arm64
//
// The dependencies are read from source and without the bodies of their functions. "go vet" first
// compiles them, which takes minutes for each system.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/tools/go/packages"
)

func main() {
	module, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	failed := false
	for _, system := range os.Args[1:] {
		problems, err := check(module, system)
		if err != nil {
			problems = []string{err.Error()}
		}

		for _, p := range problems {
			failed = true
			fmt.Fprintf(os.Stderr, "%s: %s\n", system, p)
		}
	}

	if failed {
		os.Exit(1)
	}
}

// check returns what is wrong with the packages of a module on a system.
func check(dir, system string) (problems []string, err error) {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return nil, fmt.Errorf("%q is not a system: write OS/PROCESSOR, such as windows/amd64", system)
	}

	var checked atomic.Bool
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Tests: true, Dir: dir, ParseFile: parserOf(dir, &checked),
		Env: append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return nil, err
	}

	if !checked.Load() {
		return nil, fmt.Errorf("no package is in %s", dir)
	}

	seen := map[string]bool{} // a package and its test variant have the same problems
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			// Without bodies, dependencies have imports that they do not use.
			if inModule := strings.HasPrefix(e.Pos, dir+string(filepath.Separator)); (inModule ||
				e.Kind == packages.ListError) && !seen[e.Error()] {
				seen[e.Error()] = true
				problems = append(problems, e.Error())
			}
		}
	})
	return problems, nil
}

// parserOf returns a parser that forgets the bodies of functions outside the module, which nobody
// checks. They would take gigabytes. It sets checked for a file of the module.
func parserOf(module string, checked *atomic.Bool) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(files *token.FileSet, name string, src []byte) (*ast.File, error) {
		f, err := parser.ParseFile(files, name, src, parser.AllErrors|parser.SkipObjectResolution)
		if strings.HasPrefix(name, module+string(filepath.Separator)) {
			checked.Store(true)
			return f, err
		}

		if err != nil {
			return f, err
		}

		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				d.Body = nil
			}
		}

		return f, nil
	}
}
