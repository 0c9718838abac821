// Package source finds the definitions of tools, prompts and resources in the
// source of MCP servers: Go, Python, TypeScript and JavaScript.
//
// It runs nothing. It looks for the calls and literals of the usual libraries, follows
// names, imports and functions within the source, and reads texts that are literals in the
// end. What is computed is listed as a problem: only the running server has it.
//
//   - goparse.go, pyparse.go and tsparse.go turn a file into a tree of nodes, which tree.go
//     describes. lexer.go splits Python into tokens, sourcemap.go leads back to the lines of
//     TypeScript.
//   - project.go holds the files and follows imports; evaluate.go finds out what an
//     expression stands for.
//   - find.go finds definitions in the nodes, with find_go.go, find_python.go and
//     find_script.go for the forms of each language; collect.go adds the texts of schemas;
//     library.go knows the libraries.
package source

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is what is defined.
type Kind uint8

const (
	Tool Kind = iota
	Prompt
	Resource
	Instructions // of the server, as the Description
)

// Definition is a tool, prompt or resource. The Name of a resource is its URI. Texts
// are all other literals of the definition, such as the descriptions of parameters.
type Definition struct {
	Kind                     Kind
	Name, Title, Description string
	Texts                    []Text
	File                     string // "" for the file that was read
	Line                     int    // from 1
	// TitleLine and DescriptionLine are the lines of their literals, or 0 if those are in
	// another file.
	TitleLine, DescriptionLine int
}

// Text is a literal, its line, and its file unless that is the one of the definition.
type Text struct {
	Text string
	Line int
	File string
}

func (t Text) String() string { return t.Text }

// Problem is a part of a definition that cannot be read from the source.
type Problem struct {
	Name   string // of the tool, or "" if it is not known
	File   string // "" for the file that was read
	Line   int
	Reason string
}

// Found is what a file defines, in its order.
type Found struct {
	Definitions []Definition
	Problems    []Problem
	// SDK is a library for MCP servers that the file imports, or "".
	SDK string
	// Err is why the file cannot be parsed, or nil.
	Err error
}

func (f *Found) problem(name string, line int, reason string) {
	f.Problems = append(f.Problems, Problem{Name: name, Line: line, Reason: reason})
}

const (
	noParse              = "it cannot be parsed"
	computedName         = "its name is computed when the server runs"
	computedDescription  = "a part of its description is computed when the server runs"
	computedInstructions = "a part of the instructions is computed when the server runs"
	computedTitle        = "a part of its title is computed when the server runs"
	definedElsewhere     = "its definition is not in this call, and was not found in the source"
	computedTools        = "what is registered here was not found as a definition in the source"
	generatedTools       = "the tools that are made here are not in the source"
)

// File is a file of a source: a source file, or a manifest (go.mod, package.json) that
// imports lead to.
type File struct {
	Path string // with slashes
	Text func() (string, error)
	// Outside is whether the file is only there for others to import.
	Outside bool
}

// Supported reports whether a file is in one of the languages, by its name.
func Supported(file string) bool { return languageOf(filepath.ToSlash(file)) != 0 }

// IsManifest reports whether a file says what the modules of a source are called.
func IsManifest(file string) bool {
	base := filepath.Base(file)
	return base == "go.mod" || base == "package.json"
}

// IsTest reports whether a file is a test, by the conventions of its language: a_test.go,
// test_a.py, a.test.ts, or any file in __tests__.
func IsTest(file string) bool {
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	switch strings.ToLower(filepath.Ext(file)) {
	case ".go":
		return strings.HasSuffix(base, "_test")
	case ".py":
		return strings.HasSuffix(base, "_test") || strings.HasPrefix(base, "test_") || base == "conftest"
	}
	return strings.HasSuffix(base, ".test") || strings.HasSuffix(base, ".spec") ||
		filepath.Base(filepath.Dir(file)) == "__tests__"
}

// Find finds the definitions in the text of one file, whose name must be Supported. It
// returns an error for a file that cannot be parsed.
func Find(file, text string) (*Found, error) {
	all := FindAll([]File{{Path: file, Text: func() (string, error) { return text, nil }}}, nil)
	for _, found := range all {
		return found, found.Err
	}
	return nil, fmt.Errorf("%s is in no language that is read", file)
}

// FindAll finds the definitions in files that belong together, by their paths. What a
// definition names is looked up in all of them. open reads other files that the source
// embeds, and may be nil.
func FindAll(files []File, open func(name string) ([]byte, error)) map[string]*Found {
	p := newProject(files, open)
	p.parseAll()
	p.calls = map[string][]*node{}
	for _, f := range p.order {
		if f.parsed {
			p.note(f)
		}
	}

	p.linkHandlers()
	all := map[string]*Found{}
	for _, f := range p.order {
		if !f.outside {
			all[f.path] = p.find(f)
		}
	}

	for _, f := range p.order {
		if found := all[f.path]; found != nil && f.language == inGo {
			p.reportUnlinkedTags(f, found)
		}
	}

	return all
}

// find finds what a file defines.
func (p *project) find(f *file) *Found {
	found := &Found{SDK: f.sdk()}
	if !f.parsed {
		return found // it has no word that a definition has
	}

	if f.problem != "" {
		if f.language == inGo {
			found.Err = f.err
			return found
		}

		found.Err = errors.New(f.problem)
		if f.problemText != "" {
			found.Err = fmt.Errorf("%d: %s", max(1, f.problemLine), f.problemText)
		}

		return found
	}

	r := &finder{p: p, f: f, found: found, keys: map[*node]keyed{}, decorators: map[*node]bool{}}
	f.root.each(r.visit)
	found.Problems = distinct(found.Problems)
	return found
}

// distinct leaves out what was noted before.
func distinct(list []Problem) []Problem {
	seen := map[Problem]bool{}
	return slices.DeleteFunc(list, func(p Problem) bool {
		before := seen[p]
		seen[p] = true
		return before
	})
}
