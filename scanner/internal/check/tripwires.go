package check

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkTripwires finds the named shapes of well-known attacks.
var checkTripwires = Check{tripwiresInfo, inspectTripwires}

var tripwiresInfo = Info{
	ID: "tripwire.known", Tier: Hard, ThreatType: ToolPoisoning,
	Description: "a sentence with the shape of a well-known attack",
}

func inspectTripwires(v *frames.Reading, r *tool.Registry) []Signal {
	var out []Signal // the hard ones first
	hard := 0
	for _, trip := range v.Tripwires(r) {
		if trip.Spoken {
			continue // other checks weigh what a tool about attacks says
		}
		d := &v.Docs[trip.Doc]
		s := Signal{
			CheckID: tripwiresInfo.ID, Tier: Soft, ThreatType: trip.Wire.Threat, Confidence: 0.6,
			Evidence: char.Excerpt(d.Text, int(trip.Start), int(trip.End)),
			Detail:   v.Fields[d.Field].Where() + ": " + trip.Wire.ID + ": the text " + trip.Wire.What,
		}
		if trip.Wire.Severity != "medium" {
			s.Tier, s.Confidence = Hard, 0.9
			s.Critical = trip.Wire.Severity == "critical"
		}
		if s.Tier == Hard {
			out = slices.Insert(out, hard, s)
			hard++
			continue
		}
		out = append(out, s)
	}
	return out
}
