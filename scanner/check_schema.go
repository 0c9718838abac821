package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// checkSchema finds orders where a schema has no room for prose: names,
// enumerations, defaults, examples, patterns, comments.
var checkSchema = registered{schemaInfo, inspectSchema}

var schemaInfo = info{
	ID: "schema.carrier", Tier: tierHard, ThreatType: threatToolPoisoning,
	Description: "orders in parameter names, enum values, defaults, examples, patterns or comments of a schema",
}

func inspectSchema(v *toolReading, r *registry) []signal {
	var best [frCount]hit
	for _, h := range v.frames(r) {
		switch v.fields[v.docs[h.doc].Field].kind {
		case kindParamName, kindEnum, kindDefault, kindPattern, kindComment, kindOther, kindTitle, kindExample, kindJoined, kindAnnotation:
			if h.weight > best[h.frame].weight {
				best[h.frame] = h
			}
		}
	}
	sum, strongest := 0.0, frameID(0)
	for f := range best {
		sum += best[f].weight
		if best[f].weight > best[strongest].weight {
			strongest = frameID(f)
		}
	}
	var out []signal
	if sum >= 1.2 && (best[strongest].weight >= softWeight || v.fields[v.docs[best[strongest].doc].Field].kind != kindJoined) {
		h := best[strongest]
		d := &v.docs[h.doc]
		s := signal{CheckID: schemaInfo.ID, Tier: tierSoft, ThreatType: threatToolPoisoning,
			Confidence: min(sum/3, 1), Evidence: char.Excerpt(d.Text, int(h.start), int(h.end)),
			Detail: v.fields[d.Field].where() + "; " + frameNames[strongest]}
		if k := v.fields[d.Field].kind; sum >= 2.4 && h.weight >= 2 && k != kindExample && k != kindTitle && !v.purpose().Any(concept.Meta) {
			s.Tier = tierHard
		}
		return append(out, s)
	}
	for i := range v.fields {
		f := &v.fields[i]
		if f.kind != kindParamName || f.layer != "" || len(f.text) < 24 {
			continue
		}
		if n, verbs, sensitive := nameWords(v, i); n >= 5 && verbs >= 1 && sensitive || n >= 9 {
			return append(out, signal{CheckID: schemaInfo.ID, Tier: tierSoft, ThreatType: threatToolPoisoning,
				Confidence: 0.7, Evidence: f.text, Detail: "a parameter name that reads as a sentence"})
		}
	}
	return out
}

// nameWords counts the words of a parameter's name, its verbs, and says
// whether it speaks of what is not the tool's business.
func nameWords(v *toolReading, i int) (n, verbs int, sensitive bool) {
	d := &v.docs[i]
	for _, t := range v.tokens[d.Tok0:d.Tok1] {
		n++
		if t.Form == lexicon.BaseForm && t.Means.Any(concept.Deeds|concept.Ignore|concept.Tell) {
			verbs++
		}
		sensitive = sensitive || t.Means.Any(concept.Secret|concept.CredPath|concept.System|concept.Model|concept.Ignore|concept.User|concept.Instr|concept.History) || strings.EqualFold(d.Text[t.Start:t.End], "conversation")
	}
	return n, verbs, sensitive
}
