// Package advice says what to change about tools so that models choose them and
// fill them in right.
//
// Recommend looks at one run; Quality looks at the tools of a server. Both are
// pure functions: equal input gives equal advice, no model is asked, and every
// recommendation quotes what it rests on.
package advice
