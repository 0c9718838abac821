// Package concept names the meanings of words that orders to a model are made
// of: negation, telling, the user, a secret, sending. The set is the same for
// all languages.
//
// Only the names are here. The word lists of scanner/training map words to
// concepts, and others interpret the concepts of a sentence. The package
// imports nothing.
package concept
