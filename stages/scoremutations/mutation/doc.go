// Package mutation rewrites entries of a security corpus without changing their
// meaning, to test whether a detector recognises the meaning or only the wording.
// It treats attacks and benign entries alike and never reads a label.
//
// An operator rewrites the passage of an entry: the description after its first
// sentence, or, if the description has only one sentence, the longest text of its
// schemas. It removes nothing else from the entry.
//
// Operators that may be used to develop detectors are in files named after their
// family. Held-out operators are in files with the build tag heldout, so that a
// normal build can neither run nor name them.
package mutation
