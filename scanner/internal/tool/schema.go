package tool

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// maxDepth bounds the nesting of a schema; deeper parts are not read. Real
// schemas nest fewer than 20 levels.
const maxDepth = 256

// jsonWalker collects every string of a JSON text without building a tree. It
// is lenient: at the first syntax error it stops and keeps what it has.
type jsonWalker struct {
	s      string
	i      int
	fields []Field
	output bool
	kind   Kind // forces the kind of every string, for annotations
	forced bool
	rest   strings.Builder // texts beyond maxFields, one a line
	deep   bool            // nested deeper than maxDepth
	// path follows the current value, if a place is looked for. A scan looks for
	// none until it has found something.
	path *path
}

// maxFields bounds the fields of a tool, each of which takes hundreds of bytes
// however short it is. The texts beyond are read as one field. Real tools have
// fewer than a thousand.
const maxFields = 20_000

// keep appends a field.
func (w *jsonWalker) keep(f Field) {
	if len(w.fields) < maxFields {
		w.path.kept(len(w.fields))
		w.fields = append(w.fields, f)
		return
	}
	w.rest.WriteString(f.Text)
	w.rest.WriteByte('\n')
}

// all returns the fields.
func (w *jsonWalker) all() []Field {
	if text := w.rest.String(); text != "" {
		kind := KindOther
		if w.forced {
			kind = w.kind
		}
		w.fields = append(w.fields, Field{Kind: kind, Output: w.output, Text: text, Plain: char.PlainASCII(text)})
	}
	return w.fields
}

// part is one of the JSON texts of a definition.
type part struct {
	name   string // of the member of the definition, as in MCP; "" for the definition itself
	raw    []byte
	kind   Kind // of every string, if forced
	forced bool
	output bool
	role   role
}

// partsOf lists the JSON texts of a definition.
func partsOf(t *Definition) [4]part {
	input := part{name: "inputSchema", raw: t.InputSchema}
	if t.Subject == Prompt {
		input.name, input.role = "arguments", role{arguments: true}
	}
	return [...]part{
		input,
		{name: "outputSchema", raw: t.OutputSchema, output: true},
		{name: "annotations", raw: t.Annotations, kind: KindAnnotation, forced: true},
		{raw: t.Extra, kind: KindExtra, forced: true},
	}
}

// walk appends the strings of a part to fields.
func (v *View) walk(fields []Field, p part) []Field {
	w := jsonWalker{s: string(p.raw), fields: fields, output: p.output, kind: p.kind, forced: p.forced}
	w.value(p.role, 0)
	if w.deep {
		v.unread("JSON that is nested deeper than " + strconv.Itoa(maxDepth) + " levels")
	}
	return w.all()
}

// unread records that text was not read. An author could hide an attack behind any
// bound, so that none may be passed over in silence.
func (v *View) unread(what string) {
	if !slices.Contains(v.Unread, what) {
		v.Unread = append(v.Unread, what)
	}
}

// role is the meaning of a value, given the keys that lead to it.
type role struct {
	kind       Kind
	param      string
	known      bool // kind was set by a keyword
	properties bool // the keys of this object are property names
	arguments  bool // the arguments of a prompt, or one of them
	skip       bool // machine-readable: types, formats, references
}

// keywordRole returns the role of the value of a schema keyword.
func keywordRole(key string, param string) role {
	switch key {
	case "description":
		return role{kind: KindParamDescription, param: param, known: true}
	case "title":
		return role{kind: KindTitle, param: param, known: true}
	case "enum", "const":
		return role{kind: KindEnum, param: param, known: true}
	case "default":
		return role{kind: KindDefault, param: param, known: true}
	case "example", "examples":
		return role{kind: KindExample, param: param, known: true}
	case "pattern", "patternProperties":
		return role{kind: KindPattern, param: param, known: true}
	case "$comment":
		return role{kind: KindComment, param: param, known: true}
	case "properties", "$defs", "definitions", "dependentSchemas":
		return role{param: param, properties: true}
	case "type", "$ref", "$schema", "$id", "required", "additionalProperties":
		return role{param: param, skip: true}
	case "format":
		return role{param: param, skip: true}
	case "items", "prefixItems", "anyOf", "oneOf", "allOf", "not", "if", "then", "else",
		"contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		return role{param: param}
	}

	return role{kind: KindOther, param: param, known: true}
}

// argumentRole returns the role of a member of an argument of a prompt. A client
// shows the argument as a parameter.
func argumentRole(key, param string) role {
	if key == "name" {
		return role{kind: KindParamName, known: true}
	}
	return keywordRole(key, param)
}

