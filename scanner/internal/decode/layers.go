package decode

import "strings"

// Deliberate reports whether somebody must have applied a layer on purpose,
// unlike percent signs and entities, which software inserts.
func Deliberate(layer string) bool {
	switch layer {
	case "percent encoding", "HTML entities", "escapes", "leetspeak", FieldsInSequence, "spaced letters",
		"letters in any case", "letters that look alike":
		return false
	}
	return true
}

// Respells reports whether a layer is the whole text with corrected spelling. A
// model reads it that way, so text that the misspelling hides, such as an order
// or its quotation marks, is judged only in this layer.
func Respells(layer string) bool {
	if at := strings.LastIndex(layer, Nested); at >= 0 {
		layer = layer[at+len(Nested):]
	}
	switch layer {
	case "leetspeak", "spaced letters", "letters in any case", "letters that look alike":
		return true
	}
	return false
}

// OnlyInSequence reports whether the layers only joined pieces and decoded
// nothing.
func OnlyInSequence(layer string) bool { return layer == FieldsInSequence }

// FieldsInSequence is the layer of pieces that were only joined.
const FieldsInSequence = "fields in sequence"

// Nested separates the names of layers.
const Nested = " > "
