// Package adapter parses the description of a proxy that does not implement the
// contract of docs/reference/proxy-contract.md: how it is built, configured, started, queried and
// stopped, and which parts of its answers are tools. The description is a file in
// HCL syntax, documented in docs/reference/adapters.md. A proxy that supports MCP or REST
// needs no Go code.
//
// Each file has one concept: file.go (the blocks), check.go (problems with their
// place), value.go and functions.go (expressions), launch.go (the process),
// request.go (a request), answer.go (tools in an answer), listing.go (a list of tools
// in several requests), portable.go (the part
// for the stages that start the proxy).
//
// This package starts no process and opens no connection. Package
// internal/proxy/undertest does that.
package adapter
