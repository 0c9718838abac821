package check

import (
	"math/bits"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkSentence finds sentences phrased like those that attackers plant. A
// classifier has learnt the phrasing from labelled tools.
var checkSentence = Check{sentenceInfo, inspectSentence}

var sentenceInfo = Info{
	ID: "sentence.classifier", Tier: Soft, ThreatType: ToolPoisoning,
	Description: "a sentence like those that attackers plant, by a classifier trained on labelled tools",
	Why:         "the wording is that of planted orders, even if no rule knows it",
	Do:          "Read the sentence. Accept it with a reason if it only describes the tool; otherwise ask the author to remove it.",
}

const (
	// flagScore is the score above which a sentence is reported, in a tool with
	// few sentences.
	flagScore token.Score = classifier.Unit*3/2 - 1
	// lengthScore is added for each doubling of the number of sentences: the
	// highest of many scores is high by chance. It does not apply up to
	// fewSentences.
	lengthScore  token.Score = 10
	fewSentences int         = 4
	// fewIdentifiers is the number of words of identifiers up to which a sentence is no list.
	fewIdentifiers = 6
	// mixedScore is the threshold for a sentence in two languages, because the training
	// data has few of them.
	mixedScore token.Score = classifier.Unit * 9 / 4
	// sureScore is the score at which the confidence is highest. A sentence at the threshold
	// counts as baseScore.
	sureScore float64     = 6 * classifier.Unit
	baseScore token.Score = classifier.Unit*7/4 - 1
)

func inspectSentence(v *frames.Reading, r *tool.Registry) []Signal {
	if v.Subject == tool.Instructions {
		return nil // they order the model about by design, and no training data has them
	}
	v.Frames(r) // this scores the sentences first
	threshold := flagScoreOf(v)
	worst, doc, clause := threshold, -1, -1
	for i := range v.Docs {
		if v.Fields[v.Docs[i].Field].Kind == tool.KindJoined {
			continue // joined texts contain sentences that nobody wrote
		}
		for k := v.Docs[i].Sen0; k < v.Docs[i].Sen1; k++ {
			s := &v.Clauses[k]
			if s.Score > worst && (s.Score > mixedScore || !mixesLanguages(v, s)) && !lists(v, s) && !v.Forbids(&v.Docs[i], s) {
				worst, doc, clause = s.Score, i, k
			}
		}
	}
	if doc < 0 {
		return nil
	}
	d, s := &v.Docs[doc], &v.Clauses[clause]
	// The length of a tool raises the threshold, and lowers the confidence as much.
	found := Signal{
		CheckID: sentenceInfo.ID, Tier: Soft, ThreatType: sentenceInfo.ThreatType,
		Confidence: positionDiscount(min(float64(worst-threshold+baseScore)/sureScore, 1), int(s.Start)),
		Detail:     v.Where(&v.Fields[d.Field]) + ": a sentence like those that attackers plant" + telling(v, d, clause),
	}.quotingDoc(v, d, int(v.Tokens[s.Tok0].Start), int(v.Tokens[s.Tok1-1].End))
	if s.Means.Any(concept.Secret|concept.CredPath|concept.Conv|concept.History|concept.Personal) && s.Means.Any(concept.Send|concept.Include|concept.Read|concept.Link|concept.Outside) {
		found.ThreatType = Exfiltration
	}
	return []Signal{found}
}

// telling names the words that weighed most in the score of a sentence.
func telling(v *frames.Reading, d *token.Doc, clause int) string {
	words := v.Scorer.Telling(&v.View, d, clause, 3)
	if len(words) == 0 {
		return "" // its meanings and its structure did
	}
	return `; the words "` + strings.Join(words, `", "`) + `" weighed most`
}

// lists reports whether most of a sentence is identifiers: "one of addLabelToCard, commentCard".
func lists(v *frames.Reading, s *token.Sentence) bool {
	identifiers := 0
	for i := s.Tok0; i < s.Tok1; i++ {
		if v.Tokens[i].Flags&token.Ident != 0 {
			identifiers++
		}
	}
	return identifiers > fewIdentifiers && 2*identifiers > s.Tok1-s.Tok0
}

// mixesLanguages reports whether a sentence has function words of English and
// of another language.
func mixesLanguages(v *frames.Reading, s *token.Sentence) bool {
	if !s.Foreign && !s.Means.Any(concept.Foreign) || !s.Means.Any(concept.Stop) {
		return false
	}
	english, foreign := 0, 0
	for _, t := range v.Tokens[s.Tok0:s.Tok1] {
		switch {
		case t.Means.Any(concept.Foreign), t.Node == 0 && t.Means != 0:
			foreign++
		case t.Means.Any(concept.Stop):
			english++
		}
	}
	return english > 2 && foreign > 1
}

// flagScoreOf is the score above which a sentence of this tool is reported.
func flagScoreOf(v *frames.Reading) token.Score {
	n := 0
	for i := range v.Docs {
		if f := &v.Fields[v.Docs[i].Field]; f.Layer == "" && f.Classified() {
			n += v.Docs[i].Sen1 - v.Docs[i].Sen0
		}
	}
	return flagScore + lengthScore*token.Score(bits.Len(uint(n/fewSentences|1))-1)
}
