package contracts

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
)

// Locate returns the error for problems whose Pointer is known but whose place
// in data, the content of the file path, is not. It sets Line, Column and, if
// empty, Entry, and sorts the problems in file order.
func Locate(path string, data []byte, problems []Problem) *FileError {
	return place(path, data, locate(data, problems))
}

// locate finds the offsets of pointers, in one pass over data.
func locate(data []byte, problems []Problem) []located {
	want := make(map[string]int, len(problems))
	for _, problem := range problems {
		want[problem.Pointer] = -1
	}

	want[""] = 0
	tree, _ := parseFor(data, want)
	found := make([]located, len(problems))
	for i, problem := range problems {
		if problem.Entry == "" {
			problem.Entry = entryAt(tree, jsonpointer.Split(problem.Pointer))
		}

		found[i] = located{max(want[problem.Pointer], 0), problem}
	}

	return found
}

// place turns offsets into lines and columns, in one pass over data.
func place(path string, data []byte, found []located) *FileError {
	slices.SortStableFunc(found, func(a, b located) int { return cmp.Compare(a.offset, b.offset) })
	e := &FileError{Path: path, Problems: make([]Problem, len(found))}
	line, start, seen := 1, 0, 0
	for i, f := range found {
		offset := min(f.offset, len(data))
		line += bytes.Count(data[seen:offset], []byte{'\n'})
		if nl := bytes.LastIndexByte(data[seen:offset], '\n'); nl >= 0 {
			start = seen + nl + 1
		}

		seen = offset
		f.Line, f.Column = line, utf8.RuneCount(data[start:offset])+1
		e.Problems[i] = f.Problem
	}

	return e
}

// entryAt returns the id of the outermost entry that contains the value: a
// problem with a query's label is a problem of the query.
func entryAt(tree any, tokens []string) string {
	for i := 0; ; i++ {
		if obj, ok := tree.(map[string]any); ok {
			for _, name := range []string{"tool_id", "id"} {
				if id, ok := obj[name].(string); ok && id != "" {
					return id
				}
			}
		}

		if i == len(tokens) {
			return ""
		}

		tree = step(tree, tokens[i])
	}
}

// step follows one token of a pointer. It returns nil if nothing is there.
func step(tree any, token string) any {
	switch t := tree.(type) {
	case map[string]any:
		return t[token]
	case []any:
		i := 0
		for _, c := range []byte(token) {
			if c < '0' || c > '9' || i > len(t) {
				return nil
			}

			i = i*10 + int(c-'0')
		}

		if i < len(t) {
			return t[i]
		}
	}

	return nil
}
