package scanner

// Check looks at one tool among its registry. Inspect is pure and total: it
// keeps no state, changes nothing, and answers every input, the empty one
// included. Signals come in a deterministic order. The views are only valid
// during the call. A panic is recovered by the engine and reported in
// Coverage.
type Check interface {
	ID() string
	Inspect(tool *ToolView, registry *RegistryView) []Signal
}

// CheckInfo describes a registered check. Tier is the highest that it raises.
type CheckInfo struct {
	ID          string     `json:"id"`
	Tier        Tier       `json:"tier"`
	ThreatType  ThreatType `json:"threat_type"`
	Description string     `json:"description"`
}

// registered is a built-in check: its description and its function.
type registered struct {
	info    CheckInfo
	inspect func(*ToolView, *RegistryView) []Signal
}

func (r registered) ID() string { return r.info.ID }

func (r registered) Inspect(t *ToolView, reg *RegistryView) []Signal { return r.inspect(t, reg) }

// builtin lists the checks in the order in which their signals are reported.
func builtin() []registered {
	return []registered{
		checkUnicode,
		checkPayload,
		checkDirectives,
		checkSentence,
		checkShadowing,
		checkExfiltration,
		checkCapability,
		checkRugPull,
		checkCode,
		checkSchema,
		checkSize,
	}
}

// Checks describes every built-in check, in reporting order.
func Checks() []CheckInfo {
	var infos []CheckInfo
	for _, c := range builtin() {
		infos = append(infos, c.info)
	}
	return infos
}
