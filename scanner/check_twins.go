package scanner

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// Twins: tools and servers that differ from another server's only in what a
// reader passes over.

// twin finds a tool of another server whose name is spelled with other
// separators or in another case, and which says the same of itself.
func twin(v *toolReading, r *registry, sk string) (signal, bool) {
	for _, t := range spread(r.withSkeleton(sk)) {
		if t.Name != v.Name && !sameServer(t.Server, v.Server) && char.Similarity(v.Description, t.Description) >= 0.5 {
			return signal{CheckID: shadowingInfo.ID, Tier: tierSoft, ThreatType: threatToolPoisoning,
				Confidence: 0.7, Evidence: v.Name,
				Detail: fmt.Sprintf("the name is %s of server %s in another spelling, and so is the description", t.Name, t.Server)}, true
		}
	}
	return signal{}, false
}

// disguisedServer finds a server name that passes for another's: letters of
// another script, invisible characters, digits for letters.
func disguisedServer(v *toolReading, r *registry) (signal, bool) {
	if r.knownPlain(v.Server) {
		return signal{}, false // as almost always
	}
	s := signal{CheckID: shadowingInfo.ID, ThreatType: threatToolPoisoning, Evidence: v.Server}
	mixed, _, _ := char.MixedWords(v.Server)
	other := r.serverLike(v.Server)
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
