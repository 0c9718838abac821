package check

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkPayload finds encoded orders: text that a model decodes easily and a
// reviewer does not.
var checkPayload = Check{payloadInfo, inspectPayload}

var payloadInfo = Info{
	ID: "payload.decoded", Tier: Hard, ThreatType: PromptInjection,
	Description: "orders or commands hidden in an encoding, a cipher or pieces",
	Why:         "a model decodes it, a reviewer does not, and honest documentation has no reason to encode an order",
	Do:          "Read the decoded text in the evidence. Quarantine the tool until its author has removed it.",
}

// A decoded sentence is reported from decodedScore on: somebody encoded it, so
// that less evidence is enough. From orderScore on it is an order, and from
// plainScore on in an encoding that honest texts have too, such as entities.
const (
	decodedScore token.Score = classifier.Unit / 2
	orderScore   token.Score = classifier.Unit
	plainScore   token.Score = 2 * classifier.Unit
	// respelledScore is added for text that may only be written carelessly.
	respelledScore token.Score = classifier.Unit
)

// inspectPayload reports a decoded sentence that is more like those that
// attackers plant than any in the text as written.
func inspectPayload(v *reading.Reading, r *tool.Registry) []Signal {
	doc, clause, score := v.Worst(r, func(f *tool.Field, _ *token.Doc, _ *token.Sentence) bool { return f.Layer != "" })
	if doc < 0 {
		return nil
	}

	d, sen := &v.Docs[doc], &v.Clauses[clause]
	f := &v.Fields[d.Field]
	least := flagScoreOf(v)
	switch {
	case decode.Deliberate(f.Layer):
		least = decodedScore
	case decode.Respells(f.Layer):
		least += respelledScore
	}

	as, _, plain := v.Worst(r, func(f *tool.Field, _ *token.Doc, _ *token.Sentence) bool { return f.Layer == "" })
	if score <= least || as >= 0 && score <= plain {
		return encodedOrder(v)
	}

	s := Signal{
		CheckID: payloadInfo.ID, Tier: Soft, ThreatType: PromptInjection,
		Confidence: min(0.5+float64(score)/sureScore, 1),
		Detail:     v.Where(f) + "; " + likePlanted + telling(v, d, clause),
	}.quotingDoc(v, d, int(sen.Start), int(sen.End))
	order := decode.Deliberate(f.Layer) && score >= orderScore || !decode.Respells(f.Layer) &&
		!decode.OnlyInSequence(f.Layer) && score >= plainScore
	if order && !v.Purpose().Any(concept.Meta) {
		s.Tier, s.Critical = Hard, true
	}

	return []Signal{s}
}

// encodedOrder reports an encoded order to send something to an address, or to
// do it silently. Other encoded sentences are judged by their meaning, like any
// text, because an honest author may encode them.
func encodedOrder(v *reading.Reading) []Signal {
	for i := range v.Docs {
		d := &v.Docs[i]
		f := &v.Fields[d.Field]
		if f.Layer == "" || !decode.Deliberate(f.Layer) {
			continue
		}

		if v.Purpose().Any(concept.Meta) {
			return nil
		}

		for s := d.Sen0; s < d.Sen1; s++ {
			sen := &v.Clauses[s]
			if !sen.Means.Any(concept.Send|concept.Secretly) || sen.Means.Any(concept.Meta) {
				continue
			}

			text, deeds, what := d.Text[sen.Start:sen.End], concept.Send, "; an order to send something to an address"
			switch {
			case sen.Means.Any(concept.Secretly):
				deeds, what = concept.Deeds, "; an order to do something in silence"
			case !strings.Contains(text, "://") && !char.HasEmail(text):
				continue
			}

			toks := v.Tokens[sen.Tok0:sen.Tok1]
			for k := range toks {
				if toks[k].Means.Any(deeds) &&
					(toks[k].Form == lexicon.BaseForm || token.MoodOf(toks, k, sen) >= token.MoodPlain) {
					return []Signal{Signal{CheckID: payloadInfo.ID, Tier: Soft, ThreatType: PromptInjection,
						Confidence: 0.6,
						Detail:     v.Where(f) + what}.quotingDoc(v, d, int(sen.Start), int(sen.End))}
				}
			}
		}
	}

	return nil
}
