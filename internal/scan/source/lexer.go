package source

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	word tokenKind = iota // also numbers
	str
	sign // one character, or =>
)

type lexeme struct {
	kind   tokenKind
	text   string // of a string, its value
	line   int
	column int  // 0 for the first of a line
	first  bool // of its line, unless the line before goes on
	parts  []piece
}

// piece is a part of a string with values: a text, or the source of an expression.
type piece struct {
	text       string
	expression bool
}

func (t lexeme) is(s string) bool { return t.kind != str && t.text == s }

// lexer splits a text of Python.
type lexer struct {
	s     string
	i     int
	line  int
	start int  // of the line
	fresh bool // nothing of the line was read
	out   []lexeme
}

func lex(text string) []lexeme {
	l := &lexer{s: text, line: 1, fresh: true}
	for l.i < len(l.s) {
		l.next()
	}
	return l.out
}

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.s[l.i:], prefix) }

func (l *lexer) add(kind tokenKind, text string, line, column int, parts []piece) {
	l.out = append(l.out, lexeme{kind, text, line, column, l.fresh, parts})
	l.fresh = false
}

// skip moves to a position, and counts the lines.
func (l *lexer) skip(to int) {
	for ; l.i < min(to, len(l.s)); l.i++ {
		if l.s[l.i] == '\n' {
			l.line, l.start = l.line+1, l.i+1
		}
	}
}

// skipTo moves behind the next end, or to the end of the text.
func (l *lexer) skipTo(end string) {
	if at := strings.Index(l.s[l.i:], end); at >= 0 {
		l.skip(l.i + at + len(end))
		return
	}
	l.skip(len(l.s))
}

func (l *lexer) next() {
	c := l.s[l.i]
	line, column := l.line, l.i-l.start
	switch {
	case c == '\n':
		l.skip(l.i + 1)
		l.fresh = true
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		l.skip(l.i + 1)
	case c == '\\' && (l.has("\\\n") || l.has("\\\r\n")):
		l.skipTo("\n")
	case c == '#':
		if end := strings.IndexByte(l.s[l.i:], '\n'); end >= 0 {
			l.skip(l.i + end)
			return
		}

		l.skip(len(l.s))
	case c == '"' || c == '\'':
		text, parts := l.str("")
		l.add(str, text, line, column, parts)
	default:
		r, size := utf8.DecodeRuneInString(l.s[l.i:])
		if !wordRune(r) {
			l.add(sign, l.s[l.i:l.i+size], line, column, nil)
			l.skip(l.i + size)
			return
		}

		end := l.i
		for end < len(l.s) {
			r, size := utf8.DecodeRuneInString(l.s[end:])
			if !wordRune(r) {
				break
			}

			end += size
		}

		w := l.s[l.i:end]
		l.skip(end)
		if len(w) <= 2 && end < len(l.s) && (l.s[end] == '"' || l.s[end] == '\'') &&
			strings.Trim(strings.ToLower(w), "rbuft") == "" {
			text, parts := l.str(strings.ToLower(w))
			l.add(str, text, line, column, parts)
			return
		}

		l.add(word, w, line, column, nil)
	}
}

func wordRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// str reads a string after its prefix. Its parts are nil if it has no values.
func (l *lexer) str(prefix string) (text string, parts []piece) {
	quote := l.s[l.i : l.i+1]
	if l.has(strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}

	raw := strings.Contains(prefix, "r")
	formatted := strings.Contains(prefix, "f") || strings.Contains(prefix, "t")
	var b strings.Builder
	done := func() (string, []piece) {
		if len(parts) > 0 {
			parts = append(parts, piece{text: b.String()})
		}
		return b.String(), parts
	}
	i := l.i + len(quote)
	for i < len(l.s) {
		switch {
		case strings.HasPrefix(l.s[i:], quote):
			l.skip(i + len(quote))
			return done()
		case l.s[i] == '\\' && i+1 < len(l.s):
			if raw {
				b.WriteString(l.s[i : i+2])
				i += 2
				break
			}

			var s string
			s, i = escape(l.s, i+1)
			b.WriteString(s)
		case l.s[i] == '\n' && len(quote) == 1:
			l.skip(i) // not closed
			parts = append(parts, piece{text: b.String()}, piece{expression: true})
			b.Reset()
			return done()
		case formatted && (strings.HasPrefix(l.s[i:], "{{") || strings.HasPrefix(l.s[i:], "}}")):
			b.WriteByte(l.s[i])
			i += 2
		case formatted && l.s[i] == '{':
			end := closing(l.s, i)
			parts = append(parts, piece{text: b.String()}, piece{l.s[i+1 : max(i+1, end-1)], true})
			b.Reset()
			i = end
		default:
			b.WriteByte(l.s[i])
			i++
		}
	}

	l.skip(len(l.s))
	return done()
}

// closing returns the position behind the brace that closes the one at i. Braces in
// strings count too, which only a strange text has.
func closing(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}

	return len(s)
}

// escape decodes an escape sequence, without its backslash, at i. It returns the
// position behind it.
func escape(s string, i int) (string, int) {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
	if s[i] == 'u' && strings.HasPrefix(s[i+1:], "{") { // of JavaScript
		if end := strings.IndexByte(s[i:], '}'); end > 2 && end < 10 {
			if n, err := strconv.ParseUint(s[i+2:i+end], 16, 32); err == nil {
				return string(rune(n)), i + end + 1
			}
		}
	}

	if digits > 0 && i+digits < len(s) {
		if n, err := strconv.ParseUint(s[i+1:i+1+digits], 16, 32); err == nil {
			return string(rune(n)), i + 1 + digits
		}
	}

	switch s[i] {
	case 'n':
		return "\n", i + 1
	case 't':
		return "\t", i + 1
	case 'r':
		return "\r", i + 1
	case '\n':
		return "", i + 1 // the string goes on
	}

	return s[i : i+1], i + 1
}
