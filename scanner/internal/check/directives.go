package check

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkDirectives finds text that gives the model orders.
var checkDirectives = Check{directivesInfo, inspectDirectives}

var directivesInfo = Info{
	ID: "directive.model", Tier: Hard, ThreatType: ToolPoisoning,
	Description: "text that orders the model about: overriding, concealing, taking precedence, posing as the system",
	Why:         "a description says what a tool does; one that gives the model orders about other things steers it against the user",
	Do:          "Quarantine the tool, and ask its author to describe the tool instead of instructing the model.",
}

func inspectDirectives(v *frames.Reading, r *tool.Registry) []Signal {
	return report(v, r, directivesInfo, frames.Override, frames.Mislead)
}
