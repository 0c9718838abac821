// Package power names what a parameter can enable a tool to do (run code,
// delete, send), and lists the words of parameter names that indicate it.
//
// Package capability interprets the names. The package imports nothing.
package power
