// Package reading is a tool's text with what its sentences say: how much each is
// like those that attackers plant, which tripwires it matches, and whether it
// names a tool of another server.
//
// A sentence is judged in its context: what the tool is for, whether the text
// speaks of attacks, whose tools exist. What follows from a judgement, such as
// the signals and their severity, belongs in package check.
package reading
