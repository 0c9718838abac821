// Package synthetic makes tool corpora and golden sets of any size, to measure
// how a proxy and the scoring scale. What it makes is labelled synthetic and
// says nothing of how well a proxy finds real tools: texts are put together
// from tables, and a query shares words with its tool by construction.
//
// Every tool is a combination of an action, a noun, a field of work and a
// qualifier ("export invoices of one customer"). Servers of one field overlap,
// so that near-duplicates stand in several servers. A query is the
// combination in other words: the action and the noun by a synonym, which the
// names of tools never use. A tool of the same combination is what the query
// asks for (relevance 2), and one that differs in the qualifier alone is
// acceptable (relevance 1).
package synthetic
