// Package command lists the shapes of harmful shell commands and code, and finds
// them in a text.
//
// The weight of a command in its context is decided by the check for code. The
// package imports only char.
package command
