package scanner

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Twins: tools and servers that differ from another server's only in what a
// reader passes over.

// twin finds a tool of another server whose name is spelled with other
// separators or in another case, and which says the same of itself.
func twin(v *frames.Reading, r *tool.Registry, sk string) (signal, bool) {
	for _, t := range tool.Spread(r.WithSkeleton(sk)) {
		if t.Name != v.Name && !tool.SameServer(t.Server, v.Server) && char.Similarity(v.Description, t.Description) >= 0.5 {
			return signal{CheckID: shadowingInfo.ID, Tier: tierSoft, ThreatType: threatToolPoisoning,
				Confidence: 0.7, Evidence: v.Name,
				Detail: fmt.Sprintf("the name is %s of server %s in another spelling, and so is the description", t.Name, t.Server)}, true
		}
	}
	return signal{}, false
}

// disguisedServer finds a server name that passes for another's: letters of
// another script, invisible characters, digits for letters.
func disguisedServer(v *frames.Reading, r *tool.Registry) (signal, bool) {
	if r.IsPlain(v.Server) {
		return signal{}, false // as almost always
	}
	s := signal{CheckID: shadowingInfo.ID, ThreatType: threatToolPoisoning, Evidence: v.Server}
	mixed, _, _ := char.MixedWords(v.Server)
	other := r.ServerLike(v.Server)
	switch {
	case mixed > 0:
		s.Tier, s.Confidence, s.Detail = tierHard, 0.95, "a server name of Latin letters and look-alikes of another script"
	case other != "" && (strings.ContainsFunc(v.Server, char.Invisible) || strings.ContainsFunc(v.Server, char.BeyondLatin)):
		s.Tier, s.Confidence, s.Detail = tierHard, 0.95, "the server's name looks like "+other
	case other != "":
		s.Tier, s.Confidence, s.Detail = tierSoft, 0.7, "the server's name looks like "+other
	default:
		return s, false
	}
	return s, true
}
