// Package render is the stage that writes the reports. formats.go lists the
// files and who reads them. Each file is shortened if its reader has a limit,
// and states what was left out. report.json has all facts and is never
// shortened.
//
// Everything that comes from a dataset, a proxy or a detector is untrusted
// text. This package escapes it for the format that it is written to.
package render
