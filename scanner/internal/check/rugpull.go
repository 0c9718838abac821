package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/change"
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
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

func inspectRugPull(v *reading.Reading, r *tool.Registry) []Signal {
	old := r.Approved(&v.Definition)
	if old == nil || sameDefinition(v, old) {
		return nil
	}
	before := v.ReadOther(old)
	c := change.Compare(v, before, r)
	s := Signal{CheckID: rugPullInfo.ID, Tier: Soft, ThreatType: RugPull}
	trip := newTrip(v, before, r)
	switch gained := c.Planted(); {
	case trip != nil:
		s.Tier, s.Confidence = Hard, 0.9
		s = s.quotingDoc(v, &v.Docs[trip.Doc], int(trip.Start), int(trip.End))
		s.Detail = "changed since approval: " + tripped(v, trip)
	case gained >= hardGain:
		s.Tier, s.Confidence = Hard, min(0.6+gained/10, 1)
		d, sen := c.Worst()
		s = s.quotingDoc(v, d, int(sen.Start), int(sen.End))
		s.Detail = "changed since approval: " + v.Where(&v.Fields[d.Field]) + ": a new sentence like those that attackers plant"
		if about := v.About(sen); about != "" {
			s.Detail += ", about " + about
		}
	case gainFactor*gained+c.Weight >= 1:
		s.Confidence = min((gained+c.Weight)/4, 0.8)
		s = s.quotingChange(v, before, c)
		s.Detail = "changed since approval: " + cmp.Or(c.Text(), "a new sentence like those that attackers plant")
	default:
		return nil
	}
	return []Signal{s}
}

const (
	// hardGain is the evidence of a new sentence that alone makes a hard signal.
	hardGain = 3
	// gainFactor is the weight of a new sentence's evidence beside what changed.
	gainFactor = 0.3
)

// newTrip returns the first tripwire that would stop a build and that the approved version
// does not trip, or nil.
func newTrip(v, before *reading.Reading, r *tool.Registry) *reading.Trip {
	trips := v.Tripwires(r)
	for i := range trips {
		same := func(o reading.Trip) bool { return o.Wire == trips[i].Wire }
		if trips[i].Stops() && !slices.ContainsFunc(before.Tripwires(r), same) {
			return &trips[i]
		}
	}
	return nil
}

// quotingChange quotes the first new sentence, or what changed beside the sentences.
func (s Signal) quotingChange(v, before *reading.Reading, c *change.Change) Signal {
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

func sameDefinition(v *reading.Reading, old *tool.Definition) bool {
	return v.Title == old.Title && v.Description == old.Description && string(v.InputSchema) == string(old.InputSchema) &&
		string(v.OutputSchema) == string(old.OutputSchema) && string(v.Annotations) == string(old.Annotations) && string(v.Extra) == string(old.Extra)
}
