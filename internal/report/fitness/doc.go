// Package fitness scores sets of tool descriptions against a golden set, for
// people and programs that improve descriptions.
//
// By default it ranks as the reference proxy does, in process and without an index
// for every candidate: proxy.Variants computes the scores of BM25 from counts of
// terms. The statistics of BM25 depend on all descriptions, so a change of one
// description changes the scores of the others; Variants recomputes them. What
// does not change is computed once: the terms of the queries and of every
// description that was seen before, and the scanner's findings.
//
// With Proxies, any proxy under test ranks. It is started for each set of
// descriptions, and stays running for the next queries.
//
// The golden set is never changed. Shares with a seed, or files of ids, divide it in
// three parts (split.go). An optimiser gets figures and feedback for the train part,
// figures for the validation part, and nothing for the held-out part, which shows
// what the new descriptions are worth on queries that they were not fitted to.
package fitness
