// Package decode finds text hidden in an encoding, a cipher, a spelling or
// look-alikes, and returns it in plain letters.
//
// Each decoder first does a cheap test of the text, which most texts fail for
// all decoders. Checks decide whether the decoded text is harmful: no decoder
// looks at meanings. The package handles one text at a time and knows no tools.
package decode
