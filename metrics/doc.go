// Package metrics holds the figures of the evaluation as pure functions:
// ranking measures, detection measures, intervals and tests. It knows no file
// and no contract, and imports nothing of ours; the TREC file formats are in
// metrics/trec.
//
// Equal input gives equal bits on every machine: sums run from left to right,
// products that are summed are rounded first (so that no compiler fuses
// them), logarithms are our own, and all randomness comes from one generator
// with fixed seeds. Callers bring their data into a fixed order (by id) first.
//
// docs/reference/metrics.md gives each formula with its source.
package metrics
