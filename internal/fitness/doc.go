// Package fitness scores sets of tool descriptions against a golden set, for
// people and programs that improve descriptions.
//
// The search is the reference proxy's own, in process, over an index that is
// made anew for every candidate: BM25's statistics are those of all
// descriptions, so that a change of one moves the scores of the others, and an
// index that was patched would not rank as the proxy does. What does not change
// is kept: the analysis of the queries, the scanner, and the terms of every
// description that was seen before.
//
// The golden set is never changed and is cut in two by a seed. An optimiser
// sees figures and feedback of the train half only; the held-out half says
// afterwards what the new descriptions are worth on queries that they were not
// fitted to.
package fitness
