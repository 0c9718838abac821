// Package metrics computes the figures of the evaluation with pure functions:
// ranking measures, detection measures, intervals and tests. It reads no files
// and imports no other package of Touchstone. The TREC file formats are in
// metrics/trec.
//
// Equal input gives equal bits on every machine. Sums run from left to right.
// Products are rounded before they are summed, so that no compiler fuses them.
// Logarithms are computed here, and all randomness comes from one generator
// with fixed seeds. Callers sort their data (by id) first.
//
// docs/reference/metrics.md gives each formula with its source.
package metrics
