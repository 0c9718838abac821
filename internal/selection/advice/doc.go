// Package advice says what is wrong with tools, where that can be checked.
//
// Check examines the tools of servers: each Finding is a fact about a name, a
// description or a schema, such as a parameter without a description. Recommend
// examines one run: it lists the findings of the tools that took part in a wrong
// choice, and what the values of parameters show. Both are pure functions, use no
// model and propose no text: what a description should say needs its author, or
// the model of package written.
package advice
