package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about consent that is not asked for, and rules that are lifted.

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
