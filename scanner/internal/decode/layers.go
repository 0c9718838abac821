package decode

import "strings"

// Deliberate reports whether a layer is one that text does not get by itself, as
// it gets percent signs and entities.
func Deliberate(layer string) bool {
	switch layer {
	case "link titles", "percent encoding", "HTML entities", "escapes", "leetspeak", FieldsInSequence, ValuesInSequence, ToolsInSequence, "spaced letters", "letters in any case", "misspelled words", "joined words", "words in reverse order", "letters that look alike":
		return false
	}
	return true
}

// Respells reports whether a layer is the whole text once more, only spelled as
// people spell. A model reads it that way, so that what the slips hide of the
// text, an order or the quotation marks of one, is judged there alone.
func Respells(layer string) bool {
	if at := strings.LastIndex(layer, Nested); at >= 0 {
		layer = layer[at+len(Nested):]
	}
	switch layer {
	case "leetspeak", "spaced letters", "letters in any case", "misspelled words", "joined words", "letters that look alike":
		return true
	}
	return false
}

// OnlyInSequence reports whether nothing was decoded but pieces put in sequence.
func OnlyInSequence(layer string) bool {
	return layer == FieldsInSequence || layer == ValuesInSequence || layer == ToolsInSequence
}

var escapePrefix = map[string]string{"percent encoding": "%", "escapes": "\\u", "HTML entities": "&#"}

// Layers of texts that were only put in sequence.
const (
	FieldsInSequence = "fields in sequence"
	ValuesInSequence = "values in sequence"
)

// lettersAs goes before the name of an encoding that text gets by itself, when
// here it spells out plain letters.
const lettersAs = "letters as "

// Nested stands between the names of layers.
const Nested = " > "

// ToolsInSequence is the layer of a text that goes on in another tool.
const ToolsInSequence = "tools in sequence"
