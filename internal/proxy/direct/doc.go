// Package direct is what there is without a proxy: a client that connects to
// every MCP server itself, reads their tools/list and ranks the tools on its
// side, by BM25, by embeddings or not at all. It speaks the contract of
// docs/own-proxy.md, so that it can stand where a proxy does and be measured
// beside it: what a proxy's search adds is its distance from these.
//
// Nothing of the evaluation may come in, and nothing of the reference proxy's
// search: these are the floor that it is compared with.
package direct
