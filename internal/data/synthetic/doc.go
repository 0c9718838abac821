// Package synthetic generates tool corpora and golden sets of any size, to
// measure how a proxy and the scoring scale. The data is labelled synthetic and
// says nothing about how well a proxy finds real tools: texts are assembled from
// tables, and each query shares words with its tool by construction.
//
// Every tool is a combination of an action, a noun, a field of work and a
// qualifier ("export invoices of one customer"). Servers of one field overlap,
// so that near-duplicates occur on several servers. A query describes a
// combination in other words: it replaces the action and the noun by synonyms
// that never occur in the names of tools. A tool with the same combination has
// relevance 2 for the query. A tool that differs only in the qualifier has
// relevance 1.
package synthetic
