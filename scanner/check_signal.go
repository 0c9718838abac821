package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
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
	inspect func(*frames.Reading, *tool.Registry) []signal
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
func report(v *frames.Reading, reg *tool.Registry, about info, from, to frames.ID) []signal {
	t := v.Tally(reg)
	sum, strongest := t.Sum(from, to)
	if sum < frames.SoftWeight && (sum < frames.SideWeight || t.Total < frames.SoftWeight+0.4) {
		return nil
	}
	if len(v.Tokens) > frames.LongTool && (sum < frames.SoftWeight || t.Best[strongest].Weight < 1.2) {
		return nil
	}
	h := t.Best[strongest]
	d := &v.Docs[h.Doc]
	s := signal{
		CheckID: about.ID, Tier: tierSoft, ThreatType: about.ThreatType,
		Confidence: positionDiscount(min(sum/4, 1), int(h.Start)),
		Evidence:   char.Excerpt(d.Text, int(h.Start), int(h.End)),
	}
	if !h.Doubted && (t.Total >= frames.HardWeight && sum >= frames.SoftWeight+0.4 && t.Plain() || t.HandsOver(from, to)) && !v.Purpose().Any(concept.Meta) && (len(v.Tokens) <= frames.LongTool || t.Best[strongest].Weight >= 2.2) {
		s.Tier = tierHard
	}
	switch strongest {
	case frames.Override, frames.Role, frames.Mimicry, frames.Guard, frames.Prompt:
		s.ThreatType = threatPromptInjection
	}
	var b strings.Builder
	b.WriteString(v.Fields[d.Field].Where())
	for f := from; f <= to; f++ {
		if t.Best[f].Weight > 0 {
			b.WriteString("; ")
			b.WriteString(frames.Names[f])
		}
	}
	s.Detail = b.String()
	return []signal{s}
}
