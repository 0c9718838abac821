package reading

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Judge scores every sentence of the tool among the tools of a registry, which
// may be nil, and finds the tripwires that it matches.
func (v *Reading) Judge(reg *tool.Registry) {
	if v.judged {
		return
	}

	v.judged = true
	v.Analyze()
	x := &v.passage
	*x = passage{v: v, reg: reg, about: v.Purpose(), nameMeans: v.NamePurpose(), words: x.words}
	for i := range v.Docs {
		f := &v.Fields[v.Docs[i].Field]
		if v.Docs[i].Read {
			continue
		}

		x.d, x.doc, x.kind, x.quoted = i, &v.Docs[i], f.Kind, 0
		for k := v.Docs[i].Sen0; k < v.Docs[i].Sen1; k++ {
			s := &v.Clauses[k]
			x.matchTripwires(s)
			if f.Classified() && (s.Flags&(token.Ident|token.Quote|token.Code) != 0 || s.Means.Any(concept.Tool)) {
				x.setSentence(s)
				s.Names = x.mentions()
			}
		}
	}

	v.Scorer.Score(&v.View)
}

// Worst returns the sentence with the highest score among those that in admits, or -1 and
// -1 if there is none. It judges the tool first. Sentences that only forbid what attackers
// demand do not count, nor do lists, code and sentences in two languages.
func (v *Reading) Worst(reg *tool.Registry, in func(*tool.Field, *token.Doc, *token.Sentence) bool) (doc, clause int,
	score token.Score) {
	v.Judge(reg)
	doc, clause = -1, -1
	for i := range v.Docs {
		d := &v.Docs[i]
		f := &v.Fields[d.Field]
		if d.Read || !f.Classified() {
			continue
		}

		for k := d.Sen0; k < d.Sen1; k++ {
			if s := &v.Clauses[k]; (doc < 0 || s.Score > score) && s.Tok1 > s.Tok0 && in(f, d, s) && !v.isList(d, s) &&
				!v.isCode(d, s) && !(s.Score <= mixedScore && v.mixesLanguages(s)) && !v.forbids(d, s) {
				doc, clause, score = i, k, s.Score
			}
		}
	}

	return doc, clause, score
}

// LogOdds is a score as the logarithm of the odds that a sentence is planted.
func LogOdds(s token.Score) float64 { return float64(s) / classifier.Unit }

// mixedScore is the score from which a sentence in two languages counts,
// because the training data has few of them.
const mixedScore token.Score = classifier.Unit * 9 / 4

// fewIdentifiers is the number of words of identifiers, or of commas, up to which a sentence
// is no list.
const fewIdentifiers = 6

// isList reports whether most of a sentence is identifiers or single words between commas: "one
// of addLabelToCard, commentCard".
func (v *Reading) isList(d *token.Doc, s *token.Sentence) bool {
	identifiers := 0
	for i := s.Tok0; i < s.Tok1; i++ {
		if v.Tokens[i].Flags&token.Ident != 0 {
			identifiers++
		}
	}
	if identifiers > fewIdentifiers && 2*identifiers > s.Tok1-s.Tok0 {
		return true
	}
	commas := strings.Count(d.Text[v.Tokens[s.Tok0].Start:v.Tokens[s.Tok1-1].End], ",")
	return commas > fewIdentifiers && 2*commas+identifiers > s.Tok1-s.Tok0
}

// isCode reports whether a sentence is code rather than words: many signs, few of the small
// words of prose.
func (v *Reading) isCode(d *token.Doc, s *token.Sentence) bool {
	if s.Tok1-s.Tok0 < fewIdentifiers {
		return false // a token of a chat template
	}

	from, to := v.Tokens[s.Tok0].Start, v.Tokens[s.Tok1-1].End
	text := d.Text[from:to]
	signs := 0
	for i := 0; i < len(text); i++ {
		member := text[i] == '.' && i+1 < len(text) && char.IsWord(text[i+1])
		if codeSigns[text[i]] || member {
			signs++
		}
	}

	if signs*codeShare < len(text) {
		return false
	}

	small := 0
	for _, t := range v.Tokens[s.Tok0:s.Tok1] {
		if c := d.Text[t.Start]; t.Means.Any(concept.Stop) && c >= 'a' && c <= 'z' {
			small++
		}
	}

	return small*smallShare <= s.Tok1-s.Tok0
}

var codeSigns = char.SetOf("=(){}[]<>_;|&$+*%")

// One of codeShare characters of code is a sign, and at most one of smallShare words is a
// small word of prose. SQL in capitals has none.
const (
	codeShare  = 12
	smallShare = 12
)

// mixesLanguages reports whether a sentence has function words of English and
// of another language.
func (v *Reading) mixesLanguages(s *token.Sentence) bool {
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
