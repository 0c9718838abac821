// Package capability compares what a tool claims to do with what it can do: its
// name, description and annotations with the powers of its parameters.
//
// It reports the weight of a mismatch and the words that show it. Package check
// makes signals from these.
package capability
