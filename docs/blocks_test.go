package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A block is a fenced block of code in a page. CONTRIBUTING.md describes the
// conventions.
type block struct {
	lang  string
	line  int // of the opening fence, from 1
	text  string
	marks []mark
}

// A mark is an HTML comment of the form <!-- NAME: VALUE -->. Those directly
// before a block, with nothing but blank lines between, belong to it.
type mark struct{ name, value string }

// mark returns the value of the block's mark of that name.
func (b block) mark(name string) (string, bool) {
	for _, m := range b.marks {
		if m.name == name {
			return m.value, true
		}
	}
	return "", false
}

var (
	fence       = regexp.MustCompile("^( *)```+([^`]*)$")
	markComment = regexp.MustCompile(`^\s*<!-- ([a-z ]+): (.*) -->\s*$`)
)

// blocks returns the fenced blocks of a page in their order.
func blocks(t *testing.T, page string) []block {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var found []block
	var marks []mark
	var open *block
	indent := ""
	for i, line := range strings.Split(string(text), "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case open != nil && m != nil && m[2] == "":
			found = append(found, *open)
			open = nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		case m != nil:
			indent = m[1]
			open = &block{lang: strings.TrimSpace(m[2]), line: i + 1, marks: marks}
			marks = nil
		default:
			if c := markComment.FindStringSubmatch(line); c != nil {
				marks = append(marks, mark{c[1], c[2]})
			} else if strings.TrimSpace(line) != "" {
				marks = nil
			}
		}
	}
	if open != nil {
		t.Errorf("%s:%d: the block has no end", page, open.line)
	}
	return found
}

// pages returns every Markdown page of the repository that people read.
func pages(t *testing.T) []string {
	t.Helper()
	const root = ".."
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "reports") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
