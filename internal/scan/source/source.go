// Package source finds the definitions of tools, prompts and resources in the
// source of MCP servers: Go, Python, TypeScript and JavaScript.
//
// It runs nothing. It looks for the calls and literals of the usual libraries, and
// reads texts that are literals, or constants of the same file. What is computed is
// listed as a problem: only the running server has it.
//
//   - golang.go reads Go by its syntax tree.
//   - lexer.go splits Python and TypeScript into tokens, expression.go evaluates
//     texts, python.go and typescript.go find definitions.
package source

import (
	"cmp"
	"path/filepath"
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
	Line                     int // from 1
	// TitleLine and DescriptionLine are the lines of their literals, or 0.
	TitleLine, DescriptionLine int
}

// Text is a literal and its line.
type Text struct {
	Text string
	Line int
}

func (t Text) String() string { return t.Text }

// Problem is a part of a definition that cannot be read from the source.
type Problem struct {
	Name   string // of the tool, or "" if it is not known
	Line   int
	Reason string
	// Deferred is what the file says of a function of another file that it registers, or nil.
	Deferred *Deferred
}

// Deferred is a definition without what the registered function says. Function is its name.
type Deferred struct {
	Definition
	Function string
}

// With returns the definition with what its function says, which counts where the
// registration is silent.
func (l *Deferred) With(f Definition) Definition {
	f.Kind = l.Kind
	f.Name = cmp.Or(l.Name, f.Name)
	f.Title, f.TitleLine = l.Title, 0
	if l.Description != "" {
		f.Description, f.DescriptionLine = l.Description, 0
	}
	f.Texts = append(f.Texts, l.Texts...)
	return f
}

// Found is what a file defines, in its order.
type Found struct {
	Definitions []Definition
	Problems    []Problem
}

func (f *Found) problem(name string, line int, reason string) {
	f.Problems = append(f.Problems, Problem{Name: name, Line: line, Reason: reason})
}

const (
	computedName         = "its name is computed when the server runs"
	computedDescription  = "a part of its description is computed when the server runs"
	computedInstructions = "a part of the instructions is computed when the server runs"
	definedInOtherFile   = "its definition is not in this call, and may be in another file"

	computedTitle = "a part of its title is computed when the server runs"
)

// languages maps the endings of files to the functions that read them.
var languages = map[string]func(text string) (*Found, error){
	".go": findGo, ".py": findPython,
	".ts": findTypeScript, ".tsx": findTypeScript, ".mts": findTypeScript, ".cts": findTypeScript,
	".js": findTypeScript, ".jsx": findTypeScript, ".mjs": findTypeScript, ".cjs": findTypeScript,
}

// Supported reports whether a file is in one of the languages, by its name.
func Supported(file string) bool { return languages[strings.ToLower(filepath.Ext(file))] != nil }

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

// Find finds the definitions in the text of a file, whose name must be Supported. It
// returns an error for Go that cannot be parsed. The other languages are read as far as
// they make sense.
func Find(file, text string) (*Found, error) {
	return languages[strings.ToLower(filepath.Ext(file))](text)
}
