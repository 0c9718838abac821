// Package validatedatasets is the stage that refuses data before anything is
// scored on it: dangling labels, queries that give the answer away, attacks
// without a source, frozen versions that changed. It reports every problem of
// every file at once, hands on byte-identical copies of what it accepts, and
// keeps the lock file that freezes versions.
package validatedatasets
