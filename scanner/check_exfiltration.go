package scanner

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkExfiltration finds orders to read what is not the tool's business, to
// send it away, and parameters that collect it.
var checkExfiltration = registered{exfiltrationInfo, inspectExfiltration}

var exfiltrationInfo = info{
	ID: "exfiltration.data", Tier: tierHard, ThreatType: threatExfiltration,
	Description: "demands for credentials, the conversation or the system prompt, and places to send them to",
}

func inspectExfiltration(v *frames.Reading, r *tool.Registry) []signal {
	return report(v, r, exfiltrationInfo, frames.Secret, frames.Side)
}
