package proxy

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/registry"
)

// toolText is the name under which the analyzer below is known to bleve.
const toolText = "tool-text"

func init() {
	err := registry.RegisterAnalyzer(toolText, func(_ map[string]any, cache *registry.Cache) (analysis.Analyzer, error) {
		stop, err := cache.TokenFilterNamed(en.StopName)
		if err != nil {
			return nil, err
		}
		stem, err := cache.TokenFilterNamed(en.SnowballStemmerName)
		if err != nil {
			return nil, err
		}
		return &analysis.DefaultAnalyzer{
			Tokenizer:    wordTokenizer{},
			TokenFilters: []analysis.TokenFilter{stop, requestFilter{}, stem},
		}, nil
	})
	if err != nil {
		panic(err) // two analyzers of one name: a mistake in this program
	}
}

// requestWords are the words with which people ask for anything at all. They
// say that something is wanted and not what, and are frequent in requests
// while rare in descriptions, so that their inverse document frequency would
// make them count for much.
var requestWords = wordSet(`
	please help want wants wanted need needs like would could can find give tell show
	look looking get make way using use let know should will also any some something
	hi hello hey thanks thank suggest recommend recommendation tool tools
	s t d m ve re ll`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// requestFilter drops requestWords. They are dropped from what is indexed
// too: a word that no query can hold only makes documents longer.
type requestFilter struct{}

func (requestFilter) Filter(in analysis.TokenStream) analysis.TokenStream {
	return slices.DeleteFunc(in, func(t *analysis.Token) bool { return requestWords[string(t.Term)] })
}

// wordTokenizer makes tokens of words. Offsets are not kept: nothing is
// highlighted.
type wordTokenizer struct{}

func (wordTokenizer) Tokenize(in []byte) analysis.TokenStream {
	list := words(string(in))
	stream := make(analysis.TokenStream, len(list))
	for i, w := range list {
		stream[i] = &analysis.Token{Term: []byte(w), Position: i + 1}
	}
	return stream
}

// maxWord is the length in runes above which a run of letters and digits is no
// word but encoded data, which nobody searches for.
const maxWord = 64

// words splits text into lower-case words. Names as programs write them are
// taken apart: create_issue, createIssue, create-issue and HTTPServer give two
// words each. A name in camel case gives the joined word as well, because
// GitHub is also written github. Scripts without spaces give overlapping pairs
// of characters.
func words(text string) []string {
	var out []string
	runs := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for _, run := range runs {
		rs := []rune(run)
		if slices.ContainsFunc(rs, spaceless) {
			out = append(out, pairs(rs)...)
			continue
		}
		if len(rs) > maxWord {
			continue
		}
		start, parts := 0, 0
		for i := 1; i <= len(rs); i++ {
			if i == len(rs) || camelBreak(rs, i) {
				out = append(out, strings.ToLower(string(rs[start:i])))
				start = i
				parts++
			}
		}
		if parts > 1 {
			out = append(out, strings.ToLower(run))
		}
	}
	return out
}

// camelBreak tells whether a word starts at rs[i]: at aB, and before the last
// capital of ABc.
func camelBreak(rs []rune, i int) bool {
	if !unicode.IsUpper(rs[i]) {
		return false
	}
	if !unicode.IsUpper(rs[i-1]) {
		return true
	}
	return i+1 < len(rs) && unicode.IsLower(rs[i+1])
}

func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// pairs gives the overlapping pairs of neighbours, and a lone rune as itself.
func pairs(rs []rune) []string {
	if len(rs) == 1 {
		return []string{string(rs)}
	}
	out := make([]string, 0, len(rs)-1)
	for i := range len(rs) - 1 {
		out = append(out, strings.ToLower(string(rs[i:i+2])))
	}
	return out
}

// maxSchemaDepth bounds how deep a schema is searched for words.
const maxSchemaDepth = 32

// schemaText gathers the words of an input schema: the names of parameters,
// their titles and descriptions, and the values that an enum allows. A schema
// that is not JSON has none.
func schemaText(schema json.RawMessage) string {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return ""
	}
	var b strings.Builder
	addSchema(&b, v, maxSchemaDepth)
	return b.String()
}

// addSchema walks v, which stands where a schema is expected.
func addSchema(b *strings.Builder, v any, depth int) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case []any: // anyOf and its kin
		for _, e := range v {
			addSchema(b, e, depth-1)
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			switch key {
			case "description", "title":
				if s, ok := v[key].(string); ok {
					addText(b, s)
				}
			case "enum":
				values, _ := v[key].([]any)
				for _, e := range values {
					if s, ok := e.(string); ok {
						addText(b, s)
					}
				}
			case "properties", "$defs", "definitions":
				members, _ := v[key].(map[string]any)
				for _, name := range sortedKeys(members) {
					if key == "properties" {
						addText(b, name)
					}
					addSchema(b, members[name], depth-1)
				}
			case "items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties":
				addSchema(b, v[key], depth-1)
			}
		}
	}
}

func addText(b *strings.Builder, s string) {
	b.WriteString(s)
	b.WriteByte('\n')
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
