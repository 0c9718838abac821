// Package scan is the room of the scanner's reading and reporting: everything between a
// path or a server that a user names and the findings that the user reads. Package scanner
// judges; this room never does.
//
//   - input reads tool definitions from files, client configurations and live servers
//   - source finds tool definitions in the source of servers
//   - report judges a list of tools with package scanner and writes the result
//   - command is the command line of "touchstone scan" and of touchstone-scan
//
// Neither the pipeline nor the datasets come in, since touchstone-scan has to stay small.
// Start with input/doc.go.
package scan
