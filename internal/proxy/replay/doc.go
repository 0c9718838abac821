// Package replay replaces the MCP servers behind a proxy: it serves a frozen corpus,
// byte for byte, so that a proxy is never scored with a live catalogue. It serves
// over stdio with one process per server, or over HTTP if there are more than ten
// servers and the proxy accepts addresses.
//
// It implements the protocol without an SDK, for three reasons. Schemas reach the
// proxy exactly as they are in the corpus, whatever their type or draft. Tools are
// listed in the order of the file, while SDKs sort them. And a server that is started
// dozens of times per run must start fast.
//
// This package must not import the proxy: a replay server must not depend on its client.
package replay
