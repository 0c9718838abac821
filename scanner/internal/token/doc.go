// Package token splits a text into words and sentences, looks up each word in
// the lexicon, and determines the mood of verbs: order, duty, description.
//
// It makes one pass over a text, and also counts what decides which decoders
// are worth trying. It handles one text at a time and knows no tools.
package token
