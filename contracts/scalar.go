package contracts

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The parser's strings and numbers.

func (p *parser) text() any {
	start := p.pos
	raw, escaped := p.quoted()
	if p.failed != nil {
		return nil
	}
	if len(raw) > maxString {
		p.complain(start, fmt.Sprintf("the text is %.1f MiB long, the most is 1 MiB", float64(len(raw))/(1<<20)), "shorten it")
		return ""
	}
	if !escaped {
		return string(raw)
	}
	return p.unescape(raw, start+1)
}

// name reads the name of a field. Equal names share memory, because there are
// few.
func (p *parser) name() string {
	start := p.pos
	raw, escaped := p.quoted()
	if p.failed != nil {
		return ""
	}
	if len(raw) > maxString {
		p.fail(start, fmt.Sprintf("the name of a field is %.1f MiB long", float64(len(raw))/(1<<20)), "shorten it")
		return ""
	}
	if escaped {
		return p.unescape(raw, start+1)
	}
	if s, ok := p.names[string(raw)]; ok {
		return s
	}
	s := string(raw)
	p.names[s] = s
	return s
}

// quoted reads a string and returns the text between the quotes.
func (p *parser) quoted() (raw []byte, escaped bool) {
	p.pos++
	start := p.pos
	ascii := true
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '"':
			raw = p.data[start:p.pos]
			if !ascii && !utf8.Valid(raw) {
				p.invalidUTF8(start + firstInvalid(raw))
				return nil, false
			}
			p.pos++
			return raw, escaped
		case c == '\\':
			escaped = true
			p.pos += 2
		case c < 0x20:
			p.fail(p.pos, fmt.Sprintf("control character U+%04X inside a string", c), `write it as an escape, such as \n`)
			return nil, false
		default:
			ascii = ascii && c < utf8.RuneSelf
			p.pos++
		}
	}
	p.pos = len(p.data)
	p.unexpected(`'"' at the end of a string`)
	return nil, false
}

func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return 0
}

// unescape resolves the escapes of raw, which starts at offset.
func (p *parser) unescape(raw []byte, offset int) string {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		switch c := raw[i+1]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, size := unicodeEscape(raw[i:])
			if size == 0 {
				p.fail(offset+i, `\u is not followed by a character's four hexadecimal digits`, "a character outside the basic plane is written as a pair of surrogates, or as itself")
				return ""
			}
			out = utf8.AppendRune(out, r)
			i += size
			continue
		default:
			p.fail(offset+i, fmt.Sprintf("unknown escape \\%c in a string", c), `write a backslash as \\`)
			return ""
		}
		i += 2
	}
	return string(out)
}

// unicodeEscape reads \uXXXX, or two of them for a surrogate pair, at the start
// of b. size is 0 if it is not a character.
func unicodeEscape(b []byte) (r rune, size int) {
	r = hex4(b)
	if r < 0 || !utf16.IsSurrogate(r) {
		if r < 0 {
			return 0, 0
		}
		return r, 6
	}
	if len(b) < 12 {
		return 0, 0
	}
	if r = utf16.DecodeRune(r, hex4(b[6:])); r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

func hex4(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}

func (p *parser) number() any {
	start := p.pos
	if p.peek() == '-' {
		p.pos++
	}
	switch c := p.peek(); {
	case c == '0':
		p.pos++
	case c >= '1' && c <= '9':
		p.digits()
	default:
		p.pos = start
		if p.pos+1 < len(p.data) && p.data[p.pos+1] != 'I' {
			p.pos++
		}
		p.unexpected("a digit")
		return nil
	}
	if p.peek() == '.' {
		p.pos++
		if !p.digits() {
			p.unexpected("a digit")
			return nil
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.digits() {
			p.unexpected("a digit")
			return nil
		}
	}
	f, err := strconv.ParseFloat(string(p.data[start:p.pos]), 64)
	if err != nil {
		p.complain(start, "the number is too large", "numbers are at most 1.8e308")
		return 0.0
	}
	return f
}

// digits skips decimal digits and reports whether there was at least one.
func (p *parser) digits() bool {
	start := p.pos
	for p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
		p.pos++
	}
	return p.pos > start
}
