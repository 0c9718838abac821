// Package report judges a list of tools with package scanner and writes
// the result: judge.go, suppress.go and baseline.go turn tools into a Result;
// table.go, json_output.go, sarif.go, markdown.go and html.go write it.
//
// A Result is incomplete if some tools were not scanned, and an incomplete
// Result is never shown as clean. Text from tools is untrusted: each format
// escapes names, evidence and places.
package report
