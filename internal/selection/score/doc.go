// Package score judges what a model did with a case, and sums up many runs.
//
// Everything here is a pure function: the same case, tools and answer give the
// same evaluation, whoever asked the model. parameters.go says how the
// parameters of a right call are scored; value.go has the rules by which two
// values are equal.
package score
