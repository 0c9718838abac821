package scanner

// checkDirectives finds text that gives the model orders.
var checkDirectives = registered{directivesInfo, inspectDirectives}

var directivesInfo = CheckInfo{
	ID: "directive.model", Tier: TierHard, ThreatType: ThreatToolPoisoning,
	Description: "text that orders the model about: overriding, concealing, taking precedence, posing as the system",
}

func inspectDirectives(v *ToolView, r *RegistryView) []Signal {
	return v.report(r, directivesInfo, frOverride, frMislead)
}
