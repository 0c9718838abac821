package contracts

import "encoding/json"

// A detector is a process that reads one DetectorRequest a line on standard
// input and answers each with one DetectorVerdict line on standard output, in
// the same order. It ends when its input ends.

// DetectorProtocol is the version of the protocol below.
const DetectorProtocol = 1

// DetectorRequest is one tool definition to judge. It never carries the
// entry's label or category.
type DetectorRequest struct {
	Protocol int          `json:"protocol"`
	ID       string       `json:"id"`
	Tool     DetectorTool `json:"tool"`
	Peers    []Peer       `json:"peers,omitempty"`
	Approved *Approved    `json:"approved,omitempty"`
	// ServerInstructions is what the tool's server tells models at the start of
	// a session.
	ServerInstructions string `json:"server_instructions,omitempty"`
}

// DetectorTool is the tool under judgement, as its server lists it.
type DetectorTool struct {
	Server       string          `json:"server,omitempty"`
	Name         string          `json:"name,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}

// DetectorVerdict answers the request with the same ID. Confidence is in
// 0..1. Error means that the detector could not judge this entry.
type DetectorVerdict struct {
	Protocol   int      `json:"protocol"`
	ID         string   `json:"id"`
	Flagged    bool     `json:"flagged"`
	Confidence float64  `json:"confidence,omitempty"`
	Signals    []string `json:"signals,omitempty"`
	Evidence   string   `json:"evidence,omitempty"`
	Error      string   `json:"error,omitempty"`
}
