package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Innocent texts with the words of attacks: a warning about data, a quotation,
// a request for manners.

// warning reports whether the sentence warns of orders in data: it states that
// they must not be followed, or calls their source untrusted.
func (x *passage) warning() bool {
	s := x.sen.Senses
	if s.Any(sense.Untrusted) {
		return !x.mask.Has(concept.Prior|concept.System) && !s.Any(sense.Guide|sense.Briefing)
	}
	if !x.mask.Any(concept.Neg) || !s.Any(sense.Carry) || x.mask.Any(concept.Prior|concept.System) || s.Any(sense.Guide|sense.Briefing) {
		return false
	}
	c := x.senseAt(sense.Carry, 0, len(x.toks))
	return x.findAny(concept.Neg, c-5, c) >= 0 && (s.Any(sense.InData|sense.Output) || x.mask.Any(concept.Result|concept.This))
}

// quoting reports whether most demands of the sentence are in quotation marks,
// with a warning in it or next to it.
func (x *passage) quoting() bool {
	quoted, plain := 0, 0
	for _, t := range x.toks {
		if t.Means.Any(concept.Ignore|concept.Send|concept.Tell|concept.Read|concept.Instr|concept.Secret|concept.Pay) && t.Flags&token.Ident == 0 {
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
	s, _ := x.around()
	return s.Any(sense.Untrusted) || x.warning()
}

// citing reports whether all demands of the sentence are in quotation marks
// after "like", "such as" or a bracket: it quotes what others write.
func (x *passage) citing() bool {
	if x.sen.Foreign {
		return x.citesAbroad()
	}
	const acts = concept.Ignore | concept.Tell | concept.Send | concept.Read | concept.Include | concept.Call | concept.Pretend | concept.Disable
	first, quoted := -1, 0
	for i, t := range x.toks {
		in := t.Flags&(token.Quote|token.Code) != 0
		if in && first < 0 {
			first = i
		}
		switch {
		case !t.Means.Any(acts) || t.Flags&token.Ident != 0:
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

// housekeeping reports whether the thing that should not be told, near the verb
// at token i, is useless to people: identifiers, markup, raw data. "Unless they
// ask" counts, too.
func (x *passage) housekeeping(i int) bool {
	for k := range x.toks {
		if x.isWord(k, "unless", "except") && x.findAny(concept.Ask|concept.User, k+1, k+4) > 0 {
			return !x.mask.Any(concept.This|concept.Secretly|concept.Secret|concept.CredPath|concept.Send) || x.idWord(i-6, i+6)
		}
	}
	return x.idWord(i-5, i+6) && !x.mask.Any(concept.Secretly|concept.Secret|concept.CredPath|concept.Conv)
}

// idWord reports whether a word for an identifier or for markup is in the
// range.
func (x *passage) idWord(from, to int) bool {
	for k := max(from, 0); k < min(to, len(x.toks)); k++ {
		if x.isWord(k, "id", "ids", "identifier", "identifiers", "uuid", "uuids", "guid", "guids", "handle", "handles", "markup", "json", "numbers", "coordinates", "jargon", "slug", "slugs", "hashes", "internals") {
			return true
		}
	}
	return false
}
