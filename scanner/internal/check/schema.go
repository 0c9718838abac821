package check

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkSchema finds orders in parts of a schema where prose does not belong:
// names, enumerations, defaults, examples, patterns, comments.
var checkSchema = Check{schemaInfo, inspectSchema}

var schemaInfo = Info{
	ID: "schema.carrier", Tier: Hard, ThreatType: ToolPoisoning,
	Description: "orders in parameter names, enum values, defaults, examples, patterns or comments of a schema",
	Why:         "reviewers skip schemas, and models read them",
	Do:          "Quarantine the tool until its author has removed the text from the schema.",
}

func inspectSchema(v *frames.Reading, r *tool.Registry) []Signal {
	var best [frames.Count]frames.Hit
	for _, h := range v.Frames(r) {
		switch v.Fields[v.Docs[h.Doc].Field].Kind {
		case tool.KindParamName, tool.KindEnum, tool.KindDefault, tool.KindPattern, tool.KindComment, tool.KindOther, tool.KindTitle, tool.KindExample, tool.KindJoined, tool.KindAnnotation, tool.KindExtra:
			if h.Weight > best[h.Frame].Weight {
				best[h.Frame] = h
			}
		}
	}
	sum, strongest := 0.0, frames.ID(0)
	for f := range best {
		sum += best[f].Weight
		if best[f].Weight > best[strongest].Weight {
			strongest = frames.ID(f)
		}
	}
	var out []Signal
	if sum >= 1.2 && (best[strongest].Weight >= frames.SoftWeight || v.Fields[v.Docs[best[strongest].Doc].Field].Kind != tool.KindJoined) {
		h := best[strongest]
		d := &v.Docs[h.Doc]
		s := Signal{CheckID: schemaInfo.ID, Tier: Soft, ThreatType: ToolPoisoning,
			Confidence: min(sum/3, 1),
			Detail:     v.Where(&v.Fields[d.Field]) + "; " + frames.Names[strongest]}.quotingDoc(v, d, int(h.Start), int(h.End))
		if k := v.Fields[d.Field].Kind; sum >= 2.4 && h.Weight >= 2 && k != tool.KindExample && k != tool.KindTitle && !v.Purpose().Any(concept.Meta) {
			s.Tier = Hard
		}
		return append(out, s)
	}
	for i := range v.Fields {
		f := &v.Fields[i]
		if f.Kind != tool.KindParamName || f.Layer != "" || len(f.Text) < 24 {
			continue
		}
		if n, verbs, sensitive := nameWords(v, i); n >= 5 && verbs >= 1 && sensitive || n >= 9 {
			return append(out, Signal{CheckID: schemaInfo.ID, Tier: Soft, ThreatType: ToolPoisoning,
				Confidence: 0.7, Detail: "a parameter name that reads as a sentence"}.quoting(v, f, f.Text, 0, len(f.Text)))
		}
	}
	return out
}

// nameWords counts the words and the verbs of a parameter's name, and reports
// whether it refers to something that is not the tool's business.
func nameWords(v *frames.Reading, i int) (n, verbs int, sensitive bool) {
	d := &v.Docs[i]
	for _, t := range v.Tokens[d.Tok0:d.Tok1] {
		n++
		if t.Form == lexicon.BaseForm && t.Means.Any(concept.Deeds|concept.Ignore|concept.Tell) {
			verbs++
		}
		sensitive = sensitive || t.Means.Any(concept.Secret|concept.CredPath|concept.System|concept.Model|concept.Ignore|concept.User|concept.Instr|concept.History) || strings.EqualFold(d.Text[t.Start:t.End], "conversation")
	}
	return n, verbs, sensitive
}
