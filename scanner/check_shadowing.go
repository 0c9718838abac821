package scanner

import "fmt"

// checkShadowing finds tools that imitate another server's tools or give
// orders about them.
var checkShadowing = registered{shadowingInfo, inspectShadowing}

var shadowingInfo = CheckInfo{
	ID: "shadowing.cross_server", Tier: TierHard, ThreatType: ThreatToolPoisoning,
	Description: "a tool that imitates, replaces or redirects a tool of another server",
}

func inspectShadowing(v *ToolView, r *RegistryView) []Signal {
	if r == nil || v.Name == "" {
		return nil
	}
	var out []Signal
	add := func(tier Tier, confidence float64, evidence, detail string) {
		out = append(out, Signal{CheckID: shadowingInfo.ID, Tier: tier, ThreatType: ThreatToolPoisoning,
			Confidence: confidence, Evidence: evidence, Detail: detail})
	}
	sk := skeleton(v.Name)
	for _, t := range r.bySkeleton[sk] {
		if !sameServer(t.Server, v.Server) && t.Name != v.Name && !isASCII(v.Name) {
			add(TierHard, 0.95, v.Name, fmt.Sprintf("name looks like %s of server %s", t.Name, t.Server))
			break
		}
	}
	return strongestOf(out)
}
