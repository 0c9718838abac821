// Package selection defines the terms of the evaluation of tool selection: does
// a model choose the right tool for a query, and fill in its parameters?
//
// A Case is a query with the servers whose tools are offered and the expected
// calls. A run sends one case to one model; it stores a snapshot of the tools,
// and ends with a Classification and an Evaluation. This package defines and
// validates these terms and classifies calls. It uses no database, network or
// model.
//
// Packages below it:
//
//   - score: the comparison of parameters, the evaluation of a run, and figures
//     over many runs
//   - model: the adapters for models
//   - store: the SQLite database
//   - advice: recommendations and the quality report of a server's tools
//   - runner: ingests tools, queries the model, scores and stores
//   - exchange: cases as JSON, YAML and CSV, and the data of mcp-tef
//   - results: the results of runs as CSV, JUnit XML and a page
package selection
