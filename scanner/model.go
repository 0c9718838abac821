package scanner

import (
	"encoding/json"
	"fmt"
)

// Tier is the effect that a signal has by itself.
type Tier int

const (
	// TierSoft signals lead to a review but never to a quarantine.
	TierSoft Tier = iota
	// TierHard signals lead to a quarantine. They are reserved for evidence
	// that almost never has an innocent explanation.
	TierHard
)

// String returns "soft" or "hard".
func (t Tier) String() string {
	if t == TierHard {
		return "hard"
	}
	return "soft"
}

// MarshalText writes the tier as String does.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *Tier) UnmarshalText(b []byte) error {
	switch string(b) {
	case "soft":
		*t = TierSoft
	case "hard":
		*t = TierHard
	default:
		return fmt.Errorf("tier %q is unknown: use soft or hard", b)
	}
	return nil
}

// ThreatType is the kind of harm that a signal indicates.
type ThreatType string

// The threat types.
const (
	ThreatToolPoisoning   ThreatType = "tool_poisoning"
	ThreatPromptInjection ThreatType = "prompt_injection"
	ThreatRugPull         ThreatType = "rug_pull"
	ThreatExfiltration    ThreatType = "exfiltration"
	ThreatMaliciousCode   ThreatType = "malicious_code"
	ThreatUncategorized   ThreatType = "uncategorized"
)

// Tool is one tool as its server lists it: the input of a scan. The three raw
// messages may be empty. They are parsed leniently: text that is not JSON is
// ignored without an error.
type Tool struct {
	Server       string          `json:"server"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}

// Signal is one reason to distrust a tool. Evidence is a short, printable
// excerpt in which control, zero-width and bidirectional characters are
// escaped. For a decoded payload it is the decoded text. Confidence is in 0..1.
type Signal struct {
	CheckID    string     `json:"check_id"`
	Tier       Tier       `json:"tier"`
	ThreatType ThreatType `json:"threat_type"`
	Confidence float64    `json:"confidence"`
	Evidence   string     `json:"evidence"`
	Detail     string     `json:"detail"`

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

// The actions that a finding recommends.
const (
	ActionAllow      Action = "allow"
	ActionReview     Action = "review"
	ActionQuarantine Action = "quarantine"
)

// Finding is the verdict on one tool. A tool without signals is safe, none,
// allow. Signals are ordered by check, hard ones first within a check.
type Finding struct {
	Server      string      `json:"server"`
	Tool        string      `json:"tool"`
	ThreatLevel ThreatLevel `json:"threat_level"`
	Severity    Severity    `json:"severity"`
	Action      Action      `json:"action"`
	Confidence  float64     `json:"confidence"`
	Signals     []Signal    `json:"signals"`
	// FailedChecks are the checks that could not judge this tool. A finding
	// with failed checks never means that the tool is clean.
	FailedChecks []string `json:"failed_checks,omitempty"`
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

// Coverage describes what was scanned. A check that failed on any tool is in
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
// that a check failed on, sorted by server and tool.
type Report struct {
	Findings  []Finding `json:"findings"`
	Coverage  Coverage  `json:"coverage"`
	RiskScore int       `json:"risk_score"`
}
