// Package render is the stage that writes the reports: report.json with all
// facts, report.html for people, report.md for a pull request's comment and a
// step summary, junit.xml for test reporters and annotations.txt for GitHub.
// Each file is shortened if its reader has a limit, and states what was left
// out. report.json is never shortened.
//
// Everything that comes from a dataset, a proxy or a detector is untrusted
// text. This package escapes it for the format that it is written to.
package render
