// Package similarity finds tools that a model may confuse: it compares tools
// pair by pair, groups those that are alike, and recommends how to tell them
// apart.
//
//   - tools.go is the input: tools without duplicates.
//   - vector.go, tfidf.go and parameters.go are the three measures, each in
//     [0, 1]: sentence vectors, words of the text, and names of parameters.
//   - matrix.go holds the result of a measure; analyze.go combines measures.
//   - cluster.go orders a matrix so that similar tools are neighbours.
//   - issues.go and recommend.go explain why a pair may be confused and what to
//     change.
//
// Every score is symmetric and does not depend on the order of the tools. The
// package has no state, reads no clock and contacts no service. The caller
// provides the Encoder.
package similarity
