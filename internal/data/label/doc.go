// Package label is the page on which people judge the tools of a pool, and the
// server behind it. A judgement is on the disk before the page shows it as done.
//
//   - session.go holds the state: the pool, the judgements and how to undo them.
//   - journal.go writes each judgement to a file and reads them again.
//   - server.go offers the session over HTTP to the page in files/.
//
// The page loads nothing from other hosts. Every text reaches the document as a
// text node: the script never parses markup, and the policy forbids it.
package label
