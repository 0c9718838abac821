// Package validatedatasets is the stage that checks data before anything is
// scored: it refuses dangling labels, queries that name their tool, attacks
// without a source, and frozen versions that changed. It reports every problem of
// every file at once, writes byte-identical copies of the files that it accepts,
// and maintains the lock file that freezes versions.
package validatedatasets
