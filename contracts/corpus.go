package contracts

import "encoding/json"

// Corpus is a frozen snapshot of the tools that a proxy has to search.
type Corpus struct {
	Version       string        `json:"version"`
	GeneratedFrom GeneratedFrom `json:"generated_from"`
	// Servers is absent from a corpus that was never refreshed.
	Servers []CorpusServer `json:"servers,omitempty"`
	Tools   []Tool         `json:"tools"`
}

// CorpusServer is the version of a server that a refresh read tools from.
// Version is the pinned version, and Reported is the name and version that the
// server reported. Package, Integrity and LockSHA256 come from the lock file,
// if there is one.
type CorpusServer struct {
	Server     string `json:"server"`
	Version    string `json:"version"`
	Reported   string `json:"reported,omitempty"`
	Package    string `json:"package,omitempty"`
	Integrity  string `json:"integrity,omitempty"`
	LockSHA256 string `json:"lock_sha256,omitempty"`
}

// GeneratedFrom is the source of a dataset. License is an SPDX identifier.
type GeneratedFrom struct {
	Source  string `json:"source"`
	Note    string `json:"note,omitempty"`
	License string `json:"license,omitempty"`
	Date    string `json:"date,omitempty"`
}

// Tool is one tool as its server lists it. ToolID is Server + ":" + Tool;
// Schema is the tool's JSON Schema for its arguments. OutputSchema, the JSON
// Schema for its result, and Annotations are absent where the server lists none.
type Tool struct {
	ToolID       ToolID          `json:"tool_id"`
	Server       string          `json:"server"`
	Tool         string          `json:"tool"`
	Description  string          `json:"description"`
	Schema       json.RawMessage `json:"schema"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}
