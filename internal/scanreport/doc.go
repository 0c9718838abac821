// Package scanreport judges a list of tools with package scanner and writes
// the result: judge.go, suppress.go and baseline.go turn tools into a Result;
// table.go, json_output.go, sarif.go, markdown.go and html.go write it.
//
// A Result with tools that were not scanned is incomplete and never looks
// clean. Text from tools is untrusted: names, evidence and places are escaped
// for the format that shows them.
package scanreport
