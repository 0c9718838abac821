// Package proxy is the reference proxy: a small MCP proxy that is really used
// as one, and the default system under test. It connects to upstream servers,
// indexes their tools for search, offers retrieve_tools and call_tool over MCP
// streamable HTTP and a REST search beside them, and keeps tools that the
// scanner calls dangerous out of both.
//
// One file a concept: config.go, upstream.go (connections), catalog.go (what
// is known of every tool), text.go (what of a tool is searched), index.go
// (the search), mcp.go and rest.go (the two faces), serve.go (the process).
//
// Nothing of the evaluation may come in: no golden set, no metric, no stage.
// A change here must be a change that a user of the proxy would want.
package proxy
