// Package validation checks datasets before anything is scored: it refuses
// dangling labels, queries that name their tool, attacks without a source, and
// frozen versions that changed. It reports every problem of every file at once.
package validation
