// Package frames finds the shapes that sentences of attacks have: who is addressed,
// what is demanded of whom, about what, at whose cost.
//
// Frames are grammar and meaning; no frame knows a payload by heart. Each finds at
// most a few hits a sentence, with a weight. Thresholds between a hint and a finding,
// and signals, belong in check.
package frames
