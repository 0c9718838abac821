// Package command lists the shapes of harmful shell commands and code, and finds
// them in a text.
//
// What a command weighs where it stands is for the check of code to say. The
// package imports char alone.
package command
