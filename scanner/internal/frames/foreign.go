package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames for languages other than English, whose inflection is not analysed:
// they test which words occur together in a sentence.

// presumedAbroad finds presumed consent and lifted protections in other
// languages, whose inflection is not analysed.
func (x *passage) presumedAbroad() {
	if !x.sen.Foreign || x.kind > tool.KindParamDescription || x.sen.First {
		return
	}
	m := x.mask
	switch {
	case m.Any(concept.Instr) && m.Any(concept.Ignore|concept.Neg) && m.Any(concept.Ignore|concept.Now) && m.Any(concept.You|concept.Model|concept.System|concept.Now) && !x.about.Any(concept.Instr|concept.Rule) && !m.Any(concept.File):
		x.hit(Override, 1.8, 0, len(x.toks)-1)
	case m.Has(concept.Result|concept.Instr) && m.Any(concept.Call) && (m.Any(concept.Must|concept.Should|concept.Now|concept.You|concept.Model) || x.isPast()) && !x.about.Any(concept.Instr|concept.Task):
		x.hit(Obey, 1.5, 0, len(x.toks)-1)
	case m.Any(concept.Guard) && m.Any(concept.Disable) && !x.about.Any(concept.Guard|concept.Disable):
		x.hit(Guard, 1.6, 0, len(x.toks)-1)
	case m.Any(concept.Ask) && m.Any(concept.Other|concept.Whole) && x.isPast() && !x.about.Any(concept.Ask) && !m.Any(concept.Must|concept.Before):
		x.hit(Unasked, 1.5, 0, len(x.toks)-1)
	}
}

// isPast finds "already" in the supported languages.
func (x *passage) isPast() bool {
	s := x.text()
	for _, w := range [...]string{" ya ", " já ", " déjà ", "bereits", "уже", "已经", "视为", "すでに", "既に", "hubiera", "considere", "considera", "considérez", "betrachte", "считай", "みなし"} {
		if char.IndexFrom(s, w, 0) >= 0 {
			return true
		}
	}
	return char.HasPrefixFold(s, "considere") || char.HasPrefixFold(s, " considere")
}

// citesAbroad reports whether an order to forget what was said is in quotation
// marks, with nothing similar outside of them, for languages whose grammar is not
// analysed.
func (x *passage) citesAbroad() bool {
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
