package tool

import (
	"encoding/json"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Kind says where a piece of text stands in a tool definition. The
// order is that of reading, which is also the order of reporting.
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
	// KindJoined is several short strings of a schema read in sequence.
	KindJoined
)

var KindNames = [...]string{
	"name", "description", "parameter name", "title", "parameter description",
	"enum value", "default", "example", "pattern", "comment", "schema text",
	"annotation", "schema texts in sequence",
}

func (k Kind) String() string { return KindNames[k] }

// Field is one piece of text of a tool. param is the property that it belongs
// to, if any. layer names the decodings that led to it, outermost first, and
// is empty for text that stands there as it is.
type Field struct {
	Kind   Kind
	Output bool
	Param  string
	Text   string
	Layer  string
	Plain  bool // only printable ASCII and white space
}

// Where describes the field for a person.
func (f *Field) Where() string {
	s := f.Kind.String()
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

// Definition is a tool as its server lists it. The raw messages may be empty;
// what is not JSON yields no text.
type Definition struct {
	Server       string
	Name         string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  json.RawMessage
}

// View is one tool with all that is derived from its text. Everything derived
// is computed once, when it is first asked for. The zero view is an empty tool.
// Load points a view at another tool and keeps its buffers, so that a scan
// allocates next to nothing per tool.
type View struct {
	Definition

	Fields     []Field
	fieldsDone bool

	Docs     []token.Doc
	docsDone bool
	Tokens   []token.Token
	Clauses  []token.Sentence

	// otherLanguage is what foreign reports.
	otherLanguage, languageDone bool

	// about is what purpose returns.
	about     concept.Set
	aboutDone bool

	// shape and required are what shapes returns.
	shape    map[string]ParamShape
	required map[string]bool

	tokenizer token.Tokenizer
	fold      []byte // of lower
}

// Load points the view at a tool.
func (v *View) Load(t *Definition) {
	v.tokenizer.Forget()
	*v = View{
		Definition: *t,
		Fields:     v.Fields[:0], Docs: v.Docs[:0], Tokens: v.Tokens[:0], Clauses: v.Clauses[:0],
		tokenizer: v.tokenizer, fold: v.fold,
	}
}

// NormalizedText returns all text of the tool, normalised and in lower case: one
// field a line.
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

// AllFields takes the tool apart.
func (v *View) AllFields() []Field {
	if v.fieldsDone {
		return v.Fields
	}
	v.Fields = v.Fields[:0]
	add := func(f Field) {
		if f.Text != "" {
			v.Fields = append(v.Fields, f)
		}
	}
	add(Field{Kind: KindName, Text: v.Name, Plain: char.PlainASCII(v.Name)})
	add(Field{Kind: KindDescription, Text: v.Description, Plain: char.PlainASCII(v.Description)})
	v.Fields = walkSchema(v.Fields, v.InputSchema, false)
	v.Fields = walkSchema(v.Fields, v.OutputSchema, true)
	v.Fields = walkAnnotations(v.Fields, v.Annotations)
	v.fieldsDone = true
	return v.Fields
}

// maxLowered bounds what lower gives, in bytes. No word that is asked for is as
// long, and a text may be one word of ten megabytes.
const maxLowered = 64

// Lower returns a token's text in lower case, valid until the next call.
func (v *View) Lower(d *token.Doc, t token.Token) []byte {
	v.fold = char.LowerASCII(v.fold, d.Text[t.Start:min(t.End, t.Start+maxLowered)])
	return v.fold
}

// Classified reports whether the classifier judges the sentences of a field. It
// has been trained on prose, and on values that a model is shown.
func (f *Field) Classified() bool {
	switch f.Kind {
	case KindDescription, KindTitle, KindParamDescription, KindEnum, KindDefault, KindExample, KindComment, KindOther, KindJoined:
		return true
	}
	return false
}
