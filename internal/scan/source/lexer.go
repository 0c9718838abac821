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
	kind     tokenKind
	text     string // of a string, its value
	line     int
	column   int  // 0 for the first of a line
	computed bool // a string with values that are not known
}

func (t lexeme) is(s string) bool { return t.kind != str && t.text == s }

// lexer splits a text of Python or TypeScript.
type lexer struct {
	s      string
	i      int
	line   int
	start  int // of the line
	python bool
	out    []lexeme
}

func lex(text string, python bool) []lexeme {
	l := &lexer{s: text, line: 1, python: python}
	for l.i < len(l.s) {
		l.next()
	}
	return l.out
}

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.s[l.i:], prefix) }

func (l *lexer) add(kind tokenKind, text string, line, column int, computed bool) {
	l.out = append(l.out, lexeme{kind, text, line, column, computed})
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
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		l.skip(l.i + 1)
	case l.python && c == '#', !l.python && l.has("//"):
		l.skipTo("\n")
	case !l.python && l.has("/*"):
		l.skipTo("*/")
	case c == '"' || c == '\'' || c == '`' && !l.python:
		text, computed := l.str("")
		l.add(str, text, line, column, computed)
	case !l.python && c == '/' && l.regexpMayBegin():
		l.regexp()
		l.add(sign, "/", line, column, false)
	default:
		r, size := utf8.DecodeRuneInString(l.s[l.i:])
		if !wordRune(r) {
			if l.has("=>") {
				size = 2
			}

			l.add(sign, l.s[l.i:l.i+size], line, column, false)
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
		if l.python && len(w) <= 2 && end < len(l.s) && (l.s[end] == '"' || l.s[end] == '\'') &&
			strings.Trim(strings.ToLower(w), "rbuft") == "" {
			text, computed := l.str(strings.ToLower(w))
			l.add(str, text, line, column, computed)
			return
		}

		l.add(word, w, line, column, false)
	}
}

func wordRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// regexpMayBegin reports whether a slash begins a regular expression, by what is before
// it.
func (l *lexer) regexpMayBegin() bool {
	if len(l.out) == 0 {
		return true
	}
	last := l.out[len(l.out)-1]
	return last.kind == sign && strings.Contains("(,=:[!&|?{};=>+-*%<~^", last.text) || last.is("return")
}

func (l *lexer) regexp() {
	class := false
	for i := l.i + 1; i < len(l.s); i++ {
		switch l.s[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			l.skip(l.i + 1) // it was a division
			return
		case '/':
			if !class {
				l.skip(i + 1)
				return
			}
		}
	}

	l.skip(l.i + 1)
}

// str reads a string after its prefix, which Python has.
func (l *lexer) str(prefix string) (text string, computed bool) {
	quote := l.s[l.i : l.i+1]
	if l.python && l.has(strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}

	raw := strings.Contains(prefix, "r")
	formatted := strings.Contains(prefix, "f") || strings.Contains(prefix, "t")
	var b strings.Builder
	i := l.i + len(quote)
	for i < len(l.s) {
		switch {
		case strings.HasPrefix(l.s[i:], quote):
			l.skip(i + len(quote))
			return b.String(), computed
		case l.s[i] == '\\' && i+1 < len(l.s):
			if raw {
				b.WriteString(l.s[i : i+2])
				i += 2
				break
			}

			var s string
			s, i = escape(l.s, i+1)
			b.WriteString(s)
		case l.s[i] == '\n' && len(quote) == 1 && quote != "`":
			l.skip(i) // not closed
			return b.String(), true
		case formatted && (strings.HasPrefix(l.s[i:], "{{") || strings.HasPrefix(l.s[i:], "}}")):
			b.WriteByte(l.s[i])
			i += 2
		case formatted && l.s[i] == '{', quote == "`" && strings.HasPrefix(l.s[i:], "${"):
			i = closing(l.s, i+strings.IndexByte(l.s[i:], '{'))
			b.WriteString("…")
			computed = true
		default:
			b.WriteByte(l.s[i])
			i++
		}
	}

	l.skip(len(l.s))
	return b.String(), true
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
