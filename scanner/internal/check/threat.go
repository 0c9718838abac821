package check

import "fmt"

// Tier is the effect that a signal has by itself.
type Tier int

const (
	// Soft signals lead to a review but never to a quarantine.
	Soft Tier = iota
	// Hard signals lead to a quarantine. They are reserved for evidence that
	// almost never has an innocent explanation.
	Hard
)

// String returns "soft" or "hard".
func (t Tier) String() string {
	if t == Hard {
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
		*t = Soft
	case "hard":
		*t = Hard
	default:
		return fmt.Errorf("tier %q is unknown: use soft or hard", b)
	}
	return nil
}

// ThreatType is the kind of harm that a signal indicates.
type ThreatType string

// The threat types.
const (
	ToolPoisoning   ThreatType = "tool_poisoning"
	PromptInjection ThreatType = "prompt_injection"
	RugPull         ThreatType = "rug_pull"
	Exfiltration    ThreatType = "exfiltration"
	MaliciousCode   ThreatType = "malicious_code"
	Uncategorized   ThreatType = "uncategorized"
)

// Known reports whether t is one of the threat types.
func (t ThreatType) Known() bool {
	switch t {
	case ToolPoisoning, PromptInjection, RugPull, Exfiltration, MaliciousCode, Uncategorized:
		return true
	}
	return false
}
