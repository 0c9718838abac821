package scanner

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkDirectives finds text that gives the model orders.
var checkDirectives = registered{directivesInfo, inspectDirectives}

var directivesInfo = info{
	ID: "directive.model", Tier: tierHard, ThreatType: threatToolPoisoning,
	Description: "text that orders the model about: overriding, concealing, taking precedence, posing as the system",
}

func inspectDirectives(v *frames.Reading, r *tool.Registry) []signal {
	return report(v, r, directivesInfo, frames.Override, frames.Mislead)
}