// space skips white space.
func (w *jsonWalker) space() {
	if w.i < len(w.s) && w.s[w.i] <= ' ' {
		w.spaces()
	}
}

func (w *jsonWalker) spaces() {
	s, i := w.s, w.i+1
	for i < len(s) && s[i] <= ' ' {
		i++
	}
	w.i = i
}

// value reads one value and reports whether to continue.
func (w *jsonWalker) value(r role, depth int) bool {
	w.space()
	if w.i >= len(w.s) {
		return false
	}

	if depth > maxDepth {
		w.deep = true
		return w.skip()
	}

	switch w.s[w.i] {
	case '{':
		return w.object(r, depth)
	case '[':
		return w.array(r, depth)
	case '"':
		text, plain, ok := w.str()
		if text != "" && !(r.skip && machineWord(text)) && !(w.forced && picture(text)) {
			w.add(r, text, plain)
		}

		return ok
	}

	start := w.i
	for w.i < len(w.s) && w.s[w.i] != ',' && w.s[w.i] != '}' && w.s[w.i] != ']' && w.s[w.i] > ' ' {
		w.i++
	}

	return w.i > start
}

// skip passes over one value, and reports whether to continue.
func (w *jsonWalker) skip() bool {
	open := 0
	for w.i < len(w.s) {
		switch w.s[w.i] {
		case '{', '[':
			open++
			w.i++
		case '}', ']':
			if open == 0 {
				return true
			}

			open--
			w.i++
		case '"':
			if _, _, ok := w.str(); !ok {
				return false
			}
		case ',':
			if open == 0 {
				return true
			}

			w.i++
			continue
		default:
			w.i++
			continue
		}

		if open == 0 {
			return true
		}
	}

	return false
}

func (w *jsonWalker) add(r role, text string, plain bool) {
	kind := r.kind
	switch {
	case w.forced:
		kind = w.kind
	case !r.known:
		kind = KindOther
	}
	w.keep(Field{Kind: kind, Output: w.output, Param: r.param, Text: text, Plain: plain})
}

func (w *jsonWalker) object(r role, depth int) bool {
	w.i++
	for first := true; ; first = false {
		w.space()
		if w.i >= len(w.s) {
			return false
		}

		if w.s[w.i] == '}' {
			w.i++
			return true
		}

		if !first {
			if w.s[w.i] != ',' {
				return false
			}

			w.i++
			w.space()
		}

		if w.i >= len(w.s) || w.s[w.i] != '"' {
			return false
		}

		key, plain, ok := w.str()
		if !ok {
			return false
		}

		w.space()
		if w.i >= len(w.s) || w.s[w.i] != ':' {
			return false
		}

		w.i++
		w.path.enter(key)
		if !w.value(w.member(r, key, plain), depth+1) {
			return false
		}

		w.path.leave()
	}
}

// member returns the role of the value under key, and records the key itself if
// the server chose it and it is not a keyword.
func (w *jsonWalker) member(r role, key string, plain bool) role {
	switch {
	case w.forced:
		if !machineWord(key) {
			w.keep(Field{Kind: w.kind, Output: w.output, Text: key, Plain: plain})
		}

		return r
	case r.arguments:
		return argumentRole(key, r.param)
	case r.properties:
		w.keep(Field{Kind: KindParamName, Output: w.output, Param: key, Text: key, Plain: plain})
		return role{param: key}
	case r.known:
		// Inside a default, an example or an extension: free-form data.
		if !machineWord(key) {
			w.keep(Field{Kind: r.kind, Output: w.output, Param: r.param, Text: key, Plain: plain})
		}

		return r
	}

	next := keywordRole(key, r.param)
	if next.kind == KindOther && next.known && !machineWord(key) {
		w.keep(Field{Kind: KindOther, Output: w.output, Param: r.param, Text: key, Plain: plain})
	}

	if key == "patternProperties" {
		return role{param: r.param, properties: true}
	}

	return next
}

func (w *jsonWalker) array(r role, depth int) bool {
	w.i++
	for n := 0; ; n++ {
		w.space()
		if w.i >= len(w.s) {
			return false
		}

		if w.s[w.i] == ']' {
			w.i++
			return true
		}

		if n > 0 {
			if w.s[w.i] != ',' {
				return false
			}

			w.i++
		}

		w.path.element(n)
		if !w.value(r, depth+1) {
			return false
		}

		w.path.leave()
	}
}

