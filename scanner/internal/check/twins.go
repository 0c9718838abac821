package check

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Twins are tools and servers whose names differ from another server's only in
// details that a reader overlooks.

// twin finds a tool of another server with the same description whose name
// differs only in separators or case.
func twin(v *reading.Reading, r *tool.Registry, sk string) (Signal, bool) {
	if !r.Respelled(sk, v.Name) {
		return Signal{}, false // the usual case
	}

	for _, t := range r.Similar(sk, v.Description) {
		if t.Name != v.Name && !tool.SameServer(t.Server, v.Server) &&
			char.Similarity(v.Description, t.Description) >= 0.5 {
			return Signal{CheckID: shadowingInfo.ID, Tier: Soft, ThreatType: ToolPoisoning,
				Confidence: 0.7,
				Detail: fmt.Sprintf("the name is %s of server %s in another spelling, and so is the description",
					t.Name, t.Server)}.quotingWhole(v, v.Name), true
		}
	}
	return Signal{}, false
}

// disguisedServer finds a server name that looks like another one: letters of
// another script, invisible characters, digits for letters.
func disguisedServer(v *reading.Reading, r *tool.Registry) (Signal, bool) {
	if r.IsPlain(v.Server) {
		return Signal{}, false // the usual case
	}

	s := Signal{CheckID: shadowingInfo.ID, ThreatType: ToolPoisoning, Evidence: char.Quote(v.Server, 0, len(v.Server))}
	mixed, _, _ := char.MixedWords(v.Server)
	other := r.ServerLike(v.Server)
	switch {
	case mixed > 0:
		s.Tier, s.Confidence, s.Detail = Hard, 0.95, "a server name of Latin letters and look-alikes of another script"
	case other != "" && (strings.ContainsFunc(v.Server, char.Invisible) ||
		strings.ContainsFunc(v.Server, char.BeyondLatin)):
		s.Tier, s.Confidence, s.Detail = Hard, 0.95, "the server's name looks like "+other
	case other != "":
		s.Tier, s.Confidence, s.Detail = Soft, 0.7, "the server's name looks like "+other
	default:
		return s, false
	}

	return s, true
}
