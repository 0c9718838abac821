// Package power names what a parameter can give a tool (run code, delete, send),
// and lists the words of parameter names that say so.
//
// How a name is read is for capability. The package imports nothing.
package power
