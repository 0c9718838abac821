// Package pipeline is the language: HCL in, a validated plan out. It parses
// pipeline.hcl, evaluates variables, locals, functions and matrices, and
// reports every problem it finds as a diagnostic with a summary, a remedy and
// a source range. It knows nothing of MCP, of processes or of stores: of the
// cache it imports the two id types only.
package pipeline
