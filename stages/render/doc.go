// Package render is the stage that makes a verdict readable: report.json with
// all facts, report.html for people, report.md for a pull request's comment
// and a step summary, junit.xml for test reporters and annotations.txt for
// GitHub. Each is cut where its reader has a limit, and says what was left
// out; report.json is never cut.
//
// Everything that comes from a dataset, a proxy or a detector is text of
// strangers: it is escaped for the format it is written to, here and nowhere
// else.
package render
