// Package sense names a second, finer set of meanings, beside those of concept.
//
// Only the names live here. Which words carry a sense is in the word lists of
// scanner/training. The package imports nothing.
package sense
