package check

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkExfiltration finds orders to read data that is not the tool's business
// or to send it away, and parameters that collect it.
var checkExfiltration = Check{exfiltrationInfo, inspectExfiltration}

var exfiltrationInfo = Info{
	ID: "exfiltration.data", Tier: Hard, ThreatType: Exfiltration,
	Description: "demands for credentials, the conversation or the system prompt, and places to send them to",
	Why:         "what is sent cannot be called back: keys, files and conversations of the user",
	Do:          "Quarantine the tool, and find out who receives the data. If it was in use, replace the secrets that it could read.",
}

func inspectExfiltration(v *frames.Reading, r *tool.Registry) []Signal {
	return report(v, r, exfiltrationInfo, frames.Secret, frames.Side)
}
