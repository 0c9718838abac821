package contracts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
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
	in       *jsontext.Decoder
	values   int
	names    map[string]string // by their text in the file: equal names share memory
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

func (l *located) Error() string { return l.Message }

// parse reads data as one JSON value.
func parse(data []byte) (any, *parser) { return parseFor(data, nil) }

// parseFor is parse that also finds the offsets of some pointers.
func parseFor(data []byte, want map[string]int) (any, *parser) {
	in := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)) // they are collected
	p := &parser{data: data, in: in, names: make(map[string]string), want: want}
	v, err := p.document()
	if err == nil {
		return v, p
	}
	if !errors.As(err, &p.failed) {
		p.failed = p.explain(err)
	}
	return nil, p
}

func (p *parser) document() (any, error) {
	if bytes.HasPrefix(p.data, []byte(readlimit.Mark)) {
		return nil, p.problem(0, "the file starts with a byte order mark", "save it as UTF-8 without a byte order mark")
	}

	v, err := p.value()
	if err != nil {
		return nil, err
	}

	if rest := bytes.TrimLeft(p.data[p.in.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, p.problem(len(p.data)-len(rest), "there is more data after the end of the JSON value",
			"remove it; a file holds one JSON object")
	}

	return v, nil
}

// problem describes a problem with the value that was read last.
func (p *parser) problem(offset int, message, remedy string) *located {
	return &located{offset, Problem{Pointer: string(p.in.StackPointer()), Message: message, Remedy: remedy}}
}

func (p *parser) complain(offset int, message, remedy string) {
	p.problems = append(p.problems, *p.problem(offset, message, remedy))
}

// explain describes an error of the decoder, by what stands at its place.
func (p *parser) explain(err error) *located {
	var syntax *jsontext.SyntacticError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &syntax) ||
		int(syntax.ByteOffset) >= len(p.data) {
		return p.problem(len(p.data), "the file ends in the middle",
			"the file is cut off; restore it or write it again")
	}

	offset := int(syntax.ByteOffset)
	rest := p.data[offset:]
	r, size := utf8.DecodeRune(rest)
	switch {
	case r == utf8.RuneError && size == 1:
		return p.problem(offset, fmt.Sprintf("invalid UTF-8 at byte offset %d (byte 0x%02x)", offset, rest[0]),
			"save the file as UTF-8")
	case bytes.HasPrefix(rest, []byte("NaN")) || bytes.HasPrefix(rest, []byte("Infinity")):
		if offset > 0 && p.data[offset-1] == '-' {
			offset--
		}

		return p.problem(offset, "NaN and Infinity are not JSON numbers", "leave the field out where there is no value")
	case bytes.HasPrefix(rest, []byte(`\u`)):
		return p.problem(offset, `\u is not followed by a character's four hexadecimal digits`,
			"a character outside the basic plane is written as a pair of surrogates, or as itself")
	case r == '\\':
		return p.problem(offset, "not JSON: "+syntax.Err.Error(), `write a backslash as \\`)
	case r < ' ' && bytes.IndexByte(p.data[p.in.InputOffset():offset], '"') >= 0: // a string has begun
		return p.problem(offset, fmt.Sprintf("control character U+%04X inside a string", r),
			`write it as an escape, such as \n`)
	}

	return p.problem(offset, "not JSON: "+syntax.Err.Error(), "correct the syntax here")
}

// meet records that the value that was read last starts at offset.
func (p *parser) meet(offset int) {
	if p.want == nil {
		return
	}
	pointer := string(p.in.StackPointer())
	if at, ok := p.want[pointer]; ok && at < 0 {
		p.want[pointer] = offset
	}
}

func (p *parser) value() (any, error) {
	if kind := p.in.PeekKind(); kind == '{' || kind == '[' {
		if _, err := p.in.ReadToken(); err != nil {
			return nil, err
		}

		start := int(p.in.InputOffset()) - 1
		if p.in.StackDepth() > maxDepth {
			return nil, p.problem(start, fmt.Sprintf("nested deeper than %d levels", maxDepth), "flatten this value")
		}

		if err := p.count(start); err != nil {
			return nil, err
		}

		if kind == '{' {
			return p.object()
		}

		return p.array()
	}

	raw, err := p.in.ReadValue()
	if err != nil {
		return nil, err
	}

	start := int(p.in.InputOffset()) - len(raw)
	if err := p.count(start); err != nil {
		return nil, err
	}

	switch raw.Kind() {
	case '"':
		if n := len(raw) - 2; n > maxString {
			p.complain(start, fmt.Sprintf("the text is %.1f MiB long, the most is 1 MiB", float64(n)/(1<<20)),
				"shorten it")
			return "", nil
		}

		return unquote(raw), nil
	case '0':
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			p.complain(start, "the number is too large", "numbers are at most 1.8e308")
			return 0.0, nil
		}

		return f, nil
	case 'n':
		return nil, nil
	}

	return raw.Kind() == 't', nil
}

// count counts the value that starts at an offset.
func (p *parser) count(start int) error {
	p.meet(start)
	if p.values++; p.values > maxValues {
		return p.problem(start, fmt.Sprintf("the file holds more than %d values", maxValues),
			"split it, or check that it is the file you meant")
	}
	return nil
}

// unquote returns the text of a string that the decoder took.
func unquote(raw jsontext.Value) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}

func (p *parser) object() (any, error) {
	obj := make(map[string]any)
	for p.in.PeekKind() != '}' {
		raw, err := p.in.ReadValue()
		if err != nil {
			return nil, err
		}

		start := int(p.in.InputOffset()) - len(raw)
		if n := len(raw) - 2; n > maxString {
			long := p.problem(start, fmt.Sprintf("the name of a field is %.1f MiB long", float64(n)/(1<<20)),
				"shorten it")
			long.Pointer = string(p.in.StackPointer().Parent())
			return nil, long
		}

		name, known := p.names[string(raw)]
		if !known {
			name = unquote(raw)
			p.names[string(raw)] = name
		}

		p.meet(start)
		if _, twice := obj[name]; twice {
			p.complain(start, fmt.Sprintf("the field %q occurs twice in the same object", clip(name)),
				"keep one of the two")
		}

		if obj[name], err = p.value(); err != nil {
			return nil, err
		}
	}

	_, err := p.in.ReadToken()
	return obj, err
}

func (p *parser) array() (any, error) {
	list := []any{}
	for p.in.PeekKind() != ']' {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := p.in.ReadToken()
	return list, err
}
