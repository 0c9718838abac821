package scanner

import (
	"fmt"
	"strings"
)

// Twins: tools and servers that differ from another server's only in what a
// reader passes over.

// twin finds a tool of another server whose name is spelled with other
// separators or in another case, and which says the same of itself.
func twin(v *ToolView, r *RegistryView, sk string) (Signal, bool) {
	for _, t := range spread(r.bySkeleton[sk]) {
		if t.Name != v.Name && !sameServer(t.Server, v.Server) && similarText(v.Description, t.Description) >= 0.5 {
			return Signal{CheckID: shadowingInfo.ID, Tier: TierSoft, ThreatType: ThreatToolPoisoning,
				Confidence: 0.7, Evidence: v.Name,
				Detail: fmt.Sprintf("the name is %s of server %s in another spelling, and so is the description", t.Name, t.Server)}, true
		}
	}
	return Signal{}, false
}

// disguisedServer finds a server name that passes for another's: letters of
// another script, invisible characters, digits for letters.
func disguisedServer(v *ToolView, r *RegistryView) (Signal, bool) {
	if r != nil && r.disguises != nil {
		if other, known := r.disguises[v.Server]; known && other == "" {
			return Signal{}, false // as almost always
		}
	}
	s := Signal{CheckID: shadowingInfo.ID, ThreatType: ThreatToolPoisoning, Evidence: v.Server}
	mixed, _, _ := mixedWords(v.Server)
	other := ""
	if r != nil {
		other = r.drawnServers.lookup(v.Server)
	}
	switch {
	case mixed > 0:
		s.Tier, s.Confidence, s.Detail = TierHard, 0.95, "a server name of Latin letters and look-alikes of another script"
	case other != "" && (strings.ContainsFunc(v.Server, invisible) || strings.ContainsFunc(v.Server, beyondLatin)):
		s.Tier, s.Confidence, s.Detail = TierHard, 0.95, "the server's name looks like "+other
	case other != "":
		s.Tier, s.Confidence, s.Detail = TierSoft, 0.7, "the server's name looks like "+other
	default:
		return s, false
	}
	return s, true
}

// beyondLatin says whether a rune is a letter of another script.
func beyondLatin(r rune) bool {
	sc := runeScript(r)
	return sc != scriptNone && sc != scriptLatin
}

// drawnNames maps what names look like to the names: two at most, since more
// prove nothing further.
type drawnNames map[string][]string

// add notes a name; names that only differ in case are one.
func (d drawnNames) add(name string) {
	key := drawn(name)
	for _, n := range d[key] {
		if sameServer(n, name) {
			return
		}
	}
	if len(d[key]) < 2 {
		d[key] = append(d[key], name)
	}
}

// lookup gives the name that another one passes for: the one of plain ASCII
// letters is taken for the original, and is never told that it is disguised.
func (d drawnNames) lookup(name string) string {
	for _, n := range d[drawn(name)] {
		if sameServer(n, name) {
			continue
		}
		if isASCII(name) && (!isASCII(n) || strings.ContainsAny(n, "015I") && !strings.ContainsAny(name, "015I")) {
			continue
		}
		return n
	}
	return ""
}

// drawn is what a name looks like in print: look-alikes folded, invisible
// characters dropped, letters and digits of one shape taken for each other.
// Separators stay, for the same server is often listed with either.
func drawn(name string) string {
	var out []byte
	for _, r := range normalize(name) {
		f := foldRune(r)
		if f == "?" && r != '?' {
			f = string(r)
		}
		for i := 0; i < len(f); i++ {
			b := f[i]
			switch {
			case b == 'I' || b == '1':
				b = 'l'
			case b == '0':
				b = 'o'
			case b == '5':
				b = 's'
			case b >= 'A' && b <= 'Z':
				b += 'a' - 'A'
			}
			out = append(out, b)
		}
	}
	return drawnPairs.Replace(string(out))
}

// drawnPairs are letters that side by side are drawn like one.
var drawnPairs = strings.NewReplacer("rn", "m", "vv", "w")

// disguises looks every server up once; tools are sorted by server.
func disguises(tools []*Tool, drawn drawnNames) map[string]string {
	out := map[string]string{}
	for i, t := range tools {
		if i > 0 && tools[i-1].Server == t.Server {
			continue
		}
		other := drawn.lookup(t.Server)
		if mixed, _, _ := mixedWords(t.Server); mixed > 0 && other == "" {
			other = t.Server
		}
		out[t.Server] = other
	}
	return out
}
