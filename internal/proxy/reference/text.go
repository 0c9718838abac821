package reference

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// maxWord is the length in runes above which a run of letters and digits is encoded
// data rather than a word to search for.
const maxWord = 64

// words splits text into lower-case words. It splits names as written in programs:
// create_issue, createIssue, create-issue and HTTPServer give two words each. A name
// in camel case also gives the joined word, because GitHub is also written github.
// Scripts without spaces give overlapping pairs of characters.
//
// The index ranks by these words, so a change of them changes the figures of the
// reference proxy. internal/base/tokenize is simpler, and has no joined words and pairs.
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

// camelBreak reports whether a word starts at rs[i]: at aB, and before the last
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

// pairs returns the overlapping pairs of adjacent runes, or a single rune itself.
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

// maxSchemaDepth limits how deeply a schema is searched for words.
const maxSchemaDepth = 32

// SchemaText returns the words of an input schema: the names, titles and descriptions
// of parameters, and the values of enums. A schema that is not JSON has none.
func SchemaText(schema json.RawMessage) string {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return ""
	}
	var b strings.Builder
	addSchema(&b, v, maxSchemaDepth)
	return b.String()
}

// addSchema adds the words of v, a value where a schema is expected.
func addSchema(b *strings.Builder, v any, depth int) {
	if depth == 0 {
		return
	}

	switch v := v.(type) {
	case []any: // anyOf and similar
		for _, e := range v {
			addSchema(b, e, depth-1)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
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
				for _, name := range slices.Sorted(maps.Keys(members)) {
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
