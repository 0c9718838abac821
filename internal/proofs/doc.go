// Package proofs holds tests that run whole pipelines through the real program
// on copies of the project's data: what a gate notices, what it survives, and
// what it says. It has no code of its own. Tests of single verbs are scripts
// in cmd/touchstone/testdata.
package proofs
