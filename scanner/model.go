package scanner

import (
	"encoding/json"

	"github.com/touchstone-eval/touchstone/scanner/internal/check"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Tier is the effect that a signal has by itself. It is written as "soft" or
// "hard".
type Tier = check.Tier

const (
	// TierSoft signals lead to a review but never to a quarantine.
	TierSoft = check.Soft
	// TierHard signals lead to a quarantine. They are reserved for evidence
	// that almost never has an innocent explanation.
	TierHard = check.Hard
)

// ThreatType is the kind of harm that a signal indicates.
type ThreatType = check.ThreatType

// The threat types.
const (
	ThreatToolPoisoning   = check.ToolPoisoning
	ThreatPromptInjection = check.PromptInjection
	ThreatRugPull         = check.RugPull
	ThreatExfiltration    = check.Exfiltration
	ThreatMaliciousCode   = check.MaliciousCode
	ThreatUncategorized   = check.Uncategorized
)

// Tool is one tool as its server lists it, or something else that a server tells
// models: the input of a scan. The raw messages may be empty. They are parsed
// leniently: text that is not JSON is ignored without an error.
type Tool struct {
	Server      string `json:"server"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// InputSchema is a JSON Schema. For a prompt it is the list of its arguments.
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
	// Subject is what this is: SubjectTool or another subject.
	Subject Subject `json:"subject,omitempty"`
	Title   string  `json:"title,omitempty"`
	// Extra is an object of all other members of the definition, such as _meta,
	// icons and the uri of a resource.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// Subject is what a Tool is.
type Subject = string

// The subjects. A model reads the instructions of a server before all else: they
// are the Description of a Tool without a name. Its Extra holds what the server
// says about itself, such as serverInfo. The Name of a resource is its URI, and that
// of a template its URI template: names of resources need not differ.
const (
	SubjectTool             Subject = ""
	SubjectInstructions     Subject = tool.Instructions
	SubjectPrompt           Subject = tool.Prompt
	SubjectResource         Subject = tool.Resource
	SubjectResourceTemplate Subject = tool.ResourceTemplate
)

// Signal is one reason to distrust a tool. Evidence is a short, printable
// excerpt in which control, zero-width and bidirectional characters are
// escaped. For a decoded payload it is the decoded text. Confidence is in 0..1.
// Explain tells why a signal matters and what to do.
type Signal struct {
	CheckID    string     `json:"check_id"`
	Tier       Tier       `json:"tier"`
	ThreatType ThreatType `json:"threat_type"`
	Confidence float64    `json:"confidence"`
	Evidence   string     `json:"evidence"`
	Detail     string     `json:"detail"`
	// Words are the telling words of the evidence: Evidence[Words[0]:Words[1]].
	Words [2]int `json:"words"`
	// Pointer is the place of the evidence in the definition as MCP writes it, as
	// a JSON Pointer (RFC 6901). It is empty if there is no single place.
	Pointer string `json:"pointer,omitempty"`
	// Pattern is the id of the tripwire, for tripwire.known.
	Pattern string `json:"pattern,omitempty"`

	// critical marks the two kinds of hard signal that make a finding critical:
	// deliberate smuggling with Unicode or with encodings.
	critical bool
}

// ThreatLevel, Severity and Action of a finding.
type (
	ThreatLevel string
	Severity    string
	Action      string
)

// The threat levels.
const (
	LevelSafe      ThreatLevel = "safe"
	LevelWarning   ThreatLevel = "warning"
	LevelDangerous ThreatLevel = "dangerous"
)

// The severities, least first.
const (
	SeverityNone     Severity = "none"
	SeverityLow      Severity = "low"
	SeverityMedium   Severity = "medium"
	SeverityHigh     Severity = "high"
	SeverityCritical Severity = "critical"
)

// Stops reports whether a severity fails a scan by default, as --fail-on high does.
func (s Severity) Stops() bool { return s == SeverityHigh || s == SeverityCritical }

// The actions that a finding recommends.
const (
	ActionAllow      Action = "allow"
	ActionReview     Action = "review"
	ActionQuarantine Action = "quarantine"
)

// Finding is the verdict on one tool. A tool without signals is safe, none,
// allow. A tool that a check could not judge is at least to be reviewed.
// Signals are ordered by check, hard ones first within a check.
type Finding struct {
	// Index is the position of the tool in the list that was scanned: a server may have
	// two tools of one name. ScanOne leaves it 0.
	Index       int         `json:"-"`
	Server      string      `json:"server"`
	Tool        string      `json:"tool"`
	Subject     Subject     `json:"subject,omitempty"`
	ThreatLevel ThreatLevel `json:"threat_level"`
	Severity    Severity    `json:"severity"`
	Action      Action      `json:"action"`
	Confidence  float64     `json:"confidence"`
	Signals     []Signal    `json:"signals"`
	// FailedChecks are the checks that could not judge this tool. A finding
	// with failed checks never means that the tool is clean.
	FailedChecks []string `json:"failed_checks,omitempty"`
	// Unread says what the checks did not read because a bound was reached, such
	// as text in more than four layers of encoding. It does not mean clean either.
	Unread []string `json:"unread,omitempty"`
}

// Label names the tool among all that its server has: the name of a tool, or the
// subject in brackets, which no tool's name may have, and the name.
func (t *Tool) Label() string { return label(t.Subject, t.Name) }

// Label is the label of the tool.
func (f Finding) Label() string { return label(f.Subject, f.Tool) }

func label(s Subject, name string) string {
	switch s {
	case SubjectTool:
		return name
	case SubjectInstructions:
		return "(instructions)"
	case SubjectResourceTemplate:
		return "(resource template) " + name
	}
	return "(" + s + ") " + name
}

// Flagged reports whether any check raised a signal.
func (f Finding) Flagged() bool { return len(f.Signals) > 0 }

// CheckIDs lists the distinct checks that raised a signal, in order.
func (f Finding) CheckIDs() []string {
	var ids []string
	for i, s := range f.Signals {
		if i == 0 || f.Signals[i-1].CheckID != s.CheckID {
			ids = append(ids, s.CheckID)
		}
	}
	return ids
}

// Coverage describes what was scanned. Other subjects than tools count as tools
// too. A check that failed on any tool is in
// FailedCheckIDs and not counted in ChecksRun. Degraded is the share of (tool,
// check) pairs that were not judged, 0..1.
type Coverage struct {
	ToolsScanned   int      `json:"tools_scanned"`
	ChecksRun      int      `json:"checks_run"`
	ChecksFailed   int      `json:"checks_failed"`
	FailedCheckIDs []string `json:"failed_check_ids"`
	Degraded       float64  `json:"degraded"`
}

// Report is the result of a scan: one finding per tool that has signals or
// that was not judged completely, sorted by server and tool.
type Report struct {
	Findings  []Finding `json:"findings"`
	Coverage  Coverage  `json:"coverage"`
	RiskScore int       `json:"risk_score"`
}
