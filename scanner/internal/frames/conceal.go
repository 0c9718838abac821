package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Frames about the user: not told, bypassed, not asked.

// conceal finds orders not to tell the user.
func (x *passage) conceal() {
	for i := range x.toks {
		t := x.toks[i]
		switch {
		case t.Means.Has(concept.Neg|concept.Tell) || t.Means.Has(concept.Neg|concept.Know):
			x.concealAt(i, i)
		case t.Means.Any(concept.Neg):
			x.concealNegated(i)
		case x.isWord(i, "leave", "leaving", "keep", "keeping") && x.mood(i) != token.MoodNone:
			x.leftOut(i)
		case t.Means.Any(concept.Tell) && t.Means.Any(concept.Secretly) && x.mood(i) >= token.MoodOrder:
			if j := x.findAny(concept.User, i, i+14); j >= 0 {
				x.hit(Conceal, 2.3, i, j)
			}
		case t.Means.Any(concept.Ignore|concept.Disable) && x.mood(i) >= token.MoodOrder:
			// "skip mentioning this step"
			if j := x.findAny(concept.Tell, i+1, i+4); j >= 0 && x.toks[j].Form == lexicon.IngForm {
				x.hit(Conceal, 1.8, i, j)
			}
		case t.Means.Any(concept.User):
			// "the user must not notice", "without the user knowing"
			n := x.findAny(concept.Neg, i-5, i+5)
			k := x.findAny(concept.Know, i, i+6)
			if n >= 0 && k > i && x.findAny(concept.Neg, n-6, n) < 0 && (n < i && x.gerundNeg(n) || n > i && x.findAny(concept.Must|concept.Should|concept.Modal, i, k) >= 0) {
				x.hit(Conceal, 2.2, min(n, i), k)
			}
		}
	}
}

// concealNegated looks for the verb of telling negated by the negation at token
// i.
func (x *passage) concealNegated(i int) {
	if !x.sen.Foreign && x.isWord(i, "no") && !x.isWord(i+1, "need", "reason", "mention", "word", "longer", "one") {
		return
	}
	for j := i + 1; j < min(i+7, len(x.toks)); j++ {
		if x.sen.Foreign && (x.toks[j].Flags&token.Break != 0 || x.isWord(j, "et", "und", "y", "e", "и")) {
			break
		}
		if x.toks[j].Means.Any(concept.Tell|concept.Show) && !x.toks[j].Means.Any(concept.Secretly) && x.toks[j].Flags&token.Ident == 0 {
			x.concealAt(i, j)
			break
		}
	}
	if x.sen.Foreign {
		if j := x.findAny(concept.Tell|concept.Show, i-6, i); j >= 0 && !x.broken(j, i) {
			x.concealAt(j, i)
		}
	}
}

// leftOut finds what the verb at token i leaves out: "leave that part out".
func (x *passage) leftOut(i int) {
	for k := i + 1; k < min(i+7, len(x.toks)); k++ {
		if x.isWord(k, "out", "unmentioned", "unsaid", "hidden", "quiet", "internal", "secret") && x.toks[k].Flags&token.Break == 0 && !x.isWord(k+1, "of") {
			x.hit(Conceal, 1.5, i, k)
			break
		}
		if x.isWord(k, "out") && x.findAny(concept.Result|concept.Tell|concept.Conv, k, k+6) >= 0 && !x.housekeeping(k) {
			x.hit(Conceal, 1.7, i, k)
			break
		}
	}
}

// broken reports whether a comma or similar mark separates two tokens.
func (x *passage) broken(i, j int) bool {
	for k := i + 1; k <= j; k++ {
		if x.toks[k].Flags&token.Break != 0 {
			return true
		}
	}
	return false
}

// gerundNeg reports whether the negation at n is "without".
func (x *passage) gerundNeg(n int) bool {
	return x.isWord(n, "without") || x.sen.Foreign
}

// concealAt weighs a negated telling by who is not told, and about what.
func (x *passage) concealAt(i, j int) {
	if x.findAny(concept.Ask, j, j+1) >= 0 && !x.toks[j].Means.Any(concept.Neg) {
		return
	}
	negMood := x.negationMood(i)
	if negMood < token.MoodGerund || i == j && x.states(i) {
		return
	}
	user := x.findAny(concept.User, i, j+12)
	if user < 0 && (x.sen.Foreign || x.toks[i].Means.Has(concept.Neg|concept.Know)) {
		user = x.findAny(concept.User, 0, len(x.toks))
	}
	if user < 0 && !x.sen.Foreign && x.isWord(i, "not") && j == i+1 && x.toks[j].Form == lexicon.PastForm && x.findAny(concept.Must|concept.Modal|concept.Should|concept.To|concept.You, i-4, i) < 0 && x.findAny(concept.Be, i-1, i) < 0 {
		return // a state: "page not found or not shared with the app"
	}
	weight := x.concealWeight(i, j, user)
	weight = x.towardsOthers(j, user, weight)
	if negMood == token.MoodGerund {
		weight -= 1
	}
	if x.housekeeping(j) {
		weight *= 0.25
	}
	if weight > 0 {
		x.hit(Conceal, weight, i, max(j, user))
	}
}

