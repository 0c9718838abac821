package check

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkTripwires finds the named shapes of well-known attacks.
var checkTripwires = Check{tripwiresInfo, inspectTripwires}

var tripwiresInfo = Info{
	ID: "tripwire.known", Tier: Hard, ThreatType: ToolPoisoning,
	Description: "a sentence with the shape of a well-known attack",
	Why:         "every reviewer would refuse the sentence, and no other check can talk it away",
	Do: "Quarantine the tool, and ask the author to remove the sentence. Do not install the server if the " +
		"severity is critical, and report it.",
}

// describeMatch says where a tripwire is, and what the text does.
func describeMatch(v *reading.Reading, match *reading.Match) string {
	return v.Where(&v.Fields[v.Docs[match.Doc].Field]) + ": " + match.Tripwire.ID + ": the text " + match.Tripwire.What
}

// inspectTripwires reports the tripwires of a tool, the worst first. Of those that
// the same words trip, it reports the worst.
func inspectTripwires(v *reading.Reading, r *tool.Registry) []Signal {
	var out []Signal
	var reported []reading.Match
	for _, severity := range [...]string{"critical", "high", "medium"} {
		for _, trip := range v.TripwireMatches(r) {
			same := func(o reading.Match) bool {
				return o.Doc == trip.Doc && o.Start < trip.End && trip.Start < o.End
			}
			if trip.Tripwire.Severity != severity || slices.ContainsFunc(reported, same) {
				continue
			}

			reported = append(reported, trip)
			d := &v.Docs[trip.Doc]
			s := Signal{
				CheckID: tripwiresInfo.ID, Tier: Soft, ThreatType: ThreatType(trip.Tripwire.Threat), Confidence: 0.6,
				Detail:  describeMatch(v, &trip),
				Pattern: trip.Tripwire.ID,
			}.quotingDoc(v, d, int(trip.Start), int(trip.End))
			if trip.Stops() {
				s.Tier, s.Confidence = Hard, 0.9
				s.Critical = severity == "critical"
			}

			out = append(out, s)
		}
	}

	return out
}
