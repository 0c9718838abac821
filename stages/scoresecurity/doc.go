// Package scoresecurity is the stage that sends every entry of the security
// corpus to one detector and counts the verdicts. A detector is a process in any
// language that implements the protocol of contracts.DetectorRequest. The
// built-in detectors are in package detectors and run in the same way as
// external ones.
//
// No detection logic belongs in this package, and nothing that a detector
// receives reveals the expected verdict.
package scoresecurity
