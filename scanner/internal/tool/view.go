package tool

import (
	"encoding/json"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Kind is the place of a text in a tool definition. The order is that of
// reading and of reporting.
type Kind uint8

const (
	KindName Kind = iota
	KindDescription
	KindParamName
	KindTitle
	KindParamDescription
	KindEnum
	KindDefault
	KindExample
	KindPattern
	KindComment
	KindOther
	KindAnnotation
	// KindJoined is several short strings of a schema, joined.
	KindJoined
	// KindExtra is a text of a member that MCP leaves to servers, such as _meta.
	// It is the last, because the weights of the classifier depend on the order.
	KindExtra
)

var KindNames = [...]string{
	"name", "description", "parameter name", "title", "parameter description",
	"enum value", "default", "example", "pattern", "comment", "schema text",
	"annotation", "schema texts in sequence", "further field",
}

func (k Kind) String() string { return KindNames[k] }

// Field is one piece of text of a tool. Param is its property, if any. Layer
// names the encodings that were decoded, outermost first, and is empty for
// original text.
type Field struct {
	Kind   Kind
	Output bool
	Plain  bool // only printable ASCII and white space
	// Origin is the index of the original field that this one is, or was decoded
	// from, or -1 if several were joined.
	Origin int32
	Param  string
	Text   string
	Layer  string
}

// Where describes a field for a person.
func (v *View) Where(f *Field) string {
	s := f.Kind.String()
	if f.Kind == KindDescription && v.Subject == Instructions {
		s = Instructions
	}

	if f.Param != "" && f.Kind != KindParamName {
		s += " of " + f.Param
	}

	if f.Output {
		s = "output " + s
	}

	if f.Layer != "" {
		s += ", decoded from " + f.Layer
	}

	return s
}

// Definition is a tool as its server lists it, or something else that a server
// tells models: Subject says what. The raw messages may be empty. Text that is
// not JSON is ignored.
type Definition struct {
	Server       string
	Name         string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  json.RawMessage
	Subject      string // "" for a tool
	Title        string
	Extra        json.RawMessage
}

// Subjects of definitions that are not tools.
const (
	Instructions     = "instructions"
	Prompt           = "prompt"
	Resource         = "resource"
	ResourceTemplate = "resource_template"
)

// View is one tool with everything derived from its text. Derived values are
// computed once, on first use. The zero view is an empty tool. Load points a
// view at another tool and keeps its buffers, so that a scan allocates next to
// nothing per tool.
type View struct {
	Definition

	Fields     []Field
	fieldsDone bool

	Docs     []token.Doc
	docsDone bool
	Tokens   []token.Token
	Clauses  []token.Sentence

	// otherLanguage caches the result of Foreign.
	otherLanguage, languageDone bool

	// about caches the result of Purpose.
	about     concept.Set
	aboutDone bool

	// Unread says which text was not read, because a bound was reached.
	Unread []string

	// shape caches the result of Shapes.
	shape map[string]ParamShape

	tokenizer token.Tokenizer
	fold      []byte // buffer of Lower

	// without are the decoders that are not tried.
	without decode.Set
}

// Without sets the decoders that are not tried, also for the tools that are
// loaded later.
func (v *View) Without(decoders decode.Set) { v.without = decoders }

// Load points the view at a tool.
func (v *View) Load(t *Definition) {
	v.tokenizer.Forget()
	*v = View{
		Definition: *t,
		Fields:     v.Fields[:0], Docs: v.Docs[:0], Tokens: v.Tokens[:0], Clauses: v.Clauses[:0],
		tokenizer: v.tokenizer, fold: v.fold, without: v.without,
	}
}

// NormalizedText returns all text of the tool, normalised and in lower case,
// one field a line.
func (v *View) NormalizedText() string {
	var b strings.Builder
	for i := range v.AllFields() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.ToLower(char.Normalize(v.Fields[i].Text)))
	}
	return b.String()
}

// AllFields splits the tool into fields.
func (v *View) AllFields() []Field {
	if v.fieldsDone {
		return v.Fields
	}

	v.Fields = v.Fields[:0]
	add := func(kind Kind, text string) {
		if text != "" {
			v.Fields = append(v.Fields, Field{Kind: kind, Text: text, Plain: char.PlainASCII(text)})
		}
	}
	add(KindName, v.Name)
	add(KindDescription, v.Description)
	add(KindTitle, v.Title)
	for _, p := range partsOf(&v.Definition) {
		if len(p.raw) > 0 {
			v.Fields = v.walk(v.Fields, p)
		}
	}

	for i := range v.Fields {
		v.Fields[i].Origin = int32(i)
	}

	v.fieldsDone = true
	return v.Fields
}

// maxLowered bounds the result of Lower, in bytes. No word that is looked for
// is as long, but a text may be one word of ten megabytes.
const maxLowered = 64

// Lower returns a token's text in lower case, valid until the next call.
func (v *View) Lower(d *token.Doc, t token.Token) []byte {
	v.fold = char.LowerASCII(v.fold, d.Text[t.Start:min(t.End, t.Start+maxLowered)])
	return v.fold
}

// Classified reports whether the classifier judges the sentences of a field: prose,
// and values that a model sees.
func (f *Field) Classified() bool {
	switch f.Kind {
	case KindDescription, KindTitle, KindParamDescription, KindEnum, KindDefault, KindExample, KindComment, KindOther,
		KindAnnotation, KindJoined, KindExtra:
		return true
	}
	return false
}
