package contracts

import (
	"fmt"
	"strings"
)

// FileError lists every problem that was found in a file, in file order. It has
// at least one.
type FileError struct {
	Path     string
	Problems []Problem
}

// Problem is one fault. Line and Column start at 1 and are 0 if the place is
// not known. Column counts characters. Pointer is the JSON pointer of the value
// (RFC 6901, "/tools/3/description"). Entry is the tool_id or id of the entry
// that contains it. Remedy tells the user how to fix it.
type Problem struct {
	Line, Column int
	Pointer      string
	Entry        string
	Message      string
	Remedy       string
}

// maxShown is the number of problems that Error prints; it counts the rest.
const maxShown = 20

// Error lists the problems, one a line.
func (e *FileError) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i == maxShown {
			fmt.Fprintf(&b, "\n%s: and %d more", e.Path, len(e.Problems)-maxShown)
			break
		}

		if i > 0 {
			b.WriteByte('\n')
		}

		b.WriteString(e.Path)
		b.WriteByte(':')
		if p.Line > 0 {
			fmt.Fprintf(&b, "%d:%d:", p.Line, p.Column)
		}

		b.WriteByte(' ')
		if p.Entry != "" {
			fmt.Fprintf(&b, "entry %s: ", clip(p.Entry))
		}

		b.WriteString(p.Message)
		if p.Remedy != "" {
			b.WriteString("; ")
			b.WriteString(p.Remedy)
		}
	}

	return b.String()
}

// maxClip bounds the length of a quotation from a file in an error.
const maxClip = 120

// clip shortens s to fit a line of an error and replaces control characters,
// which could otherwise manipulate a terminal.
func clip(s string) string {
	if len(s) > maxClip {
		cut := maxClip
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}

		s = s[:cut] + "…"
	}

	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '·'
		}

		return r
	}, s)
}
