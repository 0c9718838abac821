package input

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// value is one JSON value of a valid text. Objects are split into members and
// not decoded into structs, for three reasons: offsets are kept, a name that
// occurs twice is noticed (programs differ on which of the two they read), and
// names match exactly. encoding/json would accept "Description" for
// "description", so that the scan could read one text and the model another.
type value struct {
	text       []byte // the whole file
	start, end int
	once       bool // no object in it has a name twice, as its reader has checked
}

type member struct {
	name string
	at   int // offset of the name
	value
}

// valueOf returns the value of a text that has no other.
func valueOf(text []byte) value { return value{text: text, end: len(text)} }

func (v value) raw() []byte { return v.text[v.start:v.end] }

func (v value) is(first byte) bool { return v.start < v.end && v.text[v.start] == first }

func (v value) isNull() bool { return v.is('n') }

// str decodes a string. ok is false for other kinds of value.
func (v value) str() (s string, ok bool) {
	if !v.is('"') {
		return "", false
	}

	inner := v.text[v.start+1 : v.end-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}

	if plain, err := jsontext.AppendUnquote(nil, v.raw()); err == nil {
		return string(plain), true
	}

	return s, json.Unmarshal(v.raw(), &s) == nil // lone surrogates, which encoding/json replaces
}

// strings decodes an array of strings.
func (v value) strings() (list []string, ok bool) {
	if !v.is('[') {
		return nil, false
	}
	for _, e := range v.array() {
		s, ok := e.str()
		if !ok {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}

// array returns the elements, or none if v is not an array.
func (v value) array() []value {
	var elements []value
	if !v.is('[') {
		return nil
	}

	for i := v.start + 1; ; {
		i = skipSeparators(v.text, i)
		if i >= v.end-1 {
			return elements
		}

		end := skipValue(v.text, i)
		elements = append(elements, value{v.text, i, end, v.once})
		i = end
	}
}

// object returns the members in their order, or none if v is not an object.
func (v value) object() []member { return v.objectInto(nil) }

// objectInto does the same with a buffer that is used again.
func (v value) objectInto(members []member) []member {
	members = members[:0]
	if !v.is('{') {
		return nil
	}

	for i := v.start + 1; ; {
		i = skipSeparators(v.text, i)
		if i >= v.end-1 {
			return members
		}

		end := skipValue(v.text, i)
		name, _ := value{v.text, i, end, v.once}.str()
		from := skipSeparators(v.text, end)
		to := skipValue(v.text, from)
		members = append(members, member{name, i, value{v.text, from, to, v.once}})
		i = to
	}
}

// get finds the member with one of the names. It returns an error if there are
// two, with one name or with two names for the same part.
func get(members []member, names ...string) (found member, ok bool, err error) {
	for _, m := range members {
		if !slices.Contains(names, m.name) {
			continue
		}

		if ok && (m.name == found.name || !bytes.Equal(m.raw(), found.raw())) {
			return m, true, &twiceError{found.name, m.name, m.at}
		}

		if !ok {
			found, ok = m, true
		}
	}

	return found, ok, nil
}

// twiceError means that an object can be read in two ways.
type twiceError struct {
	first, second string
	at            int
}

func (e *twiceError) Error() string {
	if e.first == e.second {
		return fmt.Sprintf("it has the field %q twice, and programs differ on which one they read", e.first)
	}
	return fmt.Sprintf("it has both %q and %q with different content, and programs differ on which one they read",
		e.first, e.second)
}

// skipSeparators skips white space, commas and colons.
func skipSeparators(text []byte, i int) int {
	for i < len(text) {
		switch text[i] {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		default:
			return i
		}
	}
	return i
}

// skipValue returns the end of the value that starts at i, without recursion.
func skipValue(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
			continue
		default:
			for i < len(text) && !endsLiteral[text[i]] {
				i++
			}
		}

		if depth <= 0 {
			return i
		}
	}

	return i
}

// endsLiteral are the bytes that end a number, true, false or null.
var endsLiteral = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, ',': true, ':': true, ']': true, '}': true}

// skipString returns the end of the string that starts at i. It looks at each byte
// once: a string may be one escape after the other.
func skipString(text []byte, i int) int {
	quote := i
	for i++; i < len(text); {
		if quote < i {
			n := bytes.IndexByte(text[i:], '"')
			if n < 0 {
				return len(text)
			}

			quote = i + n
		}

		e := bytes.IndexByte(text[i:quote], '\\')
		if e < 0 {
			return quote + 1
		}

		i += e + 2 // the escaped character may be a quotation mark
	}
	return len(text)
}

// largest returns the number of elements of the largest list or object of a text, or of the values in a row.
func largest(text []byte) int {
	most := 0
	counts := []int{0} // of the lists and objects that are open
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = skipString(text, i) - 1
		case '{', '[':
			counts[len(counts)-1]++ // a value in a row
			counts = append(counts, 1)
		case ',':
			counts[len(counts)-1]++
		case '}', ']':
			if n := len(counts) - 1; n > 0 {
				most = max(most, counts[n])
				counts = counts[:n]
			}
		}
	}

	for _, n := range counts {
		most = max(most, n)
	}

	return most
}

