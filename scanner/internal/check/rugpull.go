package check

import (
	"cmp"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/change"
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkRugPull compares a tool with the approved version and grades the
// changes: changed wording gives no signal, new reach a soft one, and new
// orders a hard one.
var checkRugPull = Check{rugPullInfo, inspectRugPull}

var rugPullInfo = Info{
	ID: "rugpull.change", Tier: Hard, ThreatType: RugPull,
	Description: "a change since approval that adds orders, sinks, secrets or powers",
	Why:         "the tool was approved with other words, and nobody has reviewed these",
	Do:          "Read what changed. Approve the change with a reason, or stay with the approved version.",
}

func inspectRugPull(v *frames.Reading, r *tool.Registry) []Signal {
	old := r.Approved(&v.Definition)
	if old == nil || sameDefinition(v, old) {
		return nil
	}
	before := v.ReadOther(old)
	was, is := before.Tally(r), v.Tally(r)
	gained, strongest := 0.0, frames.ID(0)
	for f := range is.Best {
		if d := is.Best[f].Outright() - was.Best[f].Outright(); d > 0 {
			gained += d
			if d > is.Best[strongest].Outright()-was.Best[strongest].Outright() {
				strongest = frames.ID(f)
			}
		}
	}
	c := change.Compare(v, before, r)
	s := Signal{CheckID: rugPullInfo.ID, Tier: Soft, ThreatType: RugPull}
	switch {
	case gained >= 1.8 && is.Best[strongest].Outright() >= 1.5:
		h := is.Best[strongest]
		d := &v.Docs[h.Doc]
		s.Tier, s.Confidence = Hard, min(0.6+gained/10, 1)
		s = s.quotingDoc(v, d, int(h.Start), int(h.End))
		s.Detail = "changed since approval: " + v.Where(&v.Fields[d.Field]) + " " + frames.Names[strongest]
	case 0.7*gained+c.Weight >= 1:
		s.Confidence = min((gained+c.Weight)/4, 0.8)
		s = s.quotingChange(v, before, c)
		s.Detail = "changed since approval: " + c.Text()
		if c.Text() == "" {
			s.Detail = "changed since approval: " + frames.Names[strongest]
		}
	default:
		return nil
	}
	return []Signal{s}
}

// quotingChange quotes the first new sentence, or what changed beside the sentences.
func (s Signal) quotingChange(v, before *frames.Reading, c *change.Change) Signal {
	if text := change.FirstNewSentence(v, before); text != "" && c.Hint == "" {
		return s.quotingWhole(v, text)
	}
	worst := change.Difference{}
	for _, d := range change.Fields(&before.Definition, &v.Definition) {
		if d.Pointer == c.Hint || c.Hint == "" && (worst.Pointer == "" || d.Level > worst.Level) {
			worst = d
		}
	}
	if worst.Pointer == "" {
		return s.quotingWhole(v, v.Description)
	}
	name := worst.Pointer[strings.LastIndexByte(worst.Pointer, '/')+1:]
	text := name + " was " + cmp.Or(worst.Was, "absent") + ", and is " + cmp.Or(worst.Now, "absent")
	s.Pointer, s.Evidence = worst.Pointer, char.Quote(text, 0, len(text))
	return s
}

func sameDefinition(v *frames.Reading, old *tool.Definition) bool {
	return v.Title == old.Title && v.Description == old.Description && string(v.InputSchema) == string(old.InputSchema) &&
		string(v.OutputSchema) == string(old.OutputSchema) && string(v.Annotations) == string(old.Annotations) && string(v.Extra) == string(old.Extra)
}
