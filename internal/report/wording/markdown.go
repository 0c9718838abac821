package wording

import (
	"bytes"
	"fmt"
	"strings"
)

// MaxComment is GitHub's limit for a comment, in characters. The code counts
// bytes, which are never fewer.
const MaxComment = 65536

// reserve is the room kept for the line about omitted rows.
const reserve = 120

// AppendSection writes a section, head first, as far as room bytes allow. The
// last element closes the section and is always written.
func AppendSection(b *bytes.Buffer, section []string, room int) int {
	if len(section) == 0 {
		return room
	}

	head, rows, end := section[0], section[1:len(section)-1], section[len(section)-1]
	if b.Len()+len(head)+len(end)+reserve > room {
		return room
	}

	b.WriteString(head)
	for i, row := range rows {
		if b.Len()+len(row)+len(end)+reserve > room {
			fmt.Fprintf(b, "\n_%d more rows are left out here; report.html and report.json have them._\n", len(rows)-i)
			break
		}

		b.WriteString(row)
	}

	b.WriteString(end)
	return room
}

// TableHead formats the first two lines of a table.
func TableHead(names []string) string {
	return "| " + strings.Join(names, " | ") + " |\n|" + strings.Repeat("---|", len(names)) + "\n"
}

// Markdown escapes untrusted text for Markdown: no markup, no end of a table cell, no
// mention of a person, no reference to an issue, no link, no formula.
//
// GitHub looks for mentions and references after it has resolved entities, so
// only a separator between the sign and the name prevents them
// (github/cmark-gfm#181). For a dollar its documentation requires a span.
func Markdown(s string) string {
	const nothing = "<!-- -->"
	var b strings.Builder
	for i, c := range s {
		switch c {
		case '@', '#':
			b.WriteRune(c)
			b.WriteString(nothing)
		case '-':
			if i >= 2 && strings.EqualFold(s[i-2:i], "GH") { // GH-1 is issue 1
				b.WriteString(nothing)
			}

			b.WriteRune(c)
		case '.':
			if strings.HasSuffix(s[:i], "www") {
				b.WriteString("&#46;")
			} else {
				b.WriteRune(c)
			}
		case '$':
			b.WriteString("<span>$</span>")
		case '\n', '\r', '\t':
			b.WriteByte(' ')
		case '\\', '`', '*', '_', '{', '}', '[', ']', '(', ')', '~', '|', '!', '<', '>', '&', ':', '"', '\'':
			fmt.Fprintf(&b, "&#%d;", c)
		default:
			if (c < 0x20 || c >= 0x7f) && Plain(string(c)) != string(c) {
				c = '�'
			}

			b.WriteRune(c)
		}
	}

	return b.String()
}
