// Package advice recommends changes to tools so that models choose them and
// fill in their parameters correctly.
//
// Recommend analyses one run, and Quality the tools of a server. Both are pure
// functions: equal input gives equal advice, no model is used, and every
// recommendation quotes its evidence.
package advice
