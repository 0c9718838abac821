// Package fitness scores sets of tool descriptions against a golden set, for
// people and programs that improve descriptions.
//
// It uses the search of the reference proxy, in process, over an index that is
// built for every candidate: the statistics of BM25 depend on all descriptions,
// so a change of one description changes the scores of the others, and a patched
// index would not rank as the proxy does. What does not change is cached: the
// analysis of the queries, the scanner, and the terms of every description that
// was seen before.
//
// The golden set is never changed. A seed splits it in two halves. An optimiser
// sees figures and feedback only for the train half; the held-out half shows
// what the new descriptions are worth on queries that they were not fitted to.
package fitness
