// Package score judges a model's answer to a case, and summarises many runs.
//
// Everything here is a pure function: the same case, tools and answer give the
// same evaluation, whichever model answered. parameters.go scores the
// parameters of a right call, and value.go defines when two values are equal.
package score
