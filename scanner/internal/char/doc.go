// Package char works on characters: normalisation (NFKC, invisible characters,
// look-alikes), scripts, sets of bytes, the visual appearance of names, and
// printable excerpts.
//
// It has no words or meanings: code that needs the lexicon, a token or a tool
// belongs in a package above it. It imports no other package of the scanner.
package char
