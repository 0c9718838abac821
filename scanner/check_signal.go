package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// tier says what a signal may do on its own.
type tier int

const (
	// tierSoft raises a review and never quarantines.
	tierSoft tier = iota
	// tierHard quarantines alone.
	tierHard
)

// The threat types of signals.
const (
	threatToolPoisoning   = "tool_poisoning"
	threatPromptInjection = "prompt_injection"
	threatRugPull         = "rug_pull"
	threatExfiltration    = "exfiltration"
	threatMaliciousCode   = "malicious_code"
	threatUncategorized   = "uncategorized"
)

// signal is one reason to distrust a tool, with the evidence as it stands in the
// text.
type signal struct {
	CheckID    string
	Tier       tier
	ThreatType string
	Confidence float64 // 0..1
	Evidence   string
	Detail     string

	// critical marks the two kinds of hard signal that escalate a finding to
	// critical: deliberate smuggling by Unicode or by encoding.
	critical bool
}

// info describes a built-in check. Its tier is the highest that it raises.
type info struct {
	ID          string
	Tier        tier
	ThreatType  string
	Description string
}

// registered is a built-in check: its description and its function.
type registered struct {
	info    info
	inspect func(*toolReading, *tool.Registry) []signal
}

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

// positionDiscount lowers confidence by at most a fifth for what stands far
// into a text: there an order is likelier to be quoted or documented.
func positionDiscount(confidence float64, offset int) float64 {
	return confidence * (1 - 0.2*min(float64(offset)/4000, 1))
}

// report makes the signal of a check that owns the frames from..to, if they
// weigh enough.
func report(v *toolReading, reg *tool.Registry, about info, from, to frameID) []signal {
	t := v.tally(reg)
	sum, strongest := t.sum(from, to)
	if sum < softWeight && (sum < sideWeight || t.total < softWeight+0.4) {
		return nil
	}
	if len(v.Tokens) > longTool && (sum < softWeight || t.best[strongest].weight < 1.2) {
		return nil
	}
	h := t.best[strongest]
	d := &v.Docs[h.doc]
	s := signal{
		CheckID: about.ID, Tier: tierSoft, ThreatType: about.ThreatType,
		Confidence: positionDiscount(min(sum/4, 1), int(h.start)),
		Evidence:   char.Excerpt(d.Text, int(h.start), int(h.end)),
	}
	if !h.doubted && (t.total >= hardWeight && sum >= softWeight+0.4 && t.plain() || t.handsOver(from, to)) && !v.Purpose().Any(concept.Meta) && (len(v.Tokens) <= longTool || t.best[strongest].weight >= 2.2) {
		s.Tier = tierHard
	}
	switch strongest {
	case frOverride, frRole, frMimicry, frGuard, frPrompt:
		s.ThreatType = threatPromptInjection
	}
	var b strings.Builder
	b.WriteString(v.Fields[d.Field].Where())
	for f := from; f <= to; f++ {
		if t.best[f].weight > 0 {
			b.WriteString("; ")
			b.WriteString(frameNames[f])
		}
	}
	s.Detail = b.String()
	return []signal{s}
}
