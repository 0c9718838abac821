package check

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
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

// inspectPayload reports hits in decoded text that are stronger than those in
// the text as written.
func inspectPayload(v *frames.Reading, r *tool.Registry) []Signal {
	var plain, hidden [frames.Count]frames.Hit
	for _, h := range v.Frames(r) {
		best := &plain
		if v.Fields[v.Docs[h.Doc].Field].Layer != "" {
			best = &hidden
		}
		if h.Weight > best[h.Frame].Weight {
			best[h.Frame] = h
		}
	}
	sum := 0.0
	strongest := frames.ID(0)
	for f := range hidden {
		if hidden[f].Weight > plain[f].Weight {
			sum += hidden[f].Weight
			if hidden[f].Weight > hidden[strongest].Weight || hidden[strongest].Weight <= plain[strongest].Weight {
				strongest = frames.ID(f)
			}
		}
	}
	h := hidden[strongest]
	least := frames.SoftWeight
	if h.Weight > 0 {
		// Somebody encoded it or cut it up, so a hint is enough.
		layer := v.Fields[v.Docs[h.Doc].Field].Layer
		if decode.Deliberate(layer) || decode.OnlyInSequence(layer) && h.Frame == frames.Override {
			least = 1
		}
		if decode.OnlyInSequence(layer) && h.Weight < frames.SoftWeight && h.Frame != frames.Override {
			return nil // parts of honest texts match by chance when joined
		}
	}
	if sum < least || h.Weight == 0 {
		return encodedOrder(v)
	}
	d := &v.Docs[h.Doc]
	f := &v.Fields[d.Field]
	s := Signal{
		CheckID: payloadInfo.ID, Tier: Soft, ThreatType: PromptInjection,
		Confidence: min(sum/3, 1),
		Detail:     v.Where(f) + "; " + frames.Names[h.Frame],
	}.quotingDoc(v, d, int(h.Start), int(h.End))
	// A long text that was only respelled or reordered contains hints by
	// chance.
	if sum >= frames.SoftWeight+0.4 && !decode.OnlyInSequence(f.Layer) && !v.Purpose().Any(concept.Meta) && (decode.Deliberate(f.Layer) || len(v.Tokens) <= 2*frames.LongTool) {
		s.Tier, s.Critical = Hard, true
	}
	return []Signal{s}
}

// encodedOrder reports an encoded order to send something to an address, or to
// do it silently. Other encoded sentences are judged by their meaning, like any
// text, because an honest author may encode them.
func encodedOrder(v *frames.Reading) []Signal {
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
				if toks[k].Means.Any(deeds) && (toks[k].Form == lexicon.BaseForm || token.MoodOf(toks, k, sen) >= token.MoodPlain) {
					return []Signal{Signal{CheckID: payloadInfo.ID, Tier: Soft, ThreatType: PromptInjection, Confidence: 0.6,
						Detail: v.Where(f) + what}.quotingDoc(v, d, int(sen.Start), int(sen.End))}
				}
			}
		}
	}
	return nil
}
