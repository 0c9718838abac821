// Package fitness scores sets of tool descriptions against a golden set, for
// people and programs that improve descriptions.
//
// It ranks as the reference proxy does, in process and without an index for
// every candidate: proxy.Variants computes the scores of BM25 from counts of
// terms. The statistics of BM25 depend on all descriptions, so a change of one
// description changes the scores of the others; Variants recomputes them. What
// does not change is computed once: the terms of the queries and of every
// description that was seen before, and the scanner's findings.
//
// The golden set is never changed. A seed splits it in two halves. An optimiser
// sees figures and feedback only for the train half; the held-out half shows
// what the new descriptions are worth on queries that they were not fitted to.
package fitness