// picture reports whether a text is the data of a picture in which no text is
// written, as icons have. The declared type is the word of the server: the data decide.
func picture(s string) bool {
	if !strings.HasPrefix(s, "data:image/") {
		return false
	}
	kind, data, ok := strings.Cut(s[len("data:image/"):], ";base64,")
	switch kind {
	case "png", "jpeg", "jpg", "gif", "webp", "avif", "x-icon", "vnd.microsoft.icon":
		return ok && onlyBase64(data) && pictureData(data)
	}
	return false
}

// pictureStarts are the first bytes of pictures; a dot stands for any byte.
var pictureStarts = [...]string{
	"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "RIFF....WEBP", "\x00\x00\x01\x00", "....ftypavif",
	"....ftypavis",
}

// pictureData reports whether text in base64 begins like a picture.
func pictureData(data string) bool {
	const longest = 16 // of the starts, in base64
	start, err := base64.StdEncoding.DecodeString(data[:min(len(data)&^3, longest)])
	return err == nil && slices.ContainsFunc(pictureStarts[:], func(want string) bool {
		if len(start) < len(want) {
			return false
		}

		for i := range want {
			if want[i] != '.' && want[i] != start[i] {
				return false
			}
		}

		return true
	})
}

func onlyBase64(s string) bool {
	for i := 0; i < len(s); i++ {
		if !char.Base64[s[i]] {
			return false
		}
	}
	return true
}

// machineWord reports whether text is one plain identifier, as types, formats
// and extension keys are. Longer text may be prose.
func machineWord(s string) bool {
	if len(s) > 48 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !machineSet[s[i]] {
			return false
		}
	}
	return true
}

// machineSet are the characters of identifiers.
var machineSet = char.SetOf(char.AlphaNumeric + "_-.$/#:")

// literalSet are the characters that represent themselves in a string literal
// and in plain text.
var literalSet = func() char.ByteSet {
	t := char.VisibleASCII
	t[' '], t['"'], t['\\'] = true, false, false
	return t
}()

// str reads a string literal. Without escapes it is a slice of the source.
// plain is the result of char.PlainASCII.
func (w *jsonWalker) str() (text string, plain, ok bool) {
	s, i := w.s, w.i+1
	start := i
	for i < len(s) && literalSet[s[i]] {
		i++
	}

	if i < len(s) && s[i] == '"' {
		w.i = i + 1
		return s[start:i], true, true
	}

	for i < len(s) && s[i] != '"' && s[i] != '\\' {
		i++
	}

	switch w.i = i; {
	case i == len(s):
		text = s[start:]
	case s[i] == '"':
		w.i = i + 1
		text, ok = s[start:i], true
	default:
		text, ok = w.escaped(start)
	}

	return text, char.PlainASCII(text), ok
}

// escaped continues with a string whose first escape is at w.i.
func (w *jsonWalker) escaped(start int) (string, bool) {
	buf := make([]byte, 0, 2*(w.i-start)+32)
	buf = append(buf, w.s[start:w.i]...)
	for w.i < len(w.s) {
		c := w.s[w.i]
		w.i++
		switch {
		case c == '"':
			return string(buf), true
		case c != '\\':
			buf = append(buf, c)
		case w.i >= len(w.s):
			return string(buf), false
		default:
			c = w.s[w.i]
			w.i++
			switch c {
			case 'n':
				buf = append(buf, '\n')
			case 't':
				buf = append(buf, '\t')
			case 'r':
				buf = append(buf, '\r')
			case 'b':
				buf = append(buf, '\b')
			case 'f':
				buf = append(buf, '\f')
			case 'u':
				buf = utf8.AppendRune(buf, w.unicodeEscape())
			default:
				buf = append(buf, c)
			}
		}
	}

	return string(buf), false
}

// unicodeEscape reads the digits after \u, and a second escape if the two form
// a surrogate pair.
func (w *jsonWalker) unicodeEscape() rune {
	r := w.hex4()
	if utf16.IsSurrogate(r) && w.i+1 < len(w.s) && w.s[w.i] == '\\' && w.s[w.i+1] == 'u' {
		back := w.i
		w.i += 2
		if pair := utf16.DecodeRune(r, w.hex4()); pair != utf8.RuneError {
			return pair
		}
		w.i = back
	}
	return r
}

func (w *jsonWalker) hex4() rune {
	if w.i+4 > len(w.s) {
		w.i = len(w.s)
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(w.s[w.i:w.i+4], 16, 32)
	w.i += 4
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