// parseAll parses the JSON values in text, one after the other. Recorded
// answers of a server often have several, one a line. Comments and trailing
// commas, which the settings of some clients have, are allowed. Offsets stay
// right.
func parseAll(text []byte) ([]value, error) {
	values, err := decodeAll(text)
	if err != nil {
		if plain, changed := plainJSON(text); changed {
			if again, err2 := decodeAll(plain); err2 == nil {
				return again, nil
			}
		}
	}
	return values, err
}

func decodeAll(text []byte) ([]value, error) {
	if json.Valid(text) { // the usual case of one value needs no copy
		start := skipSeparators(text, 0)
		return []value{{text: text, start: start, end: skipValue(text, start)}}, nil
	}

	var values []value
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return values, nil
		}

		if err != nil {
			at := len(text)
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				at = int(syntax.Offset)
			}

			return nil, &syntaxError{at: max(0, min(at, len(text))-1), err: err}
		}

		end := int(dec.InputOffset())
		values = append(values, value{text: text, start: end - len(raw), end: end})
	}
}

// syntaxError is the place of a syntax error.
type syntaxError struct {
	at  int
	err error
}

func (e *syntaxError) Error() string {
	if errors.Is(e.err, io.ErrUnexpectedEOF) {
		return "not JSON: it ends in the middle"
	}
	return "not JSON: " + e.err.Error()
}

// lineOf returns the line of an offset, from 1.
func lineOf(text []byte, at int) int {
	return 1 + bytes.Count(text[:min(at, len(text))], []byte("\n"))
}

// columnOf returns the column of an offset in characters, from 1.
func columnOf(text []byte, at int) int {
	at = min(at, len(text))
	return 1 + utf8.RuneCount(text[bytes.LastIndexByte(text[:at], '\n')+1:at])
}

// mark is the place in a file of an offset of a text that has only parts of the file.
type mark struct{ at, line, column int }

// lineIndex computes the lines and columns of a text. Increasing offsets cost one pass together.
type lineIndex struct {
	text []byte
	// marks are the places of the parts of the text, by their offsets. Without marks, the text is the file.
	marks    []mark
	at, line int
	// columnAt is the offset whose column is col.
	columnAt, col int
}

// markBefore returns the mark of the part that an offset is in.
func (x *lineIndex) markBefore(at int) mark {
	i, found := slices.BinarySearchFunc(x.marks, at, func(m mark, at int) int { return cmp.Compare(m.at, at) })
	switch {
	case found:
		return x.marks[i]
	case i > 0:
		return x.marks[i-1]
	}
	return mark{0, 1, 1}
}

// column returns the column of an offset in characters, from 1.
func (x *lineIndex) column(at int) int {
	if m := x.markBefore(at); x.col == 0 || at < x.columnAt || m.at > x.columnAt {
		x.columnAt, x.col = m.at, m.column
	}

	passed := x.text[x.columnAt:at]
	if newline := bytes.LastIndexByte(passed, '\n'); newline >= 0 {
		x.col, passed = 1, passed[newline+1:]
	}

	x.col += utf8.RuneCount(passed)
	x.columnAt = at
	return x.col
}

// line1 returns the line of an offset, from 1.
func (x *lineIndex) line1(at int) int {
	if m := x.markBefore(at); x.line == 0 || at < x.at || m.at > x.at {
		x.at, x.line = m.at, m.line
	}

	x.line += bytes.Count(x.text[x.at:at], []byte("\n"))
	x.at = at
	return x.line
}

// plainJSON replaces comments and trailing commas by blanks, and keeps every
// other byte at its place.
func plainJSON(text []byte) (plain []byte, changed bool) {
	plain = bytes.Clone(text)
	blank := func(from, to int) {
		changed = true
		for i := from; i < to; i++ {
			if plain[i] != '\n' {
				plain[i] = ' '
			}
		}
	}
	comma := -1 // a comma followed only by white space so far
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			comma = -1
			i = skipString(text, i)
		case bytes.HasPrefix(text[i:], []byte("//")):
			end := bytes.IndexByte(text[i:], '\n')
			if end < 0 {
				end = len(text) - i
			}

			blank(i, i+end)
			i += end
		case bytes.HasPrefix(text[i:], []byte("/*")):
			end := bytes.Index(text[i+2:], []byte("*/"))
			if end < 0 {
				return plain, changed
			}

			blank(i, i+end+4)
			i += end + 4
		case c == ',':
			comma = i
			i++
		case c == '}' || c == ']':
			if comma >= 0 {
				blank(comma, comma+1)
			}

			comma = -1
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
		default:
			comma = -1
			i++
		}
	}

	return plain, changed
}
