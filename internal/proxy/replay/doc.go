// Package replay stands in for the MCP servers behind a proxy: it serves a
// frozen corpus over stdio, byte for byte, one process per server, or over HTTP where there are very
// many, so that a proxy is never scored against a live catalogue.
//
// The protocol is spoken here by hand and not through an SDK's server, for
// three reasons: schemas reach the proxy exactly as the corpus has them
// (whatever their type or draft), tools are listed in the order of the file
// (SDKs sort), and a server that is started dozens of times a run costs next
// to nothing.
//
// Nothing of the proxy may be imported: a replay server must not know who
// asks.
package replay
