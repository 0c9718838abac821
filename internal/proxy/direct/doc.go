// Package direct is the alternative to a proxy: a client that connects to every MCP
// server itself, reads their tools/list and ranks the tools locally, by BM25, by
// embeddings or not at all. It implements the contract of docs/reference/proxy-contract.md, so that
// it can be measured like a proxy: the difference shows what a proxy's search adds.
//
// The evaluation and the search of the reference proxy do not belong in this
// package, because it is the lower bound that they are compared with.
package direct
