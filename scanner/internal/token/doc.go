// Package token cuts a text into words and sentences, with what the lexicon knows
// of each word, and reads the mood of verbs: order, duty, description.
//
// It makes one pass over a text and counts, on the way, what tells decoders whether
// they are worth trying. It knows one text at a time and no tools.
package token
