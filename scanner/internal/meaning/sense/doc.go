// Package sense names a second, finer set of meanings in addition to package
// concept.
//
// Only the names are here. The word lists of scanner/training map words to
// senses. The package imports nothing.
package sense
