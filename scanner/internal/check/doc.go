// Package check holds the built-in checks, one a file. A check turns the
// results of the packages below into signals.
//
// A new check is a file here with a Check, an entry in All, a test beside it,
// and a page docs/scanner/ID.md. A test fails if one of them is missing. Code
// that two checks need belongs in a package below.
package check
