package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkRugPull compares a tool with the version that was approved, and grades
// what changed: wording is nothing, new reach is soft, new orders are hard.
var checkRugPull = registered{rugPullInfo, inspectRugPull}

var rugPullInfo = info{
	ID: "rugpull.change", Tier: tierHard, ThreatType: threatRugPull,
	Description: "a change since approval that adds orders, sinks, secrets or powers",
}

func inspectRugPull(v *toolReading, r *tool.Registry) []signal {
	old := r.Approved(v.Server, v.Name)
	if old == nil || sameDefinition(v, old) {
		return nil
	}
	before := viewOf(old)
	was, is := before.tally(r), v.tally(r)
	gained, strongest := 0.0, frameID(0)
	for f := range is.best {
		if d := is.best[f].outright() - was.best[f].outright(); d > 0 {
			gained += d
			if d > is.best[strongest].outright()-was.best[strongest].outright() {
				strongest = frameID(f)
			}
		}
	}
	c := compare(v, before, r)
	c.sentences()
	c.senses()
	c.hosts()
	c.limits()
	c.parameters()
	c.annotations()
	if n, oldN := len(v.Description), len(before.Description); n > 3*oldN+400 && !v.Encodes(tool.KindDescription) {
		c.more(0.4, "much more than before")
	}
	s := signal{CheckID: rugPullInfo.ID, Tier: tierSoft, ThreatType: threatRugPull}
	switch {
	case gained >= 1.8 && is.best[strongest].outright() >= 1.5:
		h := is.best[strongest]
		d := &v.Docs[h.doc]
		s.Tier, s.Confidence = tierHard, min(0.6+gained/10, 1)
		s.Evidence = char.Excerpt(d.Text, int(h.start), int(h.end))
		s.Detail = "changed since approval: " + v.Fields[d.Field].Where() + " " + frameNames[strongest]
	case 0.7*gained+c.weight >= 1:
		s.Confidence = min((gained+c.weight)/4, 0.8)
		s.Evidence = changedText(v, before)
		s.Detail = "changed since approval, and now has " + strings.Join(c.what, ", ")
		if len(c.what) == 0 {
			s.Detail = "changed since approval: " + frameNames[strongest]
		}
	default:
		return nil
	}
	return []signal{s}
}

func sameDefinition(v *toolReading, old *tool.Definition) bool {
	return v.Description == old.Description && string(v.InputSchema) == string(old.InputSchema) &&
		string(v.OutputSchema) == string(old.OutputSchema) && string(v.Annotations) == string(old.Annotations)
}
