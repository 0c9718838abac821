// Package adapter reads the description of a proxy that does not speak the
// contract of docs/own-proxy.md: how it is built, configured, started, asked
// and stopped, and which parts of its answers are tools. The description is a
// file in HCL syntax, documented in docs/adapters.md; a proxy that speaks MCP
// or REST needs no Go.
//
// One file a concept: file.go (the blocks), check.go (what is wrong with them,
// with its place), value.go and functions.go (expressions), launch.go (the
// process), request.go (one question), answer.go (tools out of an answer),
// portable.go (the part that travels to the stages that start the proxy).
//
// Nothing here starts a process or opens a connection: internal/proxy/undertest does.
package adapter
