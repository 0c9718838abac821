// Package pipeline implements the language of pipelines: it reads HCL and returns a validated
// plan. It parses pipeline files, evaluates variables, locals, functions and matrices, and
// reports every problem as a diagnostic with a summary, a remedy and a source range. It does
// not depend on MCP, processes or stores. From package cache it only uses identifiers and file
// status.
package pipeline
