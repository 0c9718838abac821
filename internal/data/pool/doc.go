// Package pool makes the list of tools that somebody has to judge for a golden
// set: the first results of several retrievers for each query, as TREC does
// (Sparck Jones and van Rijsbergen, "Report on the need for and provision of an
// ideal information retrieval test collection", 1975). It holds the retrievers
// that run here, and reads the results of others.
//
// The judgement itself and the scores of retrievers do not belong here.
package pool
