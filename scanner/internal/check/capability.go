package check

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/capability"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkCapability compares what a tool claims to do with what it can do: its
// name, annotations and description with its parameters.
var checkCapability = Check{capabilityInfo, inspectCapability}

var capabilityInfo = Info{
	ID: "capability.mismatch", Tier: Soft, ThreatType: Uncategorized,
	Description: "parameters or effects that the tool's name, annotations and description do not account for",
	Why:         "a tool that can do more than it says is called where nobody would allow that",
	Do:          "Ask the author to name the effect or to remove the parameter, or accept it with a reason.",
}

func inspectCapability(v *reading.Reading, _ *tool.Registry) []Signal {
	if v.Subject != "" {
		return nil // only tools act
	}
	found := capability.FindMismatch(&v.View)
	if found.Weight < softWeight {
		return nil
	}
	return []Signal{Signal{CheckID: capabilityInfo.ID, Tier: Soft, ThreatType: Uncategorized,
		Confidence: min(found.Weight/4, 0.9), Detail: found.Detail}.quotingWhole(v, found.Evidence)}
}
