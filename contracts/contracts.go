// Package contracts holds every file that crosses a stage boundary: one Go
// type and one JSON Schema (draft 2020-12) each, and the code that reads and
// writes them. Nothing else lives here. Of ours it imports package metrics only,
// whose table names the metrics: a stage written in another language needs only
// the schemas.
//
// Reading and writing both validate against the schema and both refuse
// unknown fields, so a report that this package wrote can be read by any
// later stage without a second look.
package contracts

// ToolID is "<server>:<tool>", the identifier that labels, reports and ranked
// lists use for a tool.
type ToolID = string
