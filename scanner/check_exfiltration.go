package scanner

// checkExfiltration finds orders to read what is not the tool's business, to
// send it away, and parameters that collect it.
var checkExfiltration = registered{exfiltrationInfo, inspectExfiltration}

var exfiltrationInfo = CheckInfo{
	ID: "exfiltration.data", Tier: TierHard, ThreatType: ThreatExfiltration,
	Description: "demands for credentials, the conversation or the system prompt, and places to send them to",
}

func inspectExfiltration(v *ToolView, r *RegistryView) []Signal {
	return v.report(r, exfiltrationInfo, frSecret, frSide)
}
