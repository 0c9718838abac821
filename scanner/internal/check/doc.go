// Package check holds the built-in checks, one a file. A check turns the evidence
// of the rooms below into signals.
//
// A new check is a file here with a Check, an entry in All, a test beside it, and a
// page docs/scanner/ID.md; a test fails if one of them is missing. What two checks
// need belongs in a room below.
package check
