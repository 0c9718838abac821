// Package selection holds the terms of the evaluation of tool selection: does a
// model choose the right tool for a query, and fill in its parameters?
//
// A Case is a query with the servers whose tools are offered and the calls that
// are expected. A run puts one case to one model; it takes a snapshot of the
// tools, and ends with a Classification and an Evaluation. This package defines
// and validates these terms and classifies calls. It knows no database, no
// network and no model.
//
// Rooms below it:
//
//   - score: the comparison of parameters, the evaluation of a run, and figures
//     over many runs
//   - model: the adapters that ask a model
//   - store: the SQLite database
//   - advice: recommendations and the quality report of a server's tools
//   - runner: ingests tools, asks the model, scores and stores
//   - exchange: cases as JSON, YAML and CSV, and the data of mcp-tef
package selection
