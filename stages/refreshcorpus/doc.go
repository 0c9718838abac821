// Package refreshcorpus makes the next version of a corpus out of what real
// servers list today, and carries the labels of a golden set over to it.
//
//   - upstreams.go reads upstreams.hcl: which servers, in which versions.
//   - lock.go and install.go put the pinned packages into a private directory.
//   - list.go asks the servers, refresh.go writes; shrunken.go says what is missing.
//   - diff.go and similarity.go tell two corpora apart.
//   - migrate.go carries labels over and lists what a person has to look at.
//
// It is the only stage that reaches the world outside, so its output depends
// on more than its inputs: it is never cached and never part of a gate. It
// never overwrites either: frozen data does not change.
package refreshcorpus
