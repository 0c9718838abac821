package contracts

import "encoding/json"

// Corpus is a frozen snapshot of the tools that a proxy has to search.
type Corpus struct {
	Version       string        `json:"version"`
	GeneratedFrom GeneratedFrom `json:"generated_from"`
	Tools         []Tool        `json:"tools"`
}

// GeneratedFrom says where a dataset comes from. License is an SPDX
// identifier.
type GeneratedFrom struct {
	Source  string `json:"source"`
	Note    string `json:"note,omitempty"`
	License string `json:"license,omitempty"`
	Date    string `json:"date,omitempty"`
}

// Tool is one tool as its server lists it. ToolID is Server + ":" + Tool;
// Schema is the tool's JSON Schema for its arguments.
type Tool struct {
	ToolID      ToolID          `json:"tool_id"`
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}
