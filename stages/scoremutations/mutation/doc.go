// Package mutation rewrites entries of a security corpus in ways that leave
// their meaning alone, so that a detector can be asked whether it knew the
// meaning or only the wording. It works on attacks and innocents alike and
// never looks at a label: what is done to the one is done to the other.
//
// An operator rewrites the passage of an entry: the description after its
// first sentence, or, where the description has one sentence only, the longest
// text of its schemas. Nothing else of the entry is taken away.
//
// Operators that the authors of detectors may use stand in files of their
// family. Those that are held out stand in files behind the build tag heldout,
// so that a normal build can neither run nor name them.
package mutation
