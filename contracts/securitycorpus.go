package contracts

import "encoding/json"

// SecurityCorpus is the labelled set of tool definitions (D2) that detectors
// are scored on.
type SecurityCorpus struct {
	Version       string          `json:"version"`
	GeneratedFrom GeneratedFrom   `json:"generated_from"`
	Entries       []SecurityEntry `json:"entries"`
}

// SecurityEntry is one tool definition, malicious or benign. Peers are tools of
// other servers that are present at the same time. Approved is the definition
// that was approved earlier under the same name, for rug pulls.
type SecurityEntry struct {
	ID           string          `json:"id"`
	Name         string          `json:"name,omitempty"`
	Server       string          `json:"server,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	Peers        []Peer          `json:"peers,omitempty"`
	Approved     *Approved       `json:"approved,omitempty"`
	Label        string          `json:"label"`
	Category     string          `json:"category"`
	// HardNegativeFor names the attack category that a hard_negative entry
	// resembles but does not belong to.
	HardNegativeFor string     `json:"hard_negative_for,omitempty"`
	Provenance      Provenance `json:"provenance"`
}

// Peer is a tool of another server.
type Peer struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
}

// Approved is the definition of a tool at the time of its approval.
type Approved struct {
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
}

// Provenance is the source of an entry. License is an SPDX identifier.
type Provenance struct {
	Source  string `json:"source"`
	License string `json:"license"`
}

// Labels of a security entry.
const (
	LabelMalicious = "malicious"
	LabelBenign    = "benign"
)

// Categories of a security entry. Benign entries are CategoryBenign or
// CategoryHardNegative; all others are attacks.
const (
	CategoryToolPoisoning      = "tool_poisoning"
	CategoryPromptInjection    = "prompt_injection"
	CategoryShadowing          = "shadowing"
	CategoryRugPull            = "rug_pull"
	CategoryUnicodeSmuggling   = "unicode_smuggling"
	CategoryDecodedPayload     = "decoded_payload"
	CategoryCapabilityMismatch = "capability_mismatch"
	CategoryBenign             = "benign"
	CategoryHardNegative       = "hard_negative"
)

// AttackCategories lists the categories of malicious entries, in the order
// that reports show them.
var AttackCategories = []string{
	CategoryToolPoisoning, CategoryPromptInjection, CategoryShadowing,
	CategoryRugPull, CategoryUnicodeSmuggling, CategoryDecodedPayload,
	CategoryCapabilityMismatch,
}
