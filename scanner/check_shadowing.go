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
	for _, t := range r.bySkeleton[sk] {
		if sameServer(t.Server, v.Server) {
			continue
		}
		switch {
		case t.Name != v.Name && !isASCII(v.Name):
			add(TierHard, 0.95, "the name looks like %s of server %s", t.Name, t.Server)
		case t.Name == v.Name && claimsPlace(v):
			add(TierSoft, 0.7, "takes the name of a tool of server %s and claims its place", t.Server)
		case t.Name == v.Name && len(v.Description) > 30 && similarText(v.Description, t.Description) > 0.9 && v.Description != t.Description:
			add(TierSoft, 0.5, "name and description copy a tool of server %s", t.Server)
		}
	}
	for _, other := range nearNames(v, r, sk) {
		for _, t := range r.bySkeleton[other] {
			if sameServer(t.Server, v.Server) || inflected(sk, other) || ownedBy(r, other, v.Server) {
				continue
			}
			if similarText(v.Description, t.Description) >= 0.5 {
				add(TierSoft, 0.7, "the name is one letter off %s of server %s, and so is the description", t.Name, t.Server)
			}
		}
	}
	return out
}

// nearNames are the skeletons that a reader would take for this one.
func nearNames(v *ToolView, r *RegistryView, sk string) []string {
	out := slices.Clip(r.near.neighbours(sk))
	if strings.IndexAny(v.Name, "I105") < 0 {
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

// ownedBy says whether the server has a tool of that skeleton itself.
func ownedBy(r *RegistryView, sk, server string) bool {
	for _, t := range r.bySkeleton[sk] {
		if sameServer(t.Server, server) {
			return true
		}
	}
	return false
}

// inflected says whether two names differ by a plural or a version.
func inflected(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a) == len(b)+1 && a[:len(b)] == b {
		last := a[len(a)-1]
		return last == 's' || last >= '0' && last <= '9'
	}
	if len(a) == len(b) && a[:len(a)-1] == b[:len(b)-1] {
		x, y := a[len(a)-1], b[len(b)-1]
		return x >= '0' && x <= '9' && y >= '0' && y <= '9'
	}
	return false
}

// claimsPlace says whether the description claims to replace something.
func claimsPlace(v *ToolView) bool {
	for i := range v.analyze() {
		d := &v.docs[i]
		if v.fields[d.field].kind != kindDescription {
			continue
		}
		for _, t := range v.tokens[d.tok0:d.tok1] {
			switch strings.ToLower(d.text[t.start:t.end]) {
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
