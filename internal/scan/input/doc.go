// Package input reads MCP tool definitions from files, from the
// configurations of MCP clients and from running servers.
//
//   - json.go, document.go, nested.go, element.go, servershape.go, clientconfig.go and paths.go read
//     files: tool lists, corpora, rows and client configurations. Every tool
//     keeps the place that it was read from. shape.go reads tools in the shapes of
//     other APIs than MCP, and keeps where the file has their parts. message.go reads
//     recordings of JSON-RPC. stream.go reads long lists without keeping their text.
//   - live.go, live_others.go and capture.go list the tools of a running server.
//     Only List starts or contacts a server. failure.go says why it failed, and what
//     to do.
//
// Everything that could not be read is listed in Input.Unscanned with a reason
// and a remedy. It is never dropped silently.
//
// The package does not judge tools or write reports; package report does.
package input
