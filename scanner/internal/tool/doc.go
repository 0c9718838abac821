// Package tool splits a tool definition into fields, analyses their text and
// the text hidden in it, and indexes the tools of a scan.
//
// View is one tool, and Registry all tools. Both only describe; the packages
// above judge.
package tool
