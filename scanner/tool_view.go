package scanner

import (
	"encoding/json"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// fieldKind says where a piece of text stands in a tool definition. The
// order is that of reading, which is also the order of reporting.
type fieldKind uint8

const (
	kindName fieldKind = iota
	kindDescription
	kindParamName
	kindTitle
	kindParamDescription
	kindEnum
	kindDefault
	kindExample
	kindPattern
	kindComment
	kindOther
	kindAnnotation
	// kindJoined is several short strings of a schema read in sequence.
	kindJoined
)

var kindNames = [...]string{
	"name", "description", "parameter name", "title", "parameter description",
	"enum value", "default", "example", "pattern", "comment", "schema text",
	"annotation", "schema texts in sequence",
}

func (k fieldKind) String() string { return kindNames[k] }

// field is one piece of text of a tool. param is the property that it belongs
// to, if any. layer names the decodings that led to it, outermost first, and
// is empty for text that stands there as it is.
type field struct {
	kind   fieldKind
	output bool
	param  string
	text   string
	layer  string
	plain  bool // only printable ASCII and white space
}

// where describes the field for a person.
func (f *field) where() string {
	s := f.kind.String()
	if f.param != "" && f.kind != kindParamName {
		s += " of " + f.param
	}
	if f.output {
		s = "output " + s
	}
	if f.layer != "" {
		s += ", decoded from " + f.layer
	}
	return s
}

// definition is a tool as its server lists it. The raw messages may be empty;
// what is not JSON yields no text.
type definition struct {
	Server       string
	Name         string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  json.RawMessage
}

// view is one tool with all that is derived from its text. Everything derived
// is computed once, when it is first asked for. The zero view is an empty tool.
// Load points a view at another tool and keeps its buffers, so that a scan
// allocates next to nothing per tool.
type view struct {
	definition

	fields     []field
	fieldsDone bool

	docs     []token.Doc
	docsDone bool
	tokens   []token.Token
	clauses  []token.Sentence

	// otherLanguage is what foreign reports.
	otherLanguage, languageDone bool

	// about is what purpose returns.
	about     concept.Set
	aboutDone bool

	// shape and required are what shapes returns.
	shape    map[string]paramShape
	required map[string]bool

	tokenizer token.Tokenizer
	fold      []byte // of lower
}

// load points the view at a tool.
func (v *view) load(t *definition) {
	v.tokenizer.Forget()
	*v = view{
		definition: *t,
		fields:     v.fields[:0], docs: v.docs[:0], tokens: v.tokens[:0], clauses: v.clauses[:0],
		tokenizer: v.tokenizer, fold: v.fold,
	}
}

// normalizedText returns all text of the tool, normalised and in lower case: one
// field a line.
func (v *view) normalizedText() string {
	var b strings.Builder
	for i := range v.allFields() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.ToLower(char.Normalize(v.fields[i].text)))
	}
	return b.String()
}

// allFields takes the tool apart.
func (v *view) allFields() []field {
	if v.fieldsDone {
		return v.fields
	}
	v.fields = v.fields[:0]
	add := func(f field) {
		if f.text != "" {
			v.fields = append(v.fields, f)
		}
	}
	add(field{kind: kindName, text: v.Name, plain: char.PlainASCII(v.Name)})
	add(field{kind: kindDescription, text: v.Description, plain: char.PlainASCII(v.Description)})
	v.fields = walkSchema(v.fields, v.InputSchema, false)
	v.fields = walkSchema(v.fields, v.OutputSchema, true)
	v.fields = walkAnnotations(v.fields, v.Annotations)
	v.fieldsDone = true
	return v.fields
}

// maxLowered bounds what lower gives, in bytes. No word that is asked for is as
// long, and a text may be one word of ten megabytes.
const maxLowered = 64

// lower gives a token's text in lower case, valid until the next call.
func (v *view) lower(d *token.Doc, t token.Token) []byte {
	v.fold = char.LowerASCII(v.fold, d.Text[t.Start:min(t.End, t.Start+maxLowered)])
	return v.fold
}

// classified says whether the classifier judges the sentences of a field. It
// has been trained on prose, and on values that a model is shown.
func (f *field) classified() bool {
	switch f.kind {
	case kindDescription, kindTitle, kindParamDescription, kindEnum, kindDefault, kindExample, kindComment, kindOther, kindJoined:
		return true
	}
	return false
}
