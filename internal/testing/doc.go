// Package testing is the room of what only tests and releases use. Nothing that a user runs
// imports it.
//
//   - program builds a program once for all tests of a package, level leaves out the longest
//     tests, load stretches timeouts on a busy machine, and browser drives Chromium
//   - proofs runs whole pipelines, and docstable compares tables of pages with the code
//   - release builds releases, and checks licenses and other systems
//
// Start with proofs.
package testing
