package scanner

import (
	"encoding/json"
	"strings"
	"sync"
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

// ToolView is one tool as checks see it. Everything derived is computed once,
// when first asked for. An empty view is valid and yields nothing.
type ToolView struct {
	Server       string
	Name         string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  json.RawMessage

	fields     []field
	fieldsDone bool

	docs     []doc
	docsDone bool
	tokens   []token
	clauses  []sentence

	hits     []hit
	hitsDone bool
	sums     tally
	tallied  bool

	// otherLanguage is what foreign says.
	otherLanguage, languageDone bool

	// about is what purpose read.
	about     concept
	aboutDone bool

	// shape and required are what shapes read.
	shape    map[string]paramShape
	required map[string]bool

	// nameStems are the words of the name, stemmed.
	nameStems []uint32

	ws *workspace
}

// NormalizedText is all text of the tool, normalised: compatibility forms
// folded, invisible characters dropped, lower case; one field a line.
func (v *ToolView) NormalizedText() string {
	var b strings.Builder
	for i := range v.allFields() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.ToLower(normalize(v.fields[i].text)))
	}
	return b.String()
}

// workspace holds the buffers of one worker, reused from tool to tool so that
// a scan allocates next to nothing per tool.
type workspace struct {
	view      ToolView
	tokenizer tokenizer
	fold      []byte
	// wordKeys are those of the sentence that frames look at; beyondASCII says
	// that some of its words begin with another letter.
	wordKeys    []uint8
	beyondASCII bool
	frame       frameContext
	features    sentenceFeatures
	stems       []uint32
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

func getWorkspace() *workspace   { return workspaces.Get().(*workspace) }
func putWorkspace(ws *workspace) { workspaces.Put(ws) }

// load points the workspace's view at a tool.
func (ws *workspace) load(t *Tool) *ToolView {
	v := &ws.view
	ws.tokenizer.marks = ws.tokenizer.marks[:0]
	*v = ToolView{
		Server: t.Server, Name: t.Name, Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Annotations: t.Annotations,
		fields: v.fields[:0], docs: v.docs[:0], tokens: v.tokens[:0], clauses: v.clauses[:0], hits: v.hits[:0], nameStems: v.nameStems[:0],
		ws: ws,
	}
	return v
}

// viewOf makes a view outside a scan's workspace.
func viewOf(t *Tool) *ToolView { return new(workspace).load(t) }

// allFields takes the tool apart.
func (v *ToolView) allFields() []field {
	if v.fieldsDone {
		return v.fields
	}
	v.fields = v.fields[:0]
	add := func(f field) {
		if f.text != "" {
			v.fields = append(v.fields, f)
		}
	}
	add(field{kind: kindName, text: v.Name, plain: plainASCII(v.Name)})
	add(field{kind: kindDescription, text: v.Description, plain: plainASCII(v.Description)})
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
func (v *ToolView) lower(d *doc, t token) []byte {
	v.ws.fold = lowerASCII(v.ws.fold, d.text[t.start:min(t.end, t.start+maxLowered)])
	return v.ws.fold
}
