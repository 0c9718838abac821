package scanner

import "strings"

// checkDirectives finds text that gives the model orders.
var checkDirectives = registered{directivesInfo, inspectDirectives}

var directivesInfo = CheckInfo{
	ID: "directive.model", Tier: TierHard, ThreatType: ThreatToolPoisoning,
	Description: "text that orders the model about: overriding, concealing, taking precedence, posing as the system",
}

// Weights of hits above which the check reports. Each frame counts once, by
// its strongest hit.
const (
	softWeight = 1.4
	hardWeight = 4.0
)

func inspectDirectives(v *ToolView, _ *RegistryView) []Signal {
	var best [frCount]hit
	sum := 0.0
	for _, h := range v.frames() {
		if h.frame <= frPersist || h.frame >= frPretext {
			if h.weight > best[h.frame].weight {
				best[h.frame] = h
			}
		}
	}
	strongest := frameID(0)
	for f := range best {
		sum += best[f].weight
		if best[f].weight > best[strongest].weight {
			strongest = frameID(f)
		}
	}
	if sum < softWeight {
		return nil
	}
	return []Signal{v.signal(directivesInfo, sum, best[:], strongest)}
}

// signal makes a signal of the hits of several frames.
func (v *ToolView) signal(info CheckInfo, sum float64, best []hit, strongest frameID) Signal {
	h := best[strongest]
	d := &v.docs[h.doc]
	tier := TierSoft
	if sum >= hardWeight {
		tier = TierHard
	}
	threat := info.ThreatType
	if strongest == frOverride || strongest == frRole || strongest == frMimicry {
		threat = ThreatPromptInjection
	}
	var names []string
	for f := range best {
		if best[f].weight > 0 {
			names = append(names, frameNames[f])
		}
	}
	return Signal{
		CheckID: info.ID, Tier: tier, ThreatType: threat,
		Confidence: positionDiscount(min(sum/5, 1), int(h.start)),
		Evidence:   excerpt(d.text, int(h.start), int(h.end)),
		Detail:     v.fields[d.field].where() + " " + strings.Join(names, "; "),
	}
}

// positionDiscount lowers confidence by at most a fifth for what stands far
// into a text: there an order is likelier to be quoted or documented.
func positionDiscount(confidence float64, offset int) float64 {
	return confidence * (1 - 0.2*min(float64(offset)/4000, 1))
}
