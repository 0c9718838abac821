// Package char works on characters: normalisation (NFKC, invisible characters,
// look-alikes), scripts, sets of bytes, what names look like in print, and
// printable excerpts.
//
// It knows no words and no meanings: what needs the lexicon, a token or a tool
// belongs in a room above. It imports no other room of the scanner.
package char
