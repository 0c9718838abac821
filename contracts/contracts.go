// Package contracts holds every file that crosses a stage boundary. Each has
// one Go type and one JSON Schema (draft 2020-12). The package also reads and
// writes these files, and does nothing else. It imports no package of
// Touchstone but metrics, whose table names the metrics. A stage written in
// another language needs only the schemas.
//
// Both reading and writing validate against the schema and refuse unknown
// fields. A report that this package wrote therefore needs no further check in
// a later stage.
package contracts

// ToolID is "<server>:<tool>", the identifier that labels, reports and ranked
// lists use for a tool.
type ToolID = string
