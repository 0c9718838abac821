package check

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
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

// carrierScore is the score from which a sentence is reported in a place where prose does not
// belong.
const carrierScore token.Score = classifier.Unit * 3 / 2

func inspectSchema(v *reading.Reading, r *tool.Registry) []Signal {
	for _, trip := range v.TripwireMatches(r) {
		if d := &v.Docs[trip.Doc]; carrier(&v.Fields[d.Field]) {
			s := Signal{CheckID: schemaInfo.ID, Tier: Soft, ThreatType: ToolPoisoning, Confidence: 0.7,
				Detail: v.Where(&v.Fields[d.Field]) + "; the text " + trip.Tripwire.What}.quotingDoc(v, d,
				int(trip.Start), int(trip.End))
			if trip.Stops() {
				s.Tier, s.Confidence = Hard, 0.9
			}

			return []Signal{s}
		}
	}

	if doc, clause, score := v.Worst(r,
		func(f *tool.Field, _ *token.Doc, _ *token.Sentence) bool { return carrier(f) }); doc >= 0 &&
		score > carrierScore {
		d, sen := &v.Docs[doc], &v.Clauses[clause]
		return []Signal{Signal{CheckID: schemaInfo.ID, Tier: Soft, ThreatType: ToolPoisoning,
			Confidence: min(float64(score)/sureScore, 1),
			Detail:     v.Where(&v.Fields[d.Field]) + "; " + likePlanted + telling(v, d, clause)}.quotingDoc(v, d,
			int(sen.Start), int(sen.End))}
	}

	for i := range v.Fields {
		f := &v.Fields[i]
		if f.Kind != tool.KindParamName || f.Layer != "" || len(f.Text) < 24 {
			continue
		}

		if n, verbs, sensitive := nameWords(v, i); n >= 5 && verbs >= 1 && sensitive || n >= 9 {
			return []Signal{Signal{CheckID: schemaInfo.ID, Tier: Soft, ThreatType: ToolPoisoning,
				Confidence: 0.7, Detail: "a parameter name that reads as a sentence"}.quoting(v, f, f.Text, 0,
				len(f.Text))}
		}
	}

	return nil
}

// carrier admits the fields of a schema where prose does not belong.
func carrier(f *tool.Field) bool {
	switch f.Kind {
	case tool.KindEnum, tool.KindDefault, tool.KindComment, tool.KindOther, tool.KindTitle, tool.KindExample,
		tool.KindJoined, tool.KindAnnotation, tool.KindExtra:
		return true
	}
	return false
}

// nameWords counts the words and the verbs of a parameter's name, and reports
// whether it refers to something that is not the tool's business.
func nameWords(v *reading.Reading, i int) (n, verbs int, sensitive bool) {
	d := &v.Docs[i]
	for _, t := range v.Tokens[d.Tok0:d.Tok1] {
		n++
		if t.Form == lexicon.BaseForm && t.Means.Any(concept.Deeds|concept.Ignore|concept.Tell) {
			verbs++
		}
		sensitive = sensitive ||
			t.Means.Any(concept.Secret|concept.CredPath|concept.System|concept.Model|concept.Ignore|concept.User|
				concept.Instr|concept.History) || strings.EqualFold(d.Text[t.Start:t.End], "conversation")
	}
	return n, verbs, sensitive
}
