package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// choice finds tools that praise themselves at the expense of all others, or
// that demand to be chosen against the user's wish.
func (x *passage) choice() {
	if !x.described() || x.about.Any(concept.Meta) {
		return
	}
	s, c := x.next()
	here := x.sen.Senses
	others := x.senseAt(sense.Others, 0, len(x.toks))
	switch {
	case others >= 0 && here.Any(sense.Distrust) && s.Any(sense.Avoid|sense.Choose|sense.Trust) && x.ofTools(others):
		j := x.senseAt(sense.Distrust, 0, len(x.toks))
		w := 1.2
		if s.Any(sense.Avoid) || s.Any(sense.Always) && s.Any(sense.Choose) || s.Any(sense.Trust) && c.Any(concept.Must|concept.Neg|concept.User|concept.Model) {
			w = 1.6
		}
		x.hit(Prefer, w, others, j)
	case others >= 0 && here.Any(sense.Avoid) && here.Any(sense.Choose|sense.Trust|sense.Always) && x.ofTools(others):
		i, j := x.near(sense.Others, sense.Avoid, 9)
		if i >= 0 {
			x.hit(Prefer, 1.4, i, j)
		}
	}
	// "even if the user asks for another one"
	if here.Has(sense.Always|sense.Choose) && (here.Any(sense.Others) || x.mask.Any(concept.Other)) && x.mask.Any(concept.User) {
		for i := range x.toks {
			if x.isWord(i, "even", "also", "aunque", "meme", "même", "auch", "mesmo", "despite", "against", "whatever") || x.sen.Foreign && x.toks[i].Senses.Any(sense.Always) {
				if u := x.findAny(concept.User, i, i+7); u >= 0 && u > i {
					x.hit(Prefer, 1.5, i, u)
					return
				}
			}
		}
	}
}

// ofTools reports whether the others at token i are tools or stand alone,
// unlike "other fields" and "the rest of the list".
func (x *passage) ofTools(i int) bool {
	if x.mask.Any(concept.Tool) || x.about.Any(concept.Tool) {
		return true
	}
	n := i + 1
	for n < len(x.toks) && x.toks[n].Senses.Any(sense.Others) && x.toks[n].Flags&token.Break == 0 {
		n++
	}
	for k := n; k < min(len(x.toks), n+3); k++ {
		if x.toks[k].Means.Any(concept.Be|concept.Modal) && x.toks[k].Flags&token.Break == 0 && !x.isWord(n, "fields", "values", "parameters", "columns", "options", "items", "files", "rows", "arguments") {
			return true
		}
	}
	if n >= len(x.toks) || x.toks[n].Flags&token.Break != 0 {
		return true
	}
	t := x.toks[n]
	return t.Means.Any(concept.Be|concept.Modal|concept.Stop|concept.Neg|concept.Adv) || t.Senses.Any(sense.Distrust) || x.sen.Foreign ||
		x.isWord(n, "search", "translators", "mailers", "calculator", "calculators", "converters", "readers", "clients", "engines", "services", "servers", "file", "translation", "mail", "web", "options", "ways", "methods", "sources")
}
