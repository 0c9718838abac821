// Package mcpclient connects to MCP servers: a command that speaks on standard
// input and output, or a URL over streamable HTTP or SSE.
//
//   - target.go describes a server. client.go connects to it, passes the session to
//     the caller, and ends the server with everything that it started.
//   - listing.go reads the whole list of tools, page by page.
//   - stdio.go and http.go are the transports. message.go splits their streams
//     into JSON-RPC messages, limits the size of each, and shows them to an
//     observer as the server sent them.
//   - failure.go says how a conversation failed: the end of a program, or an answer over
//     HTTP that is not MCP.
//
// A server is untrusted. It may send an endless answer, never read its input, or
// redirect a request with secrets to another host. Every wait ends with the
// context, the size of messages is limited, and headers are only sent to the host
// that they are meant for.
//
// The package does not judge the tools of a server. It imports only package
// subprocess of this project.
package mcpclient
