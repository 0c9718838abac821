package contracts

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
)

// Limits on input. They are far above any valid file, so that a broken or
// hostile file cannot exhaust the machine.
const (
	maxFile   = 128 << 20 // bytes of a file
	maxString = 1 << 20   // bytes of one string
	maxDepth  = 100       // nested arrays and objects
	maxValues = 5 << 20   // values of a file: each needs up to 100 bytes of memory
)

// parser reads one JSON text strictly (RFC 8259) into maps, slices, strings,
// float64, bool and nil. It differs from encoding/json in what it refuses:
// duplicate names, invalid UTF-8, lone surrogates, a byte order mark, deep
// nesting and overlong strings, each with its place.
//
// Problems after which the rest can still be read are collected in problems.
// The first fatal one is failed, and reading stops there.
type parser struct {
	data     []byte
	pos      int
	depth    int
	values   int
	path     []byte // JSON pointer of the value being read
	names    map[string]string
	problems []located
	failed   *located
	// want maps JSON pointers to the offset of their first occurrence, or -1 if
	// there was none yet. It is nil if no offsets are needed. For a member of
	// an object the offset is that of its name.
	want map[string]int
}

// located is a problem with its offset instead of line and column.
type located struct {
	offset int
	Problem
}

// parse reads data as one JSON value.
func parse(data []byte) (any, *parser) {
	p := &parser{data: data, names: make(map[string]string)}
	return p.document(), p
}

func (p *parser) document() any {
	if bytes.HasPrefix(p.data, []byte("\xef\xbb\xbf")) {
		p.fail(0, "the file starts with a byte order mark", "save it as UTF-8 without a byte order mark")
		return nil
	}
	p.meet(0)
	v := p.value()
	if p.failed != nil {
		return nil
	}
	p.space()
	if p.pos < len(p.data) {
		p.fail(p.pos, "there is more data after the end of the JSON value", "remove it; a file holds one JSON object")
		return nil
	}
	return v
}

func (p *parser) fail(offset int, message, remedy string) {
	if p.failed == nil {
		p.failed = &located{offset, Problem{Pointer: string(p.path), Message: message, Remedy: remedy}}
	}
}

func (p *parser) complain(offset int, message, remedy string) {
	p.problems = append(p.problems, located{offset, Problem{Pointer: string(p.path), Message: message, Remedy: remedy}})
}

// meet records that the value at path starts at offset.
func (p *parser) meet(offset int) {
	if p.want == nil {
		return
	}
	if at, ok := p.want[string(p.path)]; ok && at < 0 {
		p.want[string(p.path)] = offset
	}
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		default:
			return
		}
	}
}

// unexpected fails at the current place, where want was expected.
func (p *parser) unexpected(want string) {
	if p.pos >= len(p.data) {
		p.fail(p.pos, "the file ends in the middle: expected "+want, "the file is cut off; restore it or write it again")
		return
	}
	if rest := p.data[p.pos:]; bytes.HasPrefix(rest, []byte("NaN")) || bytes.HasPrefix(rest, []byte("Infinity")) || bytes.HasPrefix(rest, []byte("-Infinity")) {
		p.fail(p.pos, "NaN and Infinity are not JSON numbers", "leave the field out where there is no value")
		return
	}
	r, size := utf8.DecodeRune(p.data[p.pos:])
	if r == utf8.RuneError && size <= 1 {
		p.invalidUTF8(p.pos)
		return
	}
	p.fail(p.pos, fmt.Sprintf("not JSON: expected %s, found %q", want, r), "correct the syntax here")
}

func (p *parser) invalidUTF8(offset int) {
	p.fail(offset, fmt.Sprintf("invalid UTF-8 at byte offset %d (byte 0x%02x)", offset, p.data[offset]), "save the file as UTF-8")
}

func (p *parser) value() any {
	p.space()
	if p.values++; p.values > maxValues {
		p.fail(p.pos, fmt.Sprintf("the file holds more than %d values", maxValues), "split it, or check that it is the file you meant")
		return nil
	}
	if p.pos >= len(p.data) {
		p.unexpected("a value")
		return nil
	}
	switch c := p.data[p.pos]; {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		return p.text()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 't' && p.literal("true"):
		return true
	case c == 'f' && p.literal("false"):
		return false
	case c == 'n' && p.literal("null"):
		return nil
	}
	p.unexpected("a value")
	return nil
}

func (p *parser) literal(s string) bool {
	if !bytes.HasPrefix(p.data[p.pos:], []byte(s)) {
		return false
	}
	p.pos += len(s)
	return true
}

// enter counts one level of nesting and reports whether it is allowed.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.pos, fmt.Sprintf("nested deeper than %d levels", maxDepth), "flatten this value")
		return false
	}
	p.pos++
	p.space()
	return true
}

func (p *parser) object() any {
	if !p.enter() {
		return nil
	}
	obj := make(map[string]any)
	base := len(p.path)
	if p.peek() == '}' {
		p.pos++
		p.depth--
		return obj
	}
	for {
		p.space()
		start := p.pos
		if p.peek() != '"' {
			p.unexpected(`the name of a field in double quotes`)
			return nil
		}
		name := p.name()
		if p.failed != nil {
			return nil
		}
		p.path = jsonpointer.Append(p.path[:base], name)
		p.meet(start)
		if _, twice := obj[name]; twice {
			p.complain(start, fmt.Sprintf("the field %q occurs twice in the same object", clip(name)), "keep one of the two")
		}
		p.space()
		if p.peek() != ':' {
			p.unexpected(`":" after the name of a field`)
			return nil
		}
		p.pos++
		v := p.value()
		if p.failed != nil {
			return nil
		}
		obj[name] = v
		p.path = p.path[:base]
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case '}':
			p.pos++
			p.depth--
			return obj
		default:
			p.unexpected(`"," or "}"`)
			return nil
		}
	}
}

func (p *parser) array() any {
	if !p.enter() {
		return nil
	}
	list := []any{}
	base := len(p.path)
	if p.peek() == ']' {
		p.pos++
		p.depth--
		return list
	}
	for {
		p.path = append(p.path[:base], '/')
		p.path = strconv.AppendInt(p.path, int64(len(list)), 10)
		p.space()
		p.meet(p.pos)
		v := p.value()
		if p.failed != nil {
			return nil
		}
		list = append(list, v)
		p.path = p.path[:base]
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
		case ']':
			p.pos++
			p.depth--
			return list
		default:
			p.unexpected(`"," or "]"`)
			return nil
		}
	}
}

// peek returns the byte at pos, or 0 at the end. NUL is not a JSON token
// either, so the two cases need no distinction here.
func (p *parser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}
