package reading

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Innocent texts with the words of attacks: a warning about data, a quotation.

// warning reports whether the sentence warns of orders in data: it states that
// they must not be followed, or calls their source untrusted.
func (x *passage) warning() bool {
	s := x.sen.Senses
	if s.Any(sense.Untrusted) {
		return !x.mask.Has(concept.Prior|concept.System) && !s.Any(sense.Guide|sense.Briefing)
	}
	if !x.mask.Any(concept.Neg) || !s.Any(sense.Carry) || x.mask.Any(concept.Prior|concept.System) ||
		s.Any(sense.Guide|sense.Briefing) {
		return false
	}
	c := x.senseAt(sense.Carry)
	return x.findAny(concept.Neg, c-5, c) >= 0 &&
		(s.Any(sense.InData|sense.Output) || x.mask.Any(concept.Result|concept.This))
}

// quoting reports whether most demands of the sentence are in quotation marks,
// with a warning in it or next to it.
func (x *passage) quoting() bool {
	quoted, plain := 0, 0
	for _, t := range x.toks {
		if t.Means.Any(concept.Ignore|concept.Send|concept.Tell|concept.Read|concept.Instr|concept.Secret|
			concept.Pay) && t.Flags&token.Ident == 0 {
			if t.Flags&(token.Quote|token.Code) != 0 {
				quoted++
			} else if t.Means.Any(concept.Ignore | concept.Send | concept.Read | concept.Pay) {
				plain++
			}
		}
	}

	if quoted < 2 || plain > quoted {
		return false
	}

	return x.nearbySenses().Any(sense.Untrusted) || x.warning()
}

// citing reports whether all demands of the sentence are in quotation marks
// after "like", "such as" or a bracket: it quotes what others write.
func (x *passage) citing() bool {
	if x.sen.Foreign {
		return x.citesForeign()
	}

	const orders = concept.Ignore | concept.Tell | concept.Send | concept.Read | concept.Include | concept.Call |
		concept.Pretend | concept.Disable
	first, quoted := -1, 0
	for i, t := range x.toks {
		in := t.Flags&(token.Quote|token.Code) != 0
		if in && first < 0 {
			first = i
		}

		switch {
		case !t.Means.Any(orders) || t.Flags&token.Ident != 0:
		case in:
			quoted++
		case x.mood(i) >= token.MoodOrder && !x.isWord(i, "go", "look", "like"):
			return false
		}
	}

	if quoted == 0 || first < 1 {
		return false
	}

	start := int(x.toks[first].Start)
	return x.findWord(first-3, first, "like", "as", "namely", "example", "examples", "instance", "phrases") >= 0 ||
		start > 1 && x.doc.Text[start-2] == '(' && x.findAny(concept.Must|concept.You, max(0, first-4), first) < 0
}

// citesForeign reports whether an order to forget what was said is in quotation
// marks, with nothing similar outside of them, for languages whose grammar is not
// analysed.
func (x *passage) citesForeign() bool {
	quoted, around := 0, 0
	for _, t := range x.toks {
		switch in := t.Flags&(token.Quote|token.Code) != 0; {
		case !in:
			around++
			if t.Means.Any(concept.Ignore) {
				return false
			}
		case t.Means.Any(concept.Ignore):
			quoted++
		}
	}

	return quoted > 0 && around > 1
}
