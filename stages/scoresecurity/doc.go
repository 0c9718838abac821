// Package scoresecurity is the stage that shows every entry of the security
// corpus to one detector and counts what it says. A detector is a process that
// speaks the protocol of contracts.DetectorRequest, in any language; ours are
// in the package detectors and are run in the same way as anybody else's.
//
// Nothing in here knows how to detect anything, and nothing that a detector is
// shown tells it what the right answer is.
package scoresecurity
