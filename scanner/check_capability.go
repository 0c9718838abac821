package scanner

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/capability"
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkCapability compares what a tool claims to do with what it takes: its
// name, annotations and description against its parameters.
var checkCapability = registered{capabilityInfo, inspectCapability}

var capabilityInfo = info{
	ID: "capability.mismatch", Tier: tierSoft, ThreatType: threatUncategorized,
	Description: "parameters or effects that the tool's name, annotations and description do not account for",
}

func inspectCapability(v *frames.Reading, _ *tool.Registry) []signal {
	found := capability.FindMismatch(&v.View)
	if found.Weight < frames.SoftWeight {
		return nil
	}
	return []signal{{CheckID: capabilityInfo.ID, Tier: tierSoft, ThreatType: threatUncategorized,
		Confidence: min(found.Weight/4, 0.9), Evidence: found.Evidence, Detail: found.Detail}}
}