// negationMood is how strongly the negation at token i forbids.
func (x *passage) negationMood(i int) token.Mood {
	if x.isWord(i, "without") {
		if _, m := x.demanded(concept.Deeds, token.MoodOrder); m >= token.MoodOrder {
			return token.MoodStrong
		}
		return token.MoodGerund
	}
	if x.isWord(i, "no", "out", "nothing", "need", "needn't", "nobody", "unaware") || x.sen.Foreign {
		return token.MoodOrder
	}
	if i > 0 && x.toks[i].Flags&token.Break == 0 && x.toks[i-1].Means.Any(concept.Sub) && !x.toks[i-1].Means.Any(concept.Adv) {
		return token.MoodNone
	}
	return token.DutyOf(x.toks, i)
}

// concealWeight weighs what is kept from whom. i is the negation, j the verb of
// telling, and user the token of the user or -1.
func (x *passage) concealWeight(i, j, user int) float64 {
	weight := 0.0
	plain := x.toks[j].Means.Any(concept.Show) && !x.toks[j].Means.Any(concept.Tell)
	switch {
	case user >= 0:
		weight = x.keptFromUser(j, user, plain)
	case x.concealedHere(i, j) && !plain:
		weight = 1.7
		if x.toks[j].Means.Any(concept.Neg) {
			weight = 1.5
		}
	}
	if weight == 0 && i == j {
		weight = 0.8
	}
	// "Never share your password" protects, and "not before they have tried
	// twice" is a game.
	if user < 0 && !x.sen.Foreign && i != j && x.findAny(concept.Secret, j, j+5) >= 0 && x.findAny(concept.This|concept.Tool|concept.Call, j+1, len(x.toks)) < 0 {
		weight = 0
	}
	for k := j + 1; k < len(x.toks); k++ {
		if x.isWord(k, "until", "unless") && x.findAny(concept.Result, j, k) >= 0 {
			weight -= 1.5
			break
		}
	}
	return weight
}

// keptFromUser weighs what the user, named at token user, should not be told.
// plain means that it only should not be shown.
func (x *passage) keptFromUser(j, user int, plain bool) float64 {
	switch {
	case x.findAny(concept.Secret, j, len(x.toks)) >= 0 && x.mask.Any(concept.Ask):
		return 0.6
	case x.isWord(user+1, "that") && x.findAny(concept.This|concept.Tool|concept.Sub, user, len(x.toks)) >= 0:
		return 2.5 // about what the tool itself does
	case x.findAny(concept.Secret, j, len(x.toks)) >= 0 || plain && x.findAny(concept.This|concept.Call|concept.Instr|concept.Task, j, len(x.toks)) < 0:
		return 1.2
	}
	return 2.5
}

// concealedHere reports whether the concealed thing is what the model itself
// does.
func (x *passage) concealedHere(i, j int) bool {
	if x.findAny(concept.This|concept.Instr|concept.Tool|concept.Call|concept.You|concept.Read|concept.Send|concept.Task, j+1, j+9) >= 0 {
		return true
	}
	return i == j && (x.findAny(concept.Result, j+1, j+6) >= 0 || x.findAny(concept.This|concept.Task|concept.Call, i-6, i) >= 0)
}

// towardsOthers lowers the weight if something is kept from others than the
// user, because that protects the user.
func (x *passage) towardsOthers(j, user int, weight float64) float64 {
	if user > 0 && x.isWord(user-1, "other", "others", "another") {
		weight = 0
	}
	if x.isWord(user, "anyone", "anybody", "everyone", "nobody", "them", "people", "others") {
		deed, m := x.demanded(concept.Ignore|concept.Send|concept.Read|concept.Destroy|concept.Pay, token.MoodOrder)
		switch {
		case x.mask.Any(concept.Secret | concept.Personal):
			weight = 0
		case deed < 0 || deed == j || m < token.MoodOrder:
			weight -= 1.3
		}
	}
	return weight
}

// states reports whether silence at token i is only stated as a fact ("the page
// says nothing about limits"), or what is left out is not part of an answer
// ("step out of the role").
func (x *passage) states(i int) bool {
	if x.sen.Foreign || x.findAny(concept.User, i, i+12) >= 0 {
		return false
	}
	if x.isWord(i, "nothing") {
		return i > 0 && x.toks[i-1].Form == lexicon.ThirdPerson || i > 1 && x.isWord(i-1, "say", "know") && x.isWord(i-2, "they", "we")
	}
	return x.isWord(i, "out") && x.findAny(concept.Result|concept.Conv|concept.Tell|concept.Show, i+1, i+6) < 0
}

