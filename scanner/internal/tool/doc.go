// Package tool takes a tool definition apart into fields, analyses their text and
// the text that hides in it, and indexes the tools of a scan.
//
// View is one tool, Registry all tools. Both only say what is there; what a finding
// makes of it belongs in the rooms above.
package tool
