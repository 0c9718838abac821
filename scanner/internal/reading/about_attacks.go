package reading

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Texts that describe attacks and are not attacks themselves.

// describesAttacks reports whether the sentence describes attacks instead of being
// one: it quotes their words, or begins with "detects", or follows other
// sentences that quote some.
func (x *passage) describesAttacks() bool {
	if x.sen.Senses.Any(sense.Untrusted|sense.Carry) && x.warning() ||
		x.mask.Any(concept.Ignore|concept.Secret|concept.System|concept.Instr) && x.quoting() ||
		x.sen.Flags&(token.Quote|token.Code) != 0 && x.citing() {
		x.quoted++
		return true
	}

	if !x.mask.Any(concept.Meta) {
		// An example of several sentences, quoted and announced before.
		if x.toks[0].Flags&(token.Quote|token.Code) != 0 && Introduced(&x.v.View, x.doc, x.sen) {
			x.quoted++
			return true
		}

		return x.quoted > 1 // a list of phrases of attacks
	}

	meta, quoted, opens := x.countAttackWords()
	if meta > 0 && quoted > 0 {
		x.quoted++
	}

	return meta > 0 && (quoted > 1 || meta > 1 || opens || x.purposeMeanings().Any(concept.Meta))
}

// attackConcepts are the meanings of the words of attacks.
const attackConcepts = concept.Ignore | concept.Tell | concept.Show | concept.Send | concept.Include | concept.Read |
	concept.Call | concept.Prefer | concept.Disable | concept.Pretend |
	concept.Deceive | concept.Secretly | concept.Know | concept.Ask | concept.Change | concept.Pay | concept.Destroy |
	concept.Now | concept.History | concept.Secret | concept.CredPath | concept.System | concept.Model |
	concept.Do | concept.Guard | concept.Rule | concept.Instr | concept.End | concept.You | concept.User

// countAttackWords counts the words with which the sentence describes attacks, and
// the quoted words of attacks. opens reports that it begins with such a
// description.
func (x *passage) countAttackWords() (meta, quoted int, opens bool) {
	for i, t := range x.toks {
		// "such as keys" in the middle of a demand gives an example of the
		// demanded thing.
		if t.Means.Any(concept.Meta) && t.Flags&token.Ident == 0 {
			meta++
			opens = opens || i < 3 && t.Form == lexicon.ThirdPerson || i > 0 && t.Form == lexicon.BaseForm &&
				t.Flags&(token.Break|token.Ident) == token.Break && x.mask.Any(concept.Neg)
		}

		if t.Flags&(token.Quote|token.Code) != 0 && t.Means.Any(attackConcepts) {
			quoted++
		}
	}

	return meta, quoted, opens
}

// Introduced reports whether one of the two previous sentences announces
// examples or mentions attacks.
func Introduced(v *tool.View, d *token.Doc, sen *token.Sentence) bool {
	k, _ := slices.BinarySearchFunc(v.Clauses[d.Sen0:d.Sen1], sen.Tok0,
		func(s token.Sentence, tok int) int { return s.Tok0 - tok })
	if k += d.Sen0; k == d.Sen0 {
		return false
	}
	before := v.Clauses[max(d.Sen0, k-2):k]
	return before[len(before)-1].Means.Any(concept.Meta) || before[0].Means.Any(concept.Meta)
}
