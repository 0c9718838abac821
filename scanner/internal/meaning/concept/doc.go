// Package concept names the meanings by which frames recognise orders:
// negation, telling, the user, a secret, sending. The set is the same for all
// languages.
//
// Only the names are here. The word lists of scanner/training map words to
// concepts, and frames interpret the concepts of a sentence. The package
// imports nothing.
package concept
