// Package change compares a tool with the version that somebody approved: field by
// field, with how bad the change of each field is by itself, and the sentence that
// was added and is most like those that attackers plant.
//
// Package check makes signals from these.
package change
