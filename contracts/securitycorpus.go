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
// ServerInstructions is what the tool's server tells models at the start of a
// session.
//
// Severity, Technique and Carrier describe an attack: how bad it is, how it
// works, and which part of the definition carries it. Rationale says why a hard
// negative is innocent. Twin is the id of the other entry of a minimal pair: an
// attack, and an innocent entry that differs in as little as possible. No
// detector is shown these fields.
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
	// ServerInstructions is absent where nothing is known of them.
	ServerInstructions string `json:"server_instructions,omitempty"`
	Label              string `json:"label"`
	Category           string `json:"category"`
	// HardNegativeFor names the attack category that a hard_negative entry
	// resembles but does not belong to.
	HardNegativeFor string     `json:"hard_negative_for,omitempty"`
	Severity        string     `json:"severity,omitempty"`
	Technique       string     `json:"technique,omitempty"`
	Carrier         string     `json:"carrier,omitempty"`
	Twin            string     `json:"twin,omitempty"`
	Rationale       string     `json:"rationale,omitempty"`
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
// Reference is the URL or the title of the publication whose attack the entry
// re-creates in words of its own.
type Provenance struct {
	Source    string `json:"source"`
	License   string `json:"license"`
	Reference string `json:"reference,omitempty"`
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

// Carriers of an attack: the part of a definition that a model reads it from.
const (
	CarrierDescription        = "description"
	CarrierParameter          = "parameter"
	CarrierEnum               = "enum"
	CarrierOutputSchema       = "output_schema"
	CarrierName               = "name"
	CarrierAnnotations        = "annotations"
	CarrierServerInstructions = "server_instructions"
)
