// Package frames finds patterns of sentences in attacks: who is addressed, what
// is demanded from whom, about what, and at whose cost.
//
// Frames consist of grammar and meaning; no frame matches known payloads. Each
// finds at most a few hits a sentence, with a weight. The thresholds between a
// hint and a finding, and the signals, belong in package check.
package frames
