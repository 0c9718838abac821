// Package scan finds tool definitions, has them judged by package scanner and
// writes the result for people and machines: it is what `touchstone scan` does
// between its flags and its exit code.
//
//   - json.go, document.go, element.go, clientconfig.go and paths.go read what
//     there is: tool lists, corpora, rows, directories and the configurations
//     of MCP clients. Every tool keeps the place that it was read from.
//   - live.go, capture.go and process*.go ask a running server for its tools.
//     Nothing is started or reached unless the caller calls List.
//   - judge.go, suppress.go and baseline.go turn tools into a Result.
//   - table.go, json_output.go, sarif.go, markdown.go and html.go write it.
//
// Two rules hold everywhere. What was not scanned is listed with its reason
// and makes the Result incomplete: it never looks clean. And whatever comes
// from a tool is untrusted: names, evidence and places are escaped for the
// format that shows them.
package scan
