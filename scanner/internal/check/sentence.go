package check

import (
	"math/bits"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkSentence finds sentences phrased like those that attackers plant. A
// classifier has learnt the phrasing from labelled tools.
var checkSentence = Check{sentenceInfo, inspectSentence}

var sentenceInfo = Info{
	ID: "sentence.classifier", Tier: Soft, ThreatType: ToolPoisoning,
	Description: "a sentence like those that attackers plant, by a classifier trained on labelled tools",
	Why:         "the wording is that of planted orders, even if no tripwire knows it",
	Do: "Read the sentence. Accept it with a reason if it only describes the tool; otherwise ask the " +
		"author to remove it.",
}

const (
	// flagScore is the score above which a sentence is reported, in a tool with
	// few sentences.
	flagScore token.Score = classifier.Unit * 11 / 8
	// lengthScore is added for each doubling of the number of sentences: the
	// highest of many scores is high by chance. It does not apply up to
	// fewSentences.
	lengthScore  token.Score = 10
	fewSentences int         = 4
	// instructionsScore is added for the instructions of a server. They order the model
	// about by design, and the training data has none.
	instructionsScore token.Score = 2 * classifier.Unit
	// sureScore is the score at which the confidence is highest. A sentence at the threshold
	// counts as baseScore.
	sureScore float64     = 6 * classifier.Unit
	baseScore token.Score = classifier.Unit*7/4 - 1
)

// likePlanted describes a sentence with a high score.
const likePlanted = "a sentence like those that attackers plant"

func inspectSentence(v *reading.Reading, r *tool.Registry) []Signal {
	if doc, clause := worstSentence(v, r); doc >= 0 && v.Clauses[clause].Names != token.NamesOther {
		return []Signal{planted(v, &sentenceInfo, doc, clause)}
	}
	return nil
}

// worstSentence returns the sentence of the tool that is most like those that attackers
// plant, or -1 and -1 if none is enough. If it names a tool of another server, the check of
// shadowing reports it.
func worstSentence(v *reading.Reading, r *tool.Registry) (doc, clause int) {
	least := flagScoreOf(v)
	prose := func(of bool) func(*tool.Field, *token.Doc, *token.Sentence) bool {
		return func(f *tool.Field, d *token.Doc, s *token.Sentence) bool {
			return f.Kind != tool.KindJoined && // joined texts contain sentences that nobody wrote
				!introducesProduct(v, f, d, s) && (s.Names == token.NamesOther) == of &&
				(s.Score > least+respelledScore || !decode.Respells(f.Layer))
		}
	}
	doc, clause, score := v.Worst(r, prose(false))
	if doc < 0 || score <= least {
		doc, clause, score = -1, -1, least
	}

	if d, k, other := v.Worst(r, prose(true)); d >= 0 && other > max(score, least+namesScore) {
		doc, clause = d, k
	}

	return doc, clause
}

// introducesProduct reports whether the sentence opens a description with what the product is: "Velvetta is a fashion
// assistant that helps you". The product is named, so that the sentence is not about the model that reads it, and it
// demands nothing.
func introducesProduct(v *reading.Reading, f *tool.Field, d *token.Doc, s *token.Sentence) bool {
	const demands = concept.Must | concept.Should | concept.Neg | concept.Ignore | concept.Secret | concept.CredPath |
		concept.Send | concept.Secretly | concept.Before | concept.Disable | concept.Pretend | concept.Destroy
	if !s.First || f.Kind != tool.KindDescription || f.Layer != "" || !s.Means.Any(concept.Model) {
		return false
	}

	const longestName = 5
	toks := v.Tokens[s.Tok0:s.Tok1]
	for i := range toks {
		if toks[i].Means.Any(demands) && toks[i].Flags&token.Quote == 0 {
			return false
		}
	}

	for i := 1; i < min(longestName+1, len(toks)-1); i++ {
		if w := v.Word(d, toks[i-1]); i == 1 && (toks[0].Means.Any(concept.You|concept.Model|concept.User) ||
			w == "this") {
			return false
		}

		if w := v.Word(d, toks[i]); w == "is" {
			next := v.Word(d, toks[i+1])
			return next == "a" || next == "an" || next == "the" || next == "your"
		}
	}

	return false
}

// planted is the signal of a check for a sentence like those that attackers plant.
func planted(v *reading.Reading, about *Info, doc, clause int) Signal {
	d, s := &v.Docs[doc], &v.Clauses[clause]
	subject := v.About(s)
	if subject != "" {
		subject = ": it is about " + subject
	}
	return Signal{
		CheckID: about.ID, Tier: Soft, ThreatType: threatOf(s, about.ThreatType),
		// The length of a tool raises the threshold, and lowers the confidence as much.
		Confidence: positionDiscount(min(float64(s.Score-flagScoreOf(v)+baseScore)/sureScore, 1), int(s.Start)),
		Detail:     v.Where(&v.Fields[d.Field]) + ": " + likePlanted + subject + telling(v, d, clause),
	}.quotingDoc(v, d, int(v.Tokens[s.Tok0].Start), int(v.Tokens[s.Tok1-1].End))
}

// threatOf is the threat of a sentence like those that attackers plant, or else
// that of the check.
func threatOf(s *token.Sentence, otherwise ThreatType) ThreatType {
	switch {
	case s.Means.Any(concept.Secret|concept.CredPath|concept.Conv|concept.History|concept.Personal) &&
		s.Means.Any(concept.Send|concept.Include|concept.Read|concept.Link|concept.Outside):
		return Exfiltration
	case s.Means.Any(concept.Ignore|concept.Pretend|concept.Disable) &&
		s.Means.Any(concept.Instr|concept.Rule|concept.System|concept.Guard|concept.Prior):
		return PromptInjection
	}
	return otherwise
}

// telling names the words that weighed most in the score of a sentence.
func telling(v *reading.Reading, d *token.Doc, clause int) string {
	words := v.Scorer.Telling(&v.View, d, clause, 3)
	if len(words) == 0 {
		return "" // its meanings and its structure did
	}
	return `; the words "` + strings.Join(words, `", "`) + `" weighed most`
}

// flagScoreOf is the score above which a sentence of this tool is reported.
func flagScoreOf(v *reading.Reading) token.Score {
	n := 0
	for i := range v.Analyze() {
		if f := &v.Fields[v.Docs[i].Field]; f.Layer == "" && f.Classified() {
			n += v.Docs[i].Sen1 - v.Docs[i].Sen0
		}
	}
	least := flagScore + lengthScore*token.Score(bits.Len(uint(n/fewSentences|1))-1)
	if v.Subject == tool.Instructions {
		least += instructionsScore
	}
	return least
}
