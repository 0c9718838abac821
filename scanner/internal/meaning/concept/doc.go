// Package concept names the meanings by which frames tell orders apart: negation,
// telling, the user, a secret, sending. The set is the same for every language.
//
// Only the names live here. Which words carry a concept is in the word lists of
// scanner/training; what a sentence of concepts means is for frames. The package
// imports nothing.
package concept
