// Package mcpclient connects to MCP servers: a command that speaks on standard
// input and output, or a URL over streamable HTTP or SSE.
//
//   - target.go names a server; client.go connects to it, hands the session to
//     the caller, and ends the server with everything that it started.
//   - listing.go reads the whole list of tools, page by page.
//   - stdio.go and http.go are the transports. message.go cuts their streams
//     into JSON-RPC messages, limits the size of each, and shows them to an
//     observer as the server sent them.
//
// A server is untrusted. It may answer without end, never read its input, or
// redirect a request with its secrets to another host. Every wait ends with
// the context, every message has a largest size, and headers stay with the
// host that they were meant for.
//
// The package does not judge what a server lists. It imports only package
// subprocess of this project.
package mcpclient
