// Package change weighs the differences of a tool from the version that
// somebody approved: sentences, removed promises, addresses, parameters, limits
// and annotations.
//
// Package check makes signals from these.
package change