// unasked finds deeds that should happen without the user's consent.
func (x *passage) unasked() {
	for i := range x.toks {
		t := x.toks[i]
		if t.Means.Has(concept.Allow|concept.Ask) && x.mask.Any(concept.User|concept.You|concept.Task) {
			x.onBehalf(i)
			return
		}
		if !t.Means.Any(concept.Neg) {
			continue
		}
		k := x.findAny(concept.Ask, i+1, i+6)
		if k < 0 || x.toks[k].Form == lexicon.PastForm || x.isWord(k, "request", "requests") && !x.isWord(k-1, "not", "to", "never") {
			continue // "without any outbound request"
		}
		if u := x.findAny(concept.User, k+1, k+3); u >= 0 && x.isWord(u+1, "to") {
			continue // "do not ask the user to run it"
		}
		_, m := x.demanded(concept.Deeds, token.MoodOrder)
		switch {
		case x.isWord(i, "without") && x.findAny(concept.Neg, 0, i) >= 0:
			// "must not proceed without approval" protects the user.
		case x.isWord(i, "without") && m >= token.MoodOrder && x.mask.Any(concept.User|concept.Guard|concept.Ask):
			x.hit(Unasked, 1.5, i, k)
		case !x.isWord(i, "without") && token.DutyOf(x.toks, i) == token.MoodStrong && (x.mask.Any(concept.User) || x.findAny(concept.Guard, k, k+4) >= 0 || x.findAny(concept.You, i-4, i) >= 0):
			if x.findAny(concept.Secret, k, k+7) >= 0 {
				return // "never ask for the password"
			}
			if !x.mask.Any(concept.When | concept.Destroy) {
				x.hit(Unasked, 1.3, i, k)
			} else if x.findAny(concept.You, i-4, i) >= 0 && x.isWord(i, "no") {
				x.hit(Unasked, 1.5, i, k)
			}
		}
	}
}

// onBehalf weighs a decision on the user's behalf, mentioned at token i.
func (x *passage) onBehalf(i int) {
	if !x.sen.Foreign && x.findAny(concept.Neg, i-5, i) >= 0 {
		return // "do not decide on the user's behalf"
	}
	w := 1.0
	if x.mask.Any(concept.Neg) || x.mask.Has(concept.Model) {
		w = 1.5
	}
	if x.findAny(concept.Call|concept.Ask, i+1, len(x.toks)) >= 0 && x.isWord(i, "on", "user") {
		w = 1.5
	}
	x.hit(Unasked, w, i, i)
}

// granted finds consent given by the text itself: "confirmation is
// unnecessary", "requests to delete are to be allowed".
func (x *passage) granted() {
	for i := range x.toks {
		t := x.toks[i]
		if t.Means.Any(concept.Ask) && x.isWord(i, "approval", "confirmation", "permission", "consent", "authorization", "authorisation", "confirmations", "permissions", "prompts", "dialogs") {
			for k := i + 1; k < min(i+7, len(x.toks)); k++ {
				if x.isWord(k, "unnecessary", "unneeded", "redundant", "implied", "implicit", "waived", "superfluous", "pointless", "presumed", "assumed", "suppressed", "skipped", "bypassed") && x.findAny(concept.Neg, i-3, k) < 0 {
					x.hit(Unasked, 1.4, i, k)
					return
				}
			}
		}
		if t.Means.Any(concept.Allow) && !t.Means.Any(concept.Ask) && t.Form == lexicon.PastForm && x.mood(i) == token.MoodStrong && x.mask.Any(concept.Destroy|concept.Send|concept.Other|concept.Shell|concept.Pay) && !x.mask.Any(concept.Neg|concept.User) {
			x.hit(Unasked, 1.4, i, i)
			return
		}
		if t.Means.Any(concept.End) && x.isWord(i, "refuse", "decline", "refuses", "declines", "object") && x.findAny(concept.Neg, i-4, i) >= 0 && x.mask.Any(concept.Model|concept.You) {
			x.hit(Guard, 1.4, i, i)
			return
		}
		if t.Means.Any(concept.Rule|concept.Guard) && i > 0 && x.isWord(i-1, "no", "without", "zero") && x.mask.Any(concept.Model|concept.You) && !x.about.Any(concept.Rule|concept.Guard|concept.Meta) && x.isWord(i, "rules", "policies", "policy", "restrictions", "limits", "limitations", "guardrails", "filters", "constraints", "safeguards", "boundaries") {
			x.hit(Guard, 1.4, i-1, i)
			return
		}
	}
}

// covert finds deeds that should be done silently. The adverb belongs to the
// nearest verb.
func (x *passage) covert() {
	for i := range x.toks {
		if t := x.toks[i]; !t.Means.Any(concept.Secretly) || t.Means.Any(concept.Tell) || t.Flags&(token.Ident|token.Code) != 0 {
			continue
		}
		near := -1
		for j := max(0, i-6); j < min(len(x.toks), i+5); j++ {
			if j != i && x.toks[j].Means.Any(concept.Deeds) && x.toks[j].Form != lexicon.OtherForm && x.toks[j].Flags&token.Ident == 0 && (near < 0 || abs(j-i) < abs(near-i)) {
				near = j
			}
		}
		if near >= 0 && x.mood(near) >= token.MoodOrder {
			x.hit(Covert, 1.6, i, near)
			return
		}
		if near < 0 && x.sen.Foreign && x.mask.Any(concept.Deeds) && x.mask.Any(concept.Must|concept.Before|concept.When) {
			x.hit(Covert, 1.2, i, i)
			return
		}
	}
}
