// Package change weighs what is new in a tool against the version that somebody
// approved: sentences, promises that are gone, addresses, parameters, limits and
// annotations.
//
// Signals are made in check.
package change
