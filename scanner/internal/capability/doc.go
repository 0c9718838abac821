// Package capability compares what a tool claims to do with what it takes: its
// name, description and annotations with the powers of its parameters.
//
// It reports the weight of a mismatch and the words that show it. Signals are made
// in check.
package capability
