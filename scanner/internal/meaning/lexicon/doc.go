// Package lexicon looks up words: their concepts, senses, forms, powers and
// spelling, in English and in other languages.
//
// It embeds lexicon.bin, which scanner/training packs from the
// word lists. The lists themselves do not belong here. The package handles
// single words and phrases only.
package lexicon
