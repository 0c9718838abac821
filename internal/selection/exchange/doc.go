// Package exchange reads and writes sets of servers and cases as JSON, YAML and
// CSV, and reads the data of mcp-tef (github.com/StacklokLabs/mcp-tef): its
// SQLite database, and its test cases and runs as JSON.
//
// A file is checked as a whole before any of it is used. An error names the
// entry, and nothing is imported partially. Entries of mcp-tef that cannot be read
// are named, and the others are imported. Its runs are judged by the rules of this
// program from the calls that it recorded, and marked as imported.
package exchange
