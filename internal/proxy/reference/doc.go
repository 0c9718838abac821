// Package reference is the reference proxy: a small MCP proxy that works in practice,
// and the default system under test. It connects to upstream servers, indexes their
// tools for search, offers retrieve_tools and call_tool over MCP streamable HTTP as
// well as a REST search, and hides tools that the scanner considers dangerous from
// both.
//
// Each file has one concept: config.go, upstream.go (connections), catalog.go (the
// state of every tool), text.go (the searched text of a tool), index.go (the
// search), mcp.go and rest.go (the interfaces), serve.go (the process).
//
// The evaluation does not belong in this package: no golden set, no metric, no
// stage. Every change here must be useful to a user of the proxy.
package reference
