// Package exchange reads and writes sets of servers and cases as JSON, YAML and
// CSV, and reads the data of mcp-tef (github.com/StacklokLabs/mcp-tef): its
// SQLite database and its test cases as JSON.
//
// What is read is checked as a whole before any of it is used: an error names the
// entry, and nothing is imported in part.
package exchange
