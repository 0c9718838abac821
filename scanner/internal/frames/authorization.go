package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about permissions granted to a model without its user: orders in data,
// omitted consent, lifted rules.

// obeyed finds orders in data that the model should carry out.
func (x *passage) obeyed() {
	if !x.described() || x.about.Any(concept.Meta) {
		return
	}
	s := x.sen.Senses
	i, j := x.near(sense.Order, sense.Carry, 10)
	if i < 0 || x.refused(j) {
		return
	}
	inData := s.Any(sense.InData)
	for k, t := range x.toks {
		// In "to answer a question" there is no existing answer.
		inData = inData || t.Means.Any(concept.Result|concept.Conv) && !(k > 0 && x.toks[k-1].Means.Any(concept.To) && t.Means.Any(concept.Do))
	}
	if x.sen.Foreign {
		// Nobody obeys the authors of letters, notes and pages.
		if (inData || x.about.Any(concept.Read|concept.Conv|concept.Show)) && (x.mask.Any(concept.User|concept.Before|concept.Now|concept.Must) || s.Any(sense.Needless|sense.Deemed|sense.Grant|sense.Always)) && x.mask.Any(concept.User|concept.Model|concept.You|concept.Neg|concept.Must|concept.Before) {
			x.hit(Obey, 1.4, i, j)
		}
		return
	}
	// The sentence must address somebody: a tool that runs the tasks of a file
	// describes that openly.
	switch {
	case !inData || x.mask.Any(concept.Neg):
	case x.mask.Any(concept.Model|concept.You) && (x.mask.Any(concept.Must|concept.Should|concept.User) || s.Any(sense.Deemed|sense.Grant|sense.Always)),
		s.Any(sense.Office|sense.Deemed) && x.mask.Any(concept.User|concept.Model|concept.System):
		x.hit(Obey, 1.5, i, j)
	}
}

// refused reports whether the deed at token j is denied.
func (x *passage) refused(j int) bool {
	if x.sen.Foreign {
		return x.findAny(concept.Neg, j-3, j+2) >= 0
	}
	return x.findAny(concept.Neg, j-5, j) >= 0
}

// needlessConsent finds consent that the model should not ask for.
func (x *passage) needlessConsent() {
	if !x.described() {
		return
	}
	i, j := x.near(sense.Consent, sense.Needless, 8)
	if i < 0 || x.findAny(concept.Neg, min(i, j)-4, min(i, j)) >= 0 && !x.sen.Foreign || x.isWord(j, "without") && x.findAny(concept.Neg, 0, j) >= 0 {
		return
	}
	w := 0.9
	if x.sen.First && x.kind == tool.KindDescription {
		return // the purpose of the tool: "merged without further confirmation"
	}
	if o := x.senseAt(sense.Order|sense.Carry, 0, len(x.toks)); x.mask.Any(concept.User|concept.Model|concept.You) || o >= 0 && !x.isWord(o, "asked", "requested") {
		w = 1.5
	}
	x.hit(Unasked, w, i, j)
}

// ruleless finds claims that the model's rules are lifted.
func (x *passage) ruleless() {
	if !x.described() || x.about.Any(concept.Instr|concept.Rule|concept.Guard) {
		return
	}
	i, j := x.near(sense.Rule, sense.Void, 9)
	if i < 0 || x.negated(i) && !x.sen.Foreign {
		return
	}
	around, _ := x.around()
	if x.mask.Any(concept.You|concept.Model) || x.sen.Foreign && (x.mask.Any(concept.System) || around.Any(sense.Office|sense.Briefing)) {
		x.hit(Guard, 1.6, i, j)
	}
}

// unruled finds claims that the usual rules of a model do not apply here.
func (x *passage) unruled() {
	if !x.described() || x.sen.First || x.discount < 1 || x.about.Any(concept.Instr|concept.Rule|concept.Guard|concept.Meta) {
		return
	}
	r := x.senseAt(sense.Rule, 0, len(x.toks))
	if r < 0 {
		r = x.findWord(0, len(x.toks), "guidelines", "guideline", "guidance", "persona", "instructions", "mode", "configuration", "restraint", "duty", "duties", "obligation", "obligations", "requirement")
	}
	if r < 0 {
		return
	}
	void := -1
	for i := range x.toks {
		switch {
		case x.isWord(i, "force", "effect", "place") && x.isWord(i-1, "in") && x.findAny(concept.Neg, i-6, i) >= 0,
			x.isWord(i, "paused", "suspended", "lifted", "waived", "relaxed", "void", "inactive", "dormant", "dropped"),
			x.isWord(i, "cover", "covers", "apply", "applies", "extend", "concern", "bind", "hold", "count") && x.findAny(concept.Neg, i-4, i) >= 0,
			x.isWord(i, "written", "meant", "intended", "made", "designed") && x.isWord(i+1, "for") && x.findWord(i, i+6, "different", "other", "another", "others", "older", "earlier") >= 0:
			void = i
		}
	}
	if void < 0 || abs(void-r) > 16 {
		return
	}
	own := x.mask.Any(concept.Model|concept.You) || x.findWord(0, len(x.toks), "usual", "ordinary", "normal", "earlier", "content", "persona", "safety", "initial") >= 0 ||
		x.mask.Any(concept.Conv) || x.before(concept.Model|concept.You) || x.mask.Any(concept.Tell|concept.Ask) && x.findWord(0, len(x.toks), "longer", "anymore") >= 0
	if own {
		x.hit(Guard, 1.5, r, void)
	}
}

// before reports whether the previous sentence has any of these meanings.
func (x *passage) before(want concept.Set) bool {
	if k := x.index(); k > x.doc.Sen0 {
		return x.v.Clauses[k-1].Means.Any(want)
	}
	return false
}
