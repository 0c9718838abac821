// Package lexicon looks words up: their concepts, senses, forms, powers and
// spelling, in English and in other languages.
//
// It carries lexicon.bin and spelling.bin, which scanner/training packs from the
// word lists; the lists themselves may not come in. The package knows no text that
// is longer than a word or a phrase.
package lexicon
