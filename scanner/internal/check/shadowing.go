package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkShadowing finds tools that imitate another server's tools or give orders
// about them.
var checkShadowing = Check{shadowingInfo, inspectShadowing}

var shadowingInfo = Info{
	ID: "shadowing.cross_server", Tier: Hard, ThreatType: ToolPoisoning,
	Description: "a tool that imitates, replaces or redirects a tool of another server",
	Why:         "the user or the model takes it for another server's tool, or uses that tool as a stranger wants",
	Do:          "Compare both tools. Disconnect the server if it is not the one that you meant, or rename the tool.",
}

func inspectShadowing(v *reading.Reading, r *tool.Registry) []Signal {
	var out []Signal
	if doc, clause := worstSentence(v, r); doc >= 0 && v.Clauses[clause].Names == token.NamesOther {
		out = append(out, planted(v, &shadowingInfo, doc, clause))
	}
	if s, ok := disguisedServer(v, r); ok {
		out = append(out, s)
	}
	if r != nil && v.Name != "" && v.Subject == "" {
		out = append(out, imitation(v, r)...)
	}
	return strongestOf(out)
}

// namesScore is how much more a sentence has to be like those that attackers plant
// if it names a tool of another server, because honest servers refer to others.
const namesScore token.Score = classifier.Unit / 3

// imitation finds names that look like the name of another server's tool.
func imitation(v *reading.Reading, r *tool.Registry) []Signal {
	var out []Signal
	add := func(tier Tier, confidence float64, format string, args ...any) {
		out = append(out, Signal{CheckID: shadowingInfo.ID, Tier: tier, ThreatType: ToolPoisoning,
			Confidence: confidence, Detail: fmt.Sprintf(format, args...)}.quotingWhole(v, v.Name))
	}
	sk := char.Skeleton(v.Name)
	if !char.IsASCII(v.Name) {
		for _, t := range r.WithSkeleton(sk) {
			if t.Name != v.Name && !tool.SameServer(t.Server, v.Server) {
				add(Hard, 0.95, "the name looks like %s of server %s", t.Name, t.Server)
				break
			}
		}
	}

	if s, ok := twin(v, r, sk); ok {
		out = append(out, s)
	}

	switch t := tool.Elsewhere(r.ByName[v.Name], v.Server); {
	case t == nil:
	case claimsPlace(v):
		add(Soft, 0.7, "takes the name of a tool of server %s and claims its place", t.Server)
	case retold(v, t):
		add(Soft, 0.5, "has the name of a tool of server %s, and its description in other words", t.Server)
	case sameText(v, t):
		add(Soft, 0.2, "has the name and the description of a tool of server %s", t.Server)
	default:
		if s, ok := copyWithMore(v, t); ok {
			out = append(out, s)
		}
	}

	for _, other := range r.NearNames(v.Name, sk) {
		if inflected(sk, other) || r.Owns(v.Server, other) {
			continue
		}

		for _, t := range r.Similar(other, v.Description) {
			if !tool.SameServer(t.Server, v.Server) && char.Similarity(v.Description, t.Description) >= 0.5 {
				add(Soft, 0.7, "the name is one letter off %s of server %s, and so is the description", t.Name,
					t.Server)
				break
			}
		}
	}

	return out
}

// retold reports whether a tool with a distinctive name describes itself like
// another server's tool of that name, but in other words. Two installations of
// one server have the same words.
func retold(v *reading.Reading, t *tool.Definition) bool {
	return strings.ContainsAny(v.Name, "_-") && v.Description != t.Description && len(v.Description) < 400 &&
		char.Similarity(v.Description, t.Description) >= 0.85
}

// sameText reports whether a tool says the same as the tool of its name of another server, which is not another
// version of its own: the model takes either.
func sameText(v *reading.Reading, t *tool.Definition) bool {
	return len(v.Description) >= shortText && v.Description == t.Description && !tool.SameProduct(v.Server, t.Server)
}

// shortText is the number of bytes up to which two descriptions may be equal by chance.
const shortText = 12

// copyWithMore finds a description that repeats that of another server's tool of the same name, and adds a sentence
// about something else that happens to the data of the user.
func copyWithMore(v *reading.Reading, t *tool.Definition) (Signal, bool) {
	own := strings.TrimSpace(t.Description)
	if len(own) < shortText || len(v.Description) <= len(own) ||
		!strings.Contains(v.Description, strings.TrimRight(own, ".!")) {
		return Signal{}, false
	}

	docs := v.Analyze()
	for i := range docs {
		d := &docs[i]
		if v.Fields[d.Field].Kind != tool.KindDescription || v.Fields[d.Field].Layer != "" {
			continue
		}

		for k := d.Sen0; k < d.Sen1; k++ {
			s := &v.Clauses[k]
			text := strings.Trim(d.Text[s.Start:s.End], ".;:, \t\n")
			if text == "" || strings.Contains(own, text) || strings.Contains(text, strings.TrimRight(own, ".!")) ||
				!hasSideEffect(v, d, s) {
				continue
			}

			return Signal{CheckID: shadowingInfo.ID, Tier: Soft, ThreatType: ToolPoisoning, Confidence: 0.75,
				Detail: fmt.Sprintf("repeats the tool of server %s and adds something that happens to the data",
					t.Server)}.quotingDoc(v, d, int(s.Start), int(s.End)), true
		}
	}

	return Signal{}, false
}

// hasSideEffect reports whether a sentence says that data are sent, copied, changed, paid or deleted.
func hasSideEffect(v *reading.Reading, d *token.Doc, s *token.Sentence) bool {
	for _, t := range v.Tokens[s.Tok0:s.Tok1] {
		if t.Means.Any(concept.Send|concept.Pay|concept.Destroy|concept.Change) && t.Form != lexicon.OtherForm ||
			slices.Contains(copyWords, v.Word(d, t)) {
			return !s.Means.Any(concept.Neg)
		}
	}
	return false
}

// copyWords are words for copies that somebody else gets.
var copyWords = []string{"copied", "copies", "copy", "forwarded", "forwards", "mirrored", "mirrors", "logged", "bcc",
	"recorded", "shared", "archived"}

// inflected reports whether two names differ by a plural or a number: a family of
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

// placeWords are the words with which a tool claims to replace another, and
// placeSigns is their signature.
var (
	placeWords = []string{"official", "replacement", "replaces", "supersedes", "deprecated", "authoritative",
		"upgraded"}
	placeSigns = token.SignatureOf(strings.Join(placeWords, " "))
)

// claimsPlace reports whether the description claims to replace something.
func claimsPlace(v *reading.Reading) bool {
	for i := range v.Analyze() {
		d := &v.Docs[i]
		if v.Fields[d.Field].Kind != tool.KindDescription {
			continue
		}

		for _, t := range v.Tokens[d.Tok0:d.Tok1] {
			if placeSigns.Holds(&t) && slices.Contains(placeWords, string(v.Lower(d, t))) {
				return true
			}
		}
	}

	return false
}
