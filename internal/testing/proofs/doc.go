// Package proofs contains tests that run whole pipelines with the real program on
// copies of the project's data. They test which changes the gate detects, which
// damage it survives, and its messages. The package has no other code. Tests of
// single verbs are scripts in cmd/touchstone/testdata.
package proofs
