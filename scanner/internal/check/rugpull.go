package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/change"
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkRugPull compares a tool with the approved version. A sentence like those that
// attackers plant, and a field whose change a reviewer would refuse without an
// explanation, are signals. Other words are none: on real updates most of what sounds
// like an attack is none.
var checkRugPull = Check{rugPullInfo, inspectRugPull}

var rugPullInfo = Info{
	ID: "rugpull.change", Tier: Hard, ThreatType: RugPull,
	Description: "a change since approval that reads like an attack, or that a reviewer would " +
		"refuse without an explanation",
	Why: "the tool was approved with other words, and nobody has reviewed these",
	Do:  "Read what changed. Approve the change with a reason, or stay with the approved version.",
}

func inspectRugPull(v *reading.Reading, r *tool.Registry) []Signal {
	old := r.Approved(&v.Definition)
	if old == nil || sameDefinition(v, old) {
		return nil
	}

	before := v.ReadOther(old)
	c := change.Compare(v, before, r)
	s := Signal{CheckID: rugPullInfo.ID, Tier: Hard, ThreatType: RugPull, Detail: "changed since approval: "}
	trip, planted := newMatch(v, before, r), c.LogOdds()
	switch {
	case trip != nil:
		s.Confidence = 0.9
		s.Detail += describeMatch(v, trip)
		s = s.quotingDoc(v, &v.Docs[trip.Doc], int(trip.Start), int(trip.End))
	case planted >= hardLogOdds:
		s.Confidence = min(0.7+planted/10, 1)
		s = s.quotingSentence(v, c)
	case len(c.Refused) > 0:
		s.Confidence = 0.7
		s = s.quotingChange(&c.Refused[0])
	case planted >= softLogOdds:
		s.Tier, s.Confidence = Soft, min((1+planted)/4, 0.8)
		s = s.quotingSentence(v, c)
	default:
		return nil
	}

	return []Signal{s}
}

// On the updates of 43 real servers, whose 1,069 changed tools are taken to be innocent,
// softLogOdds is exceeded by 1 in 20 tools, and hardLogOdds by 1 in 200.
const (
	softLogOdds = 0.6
	hardLogOdds = 3
)

// newMatch returns the first tripwire that would stop a build and that the approved version
// does not trip, or nil.
func newMatch(v, before *reading.Reading, r *tool.Registry) *reading.Match {
	trips := v.TripwireMatches(r)
	for i := range trips {
		same := func(o reading.Match) bool { return o.Tripwire == trips[i].Tripwire }
		if trips[i].Stops() && !slices.ContainsFunc(before.TripwireMatches(r), same) {
			return &trips[i]
		}
	}
	return nil
}

// quotingSentence quotes the worst new sentence.
func (s Signal) quotingSentence(v *reading.Reading, c *change.Change) Signal {
	s.Detail += v.Where(&v.Fields[c.Doc.Field]) + ": a new sentence like those that attackers plant"
	if about := v.About(c.Sentence); about != "" {
		s.Detail += ", about " + about
	}
	return s.quotingDoc(v, c.Doc, int(c.Sentence.Start), int(c.Sentence.End))
}

// quotingChange quotes the values of a field before and after its change. The number of a
// member of a list says less than the name of the list.
func (s Signal) quotingChange(d *change.Difference) Signal {
	parts := strings.Split(d.Pointer, "/")
	name := parts[len(parts)-1]
	if _, err := strconv.Atoi(name); err == nil {
		name = parts[len(parts)-2]
	}
	text := name + " was " + cmp.Or(d.Was, "absent") + ", and is " + cmp.Or(d.Now, "absent")
	s.Detail += d.Why
	s.Pointer, s.Evidence = d.Pointer, char.Quote(text, 0, len(text))
	return s
}

func sameDefinition(v *reading.Reading, old *tool.Definition) bool {
	return v.Title == old.Title && v.Description == old.Description &&
		string(v.InputSchema) == string(old.InputSchema) &&
		string(v.OutputSchema) == string(old.OutputSchema) && string(v.Annotations) == string(old.Annotations) &&
		string(v.Extra) == string(old.Extra)
}
