package check

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/command"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkCode finds commands and code that do harm if somebody follows the text.
var checkCode = Check{codeInfo, inspectCode}

var codeInfo = Info{
	ID: "code.malicious", Tier: Hard, ThreatType: MaliciousCode,
	Description: "commands or code in the text that fetch and run, delete, open a shell or persist",
	Why:         "a model with a terminal, or a helpful user, runs it",
	Do:          "Do not run it. Quarantine the tool, and look at the address that it loads from.",
}

// hardWeight is the weight from which on a command is a hard signal. A default is one from
// clearWeight on: no honest tool has such a command there.
const (
	hardWeight  = 2.6
	clearWeight = 1.4
)

func inspectCode(v *reading.Reading, _ *tool.Registry) []Signal {
	docs := v.Analyze()
	about := v.Purpose()
	best, weight := -1, 0.0
	var at, end int
	var what string
	for i := range docs {
		d := &docs[i]
		if len(d.Text) < 8 || !d.Stats.Command {
			continue
		}

		command.EachShape(d.Text, func(sh *command.Shape, from, to int) {
			if w := shapeWeight(v, d, sh, about, from, to); w > weight {
				best, weight, at, end, what = i, w, from, to, sh.What
			}
		})
	}

	if f, reaches := valueCommand(&v.View); f != nil && !about.Any(concept.Meta|concept.Shell) {
		s := Signal{CheckID: codeInfo.ID, Tier: Soft, ThreatType: MaliciousCode, Confidence: 0.7,
			Detail: v.Where(f) + ": a command in the place of a value"}.quoting(v, f, f.Text, 0, len(f.Text))
		if reaches {
			s.Tier, s.Confidence = Hard, 0.9
		}

		return []Signal{s}
	}

	if weight < softWeight {
		return nil
	}

	d := &docs[best]
	s := Signal{CheckID: codeInfo.ID, Tier: Soft, ThreatType: MaliciousCode,
		Confidence: positionDiscount(min(weight/3, 1), at),
		Detail:     v.Where(&v.Fields[d.Field]) + ": " + what}.quotingDoc(v, d, at, end)
	if weight >= hardWeight && (!about.Any(concept.Meta|concept.Shell) || v.Fields[d.Field].Kind == tool.KindDefault) {
		s.Tier = Hard
		s.Critical = v.Fields[d.Field].Layer != ""
	}

	return []Signal{s}
}

// shapeWeight is the weight of a command in its context: more in an order, with
// a suspicious address or in an encoding, and less if the text only mentions
// it.
func shapeWeight(v *reading.Reading, d *token.Doc, sh *command.Shape, about concept.Set, from, to int) float64 {
	w := sh.Weight
	f := &v.Fields[d.Field]
	if command.StrangePlace(d.Text[from:min(len(d.Text), to+40)]) {
		w += 0.6
	}

	if f.Kind == tool.KindDefault || f.Kind == tool.KindEnum {
		w += 0.4 // used without being requested
	}

	if sh.What == command.Fetches && w < softWeight && f.Kind == tool.KindDescription && f.Layer == "" &&
		!strings.ContainsAny(d.Text[max(0, from-40):from], "`\"'") {
		w += 0.2 // documentation puts commands in backticks
	}

	if s := v.SentenceAt(d, from); s != nil {
		toks := v.Tokens[s.Tok0:s.Tok1]
		for j := range toks {
			if int(toks[j].Start) >= from {
				break
			}

			if toks[j].Means.Any(concept.Call) && token.MoodOf(toks, j, s) >= token.MoodOrder {
				w += 0.6
				break
			}
		}

		if s.Means.Any(concept.Before | concept.Must) {
			w += 0.5
		}

		if meansOutsideOptions(d, toks, concept.Meta|concept.Neg) || reading.Introduced(&v.View, d, s) || s.First &&
			slices.Contains(looksFor, strings.ToLower(d.Text[toks[0].Start:toks[0].End])) {
			w *= 0.3
		}
	}

	if about.Any(concept.Shell|concept.Destroy) && f.Kind != tool.KindDescription {
		w *= 0.5 // an example of the input of a shell tool
	} else if f.Kind == tool.KindDefault && sh.Weight >= clearWeight {
		return hardWeight // a default is used, even by a tool that speaks of attacks
	}

	switch {
	case f.Layer == "":
	case decode.Deliberate(f.Layer):
		w += 1.6 // nobody encodes a harmless command
	default:
		w += 0.8
	}

	if about.Any(concept.Meta) {
		w *= 0.3
	}

	return w
}

// meansOutsideOptions reports whether a word of the sentence has a meaning. The options of a command, such as
// --no-preserve-root, deny nothing.
func meansOutsideOptions(d *token.Doc, toks []token.Token, m concept.Set) bool {
	return slices.ContainsFunc(toks, func(t token.Token) bool {
		return t.Means.Any(m) && (t.Start == 0 || d.Text[t.Start-1] != '-')
	})
}

// looksFor are words at the beginning of a description that mentions commands
// because its tool searches for them or converts something.
var looksFor = []string{"finds", "searches", "matches", "lists", "reports", "flags", "catches", "spots", "highlights",
	"explains", "describes", "documents", "parses", "checks", "rejects", "blocks", "converts", "translates", "turns",
	"generates"}
