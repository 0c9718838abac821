package scanner

import (
	"fmt"
	"slices"
	"strings"
)

// checkShadowing finds tools that imitate another server's tools or give
// orders about them.
var checkShadowing = registered{shadowingInfo, inspectShadowing}

var shadowingInfo = CheckInfo{
	ID: "shadowing.cross_server", Tier: TierHard, ThreatType: ThreatToolPoisoning,
	Description: "a tool that imitates, replaces or redirects a tool of another server",
}

func inspectShadowing(v *ToolView, r *RegistryView) []Signal {
	out := v.report(r, shadowingInfo, frRedirect, frShadow)
	if s, ok := disguisedServer(v, r); ok {
		out = append(out, s)
	}
	if r != nil && v.Name != "" {
		out = append(out, imitation(v, r)...)
	}
	return strongestOf(out)
}

// imitation finds names that pass for another server's tool.
func imitation(v *ToolView, r *RegistryView) []Signal {
	var out []Signal
	add := func(tier Tier, confidence float64, format string, args ...any) {
		out = append(out, Signal{CheckID: shadowingInfo.ID, Tier: tier, ThreatType: ThreatToolPoisoning,
			Confidence: confidence, Evidence: v.Name, Detail: fmt.Sprintf(format, args...)})
	}
	sk := skeleton(v.Name)
	if !isASCII(v.Name) {
		for _, t := range r.bySkeleton[sk] {
			if t.Name != v.Name && !sameServer(t.Server, v.Server) {
				add(TierHard, 0.95, "the name looks like %s of server %s", t.Name, t.Server)
				break
			}
		}
	}
	if s, ok := twin(v, r, sk); ok {
		out = append(out, s)
	}
	switch t := elsewhere(r.ToolsByName[v.Name], v.Server); {
	case t == nil:
	case claimsPlace(v):
		add(TierSoft, 0.7, "takes the name of a tool of server %s and claims its place", t.Server)
	case retold(v, t):
		add(TierSoft, 0.5, "has the name of a tool of server %s, and its description in other words", t.Server)
	}
	for _, other := range nearNames(v, r, sk) {
		if inflected(sk, other) || r.owns[toolKey{strings.ToLower(v.Server), other}] {
			continue
		}
		for _, t := range spread(r.bySkeleton[other]) {
			if !sameServer(t.Server, v.Server) && similarText(v.Description, t.Description) >= 0.5 {
				add(TierSoft, 0.7, "the name is one letter off %s of server %s, and so is the description", t.Name, t.Server)
				break
			}
		}
	}
	return out
}

// retold says whether a tool of a telling name says of itself what another
// server's tool of that name does, and not in the same words: two
// installations of one server have the same.
func retold(v *ToolView, t *Tool) bool {
	return strings.ContainsAny(v.Name, "_-") && v.Description != t.Description && len(v.Description) < 400 && similarText(v.Description, t.Description) >= 0.85
}

// maxCompared bounds the tools of one name that one tool is compared with.
const maxCompared = 256

// spread gives the tools to compare with: all, or where one name has very
// many bearers those with different descriptions, so that filling up a name
// with copies hides no original.
func spread(tools []*Tool) []*Tool {
	if len(tools) <= maxCompared {
		return tools
	}
	seen := map[string]bool{}
	var out []*Tool
	for _, t := range tools {
		if key := t.Description[:min(len(t.Description), 200)]; !seen[key] {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

// elsewhere gives a tool of another server; tools are sorted by server.
func elsewhere(tools []*Tool, server string) *Tool {
	if len(tools) == 0 {
		return nil
	}
	for _, t := range []*Tool{tools[0], tools[len(tools)-1]} {
		if !sameServer(t.Server, server) {
			return t
		}
	}
	return nil
}

// drawnAlike are the characters of a name that are drawn like another letter.
var drawnAlike = setOf("I105")

// nearNames are the skeletons that a reader would take for this one.
func nearNames(v *ToolView, r *RegistryView, sk string) []string {
	out := slices.Clip(r.near.neighbours(sk))
	if !drawnAlike.in(v.Name) {
		return out
	}
	// A capital I, a digit one and a small l are drawn alike; so are 0 and o.
	var buf [64]byte
	b := buf[:0]
	for i := 0; i < len(v.Name); i++ {
		switch c := v.Name[i]; c {
		case 'I', '1':
			b = append(b, 'l')
		case '0':
			b = append(b, 'o')
		case '5':
			b = append(b, 's')
		default:
			b = append(b, c)
		}
	}
	if alt := skeleton(string(b)); alt != sk && r.bySkeleton[alt] != nil {
		out = append(out, alt)
	}
	return out
}

// inflected says whether two names differ by a plural or a number: a family of
// names, not an imitation.
func inflected(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) == len(b)+1 && a[:len(b)] == b && a[len(a)-1] == 's' {
		return true
	}
	i, j := 0, 0
	for {
		for i < len(a) && a[i] >= '0' && a[i] <= '9' {
			i++
		}
		for j < len(b) && b[j] >= '0' && b[j] <= '9' {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] != b[j] {
			return false
		}
		i, j = i+1, j+1
	}
}

// placeWords are the words that claimsPlace knows.
var placeWords = signatureOf("official replacement replaces supersedes deprecated authoritative upgraded")

// claimsPlace says whether the description claims to replace something.
func claimsPlace(v *ToolView) bool {
	for i := range v.analyze() {
		d := &v.docs[i]
		if v.fields[d.field].kind != kindDescription {
			continue
		}
		for _, t := range v.tokens[d.tok0:d.tok1] {
			if !placeWords.holds(&t) {
				continue
			}
			switch string(v.lower(d, t)) {
			case "official", "replacement", "replaces", "supersedes", "deprecated", "authoritative", "upgraded":
				return true
			}
		}
	}
	return false
}

// similarText is the share of words that two short texts have in common
// (Jaccard). Only the first words count, so that the cost is bounded.
func similarText(a, b string) float64 {
	var bufA, bufB [48]uint64
	wa, wb := wordHashes(bufA[:0], a), wordHashes(bufB[:0], b)
	if len(wa) == 0 || len(wb) == 0 {
		return 0
	}
	common := 0
	for _, h := range wa {
		for _, g := range wb {
			if h == g {
				common++
				break
			}
		}
	}
	return float64(common) / float64(len(wa)+len(wb)-common)
}

// wordHashes collects the distinct words of a text, as many as out can hold.
func wordHashes(out []uint64, s string) []uint64 {
	for i := 0; i < len(s) && len(out) < cap(out); {
		if !wordByte(s[i]) {
			i++
			continue
		}
		h := uint64(14695981039346656037)
		for ; i < len(s) && wordByte(s[i]); i++ {
			h = (h ^ uint64(s[i]|0x20)) * 1099511628211
		}
		seen := false
		for _, o := range out {
			seen = seen || o == h
		}
		if !seen {
			out = append(out, h)
		}
	}
	return out
}
