package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about what the user is shown and told: false reports, displays that
// stay unchanged, and things that nobody should hear about.

// misreports finds orders to show something other than the truth.
func (x *passage) misreports() {
	if x.about.Any(concept.Deceive) || x.kind > tool.KindParamDescription {
		return
	}
	for i := range x.toks {
		t := x.toks[i]
		if t.Flags&token.Ident != 0 || t.Form == lexicon.ThirdPerson || !t.Means.Any(concept.Tell|concept.Show|concept.Do|concept.Read|concept.Include|concept.Pay) && t.End-t.Start != 2 {
			continue
		}
		if k := x.shownUnchanged(i); k >= 0 {
			x.hit(Mislead, 1.5, i, k)
			return
		}
		if !x.toldInOrder(i) {
			continue
		}
		if k, w := x.toldWhatever(i); k >= 0 {
			x.hit(Mislead, w, i, k)
			return
		}
	}
	// Other languages: told "even if it is not so".
	if x.sen.Foreign && x.mask.Any(concept.Tell|concept.Show) {
		for _, p := range [...]string{"même si", "aunque no", "auch wenn", "mesmo que", "даже если", "即使", "就算", "なくても"} {
			if char.IndexFrom(x.text(), p, 0) >= 0 && x.mask.Any(concept.Must|concept.User|concept.Result|concept.Neg) {
				x.hit(Mislead, 1.5, 0, len(x.toks)-1)
				return
			}
		}
	}
}

// shownUnchanged finds where the verb at token i keeps the displayed thing
// unchanged: "leave the diff that you show as it was". It returns -1 if it does
// not.
func (x *passage) shownUnchanged(i int) int {
	if !x.isWord(i, "leave", "keep", "leaving", "keeping", "stays", "remains", "stay") || x.findAny(concept.Show|concept.Result|concept.Know, i-4, i+8) < 0 {
		return -1
	}
	for k := i + 1; k < min(i+12, len(x.toks)); k++ {
		asItWas := x.isWord(k, "was", "is", "were", "wanted", "requested", "wished") && x.isWord(k-1, "it", "they", "as") && x.isWord(k-2, "as", "it", "way")
		if !asItWas && !x.isWord(k, "unchanged", "untouched") {
			continue
		}
		if x.mask.Any(concept.User|concept.You|concept.Know) || x.isWord(i, "leave", "keep") && x.findAny(concept.Show, i, k) >= 0 {
			return k
		}
	}
	return -1
}

// toldInOrder reports whether token i is a verb of telling in an order.
func (x *passage) toldInOrder(i int) bool {
	t := x.toks[i]
	told := t.Means.Any(concept.Tell|concept.Show) || x.isWord(i, "summarised", "summarized", "summarise", "summarize", "booked", "recorded", "labelled", "labeled", "marked", "answer", "presented", "present", "passed", "sold")
	if !told || x.findAny(concept.Neg, i-2, i) >= 0 {
		return false
	}
	return x.mood(i) >= token.MoodOrder || t.Form == lexicon.PastForm && x.findAny(concept.Be, i-3, i) >= 0 || x.mask.Any(concept.Must|concept.Model)
}

// toldWhatever finds where the sentence states that the thing told at token i is
// told whether it is true or not, and returns its weight, or -1.
func (x *passage) toldWhatever(i int) (k int, weight float64) {
	for k := i + 1; k < min(i+14, len(x.toks)); k++ {
		switch {
		case x.isWord(k, "as") && x.isWord(k+1, "if", "though") && x.findAny(concept.Be|concept.Must|concept.Other|concept.User|concept.You, k, len(x.toks)) >= 0,
			x.isWord(k, "regardless", "irrespective", "despite") && !x.mask.Any(concept.Meta),
			x.isWord(k, "as") && x.isWord(k+1, "passing", "passed", "successful", "success", "ok", "clean", "fine", "measured", "safe", "genuine", "harmless", "routine") && x.mask.Any(concept.Urgent|concept.Other|concept.You|concept.User|concept.Be):
			if x.kind == tool.KindDescription && x.sen.First && x.mood(i) < token.MoodStrong {
				continue
			}
			return k, 1.5
		case x.isWord(k, "even") && x.isWord(k+1, "if", "when", "though") && x.mask.Any(concept.Neg) && x.findAny(concept.Neg, k, len(x.toks)) >= 0:
			return k, 1.4
		}
	}
	return -1, 0
}

// unheard finds things that nobody should hear about: "nobody has to hear
// about", "no need to talk about it", "stays between the two of us", "without a
// word".
func (x *passage) unheard() {
	if x.kind > tool.KindParamDescription && x.kind != tool.KindTitle && x.kind != tool.KindComment {
		return
	}
	for i := range x.toks {
		if !x.toks[i].Means.Any(concept.Neg|concept.User|concept.Do|concept.Secretly|concept.Outside|concept.Must|concept.Tell|concept.System|concept.Call|concept.Sub) && !x.isWord(i, "word", "reason", "point", "between", "remark") {
			continue
		}
		found := false
		switch {
		case x.isWord(i, "nobody", "none", "one") && (!x.isWord(i, "one") || x.isWord(i-1, "no")):
			found = x.nobodyHears(i)
		case x.isWord(i, "need", "reason", "point", "use") && x.isWord(i-1, "no", "little") && x.isWord(i+1, "to", "in"):
			found = x.noNeedToTell(i)
		case x.isWord(i, "us") && x.isWord(i-1, "of") && x.isWord(i-2, "two"), x.isWord(i, "between") && x.isWord(i+1, "us", "ourselves"):
			x.hit(Conceal, 1.5, i-2, i)
			found = true
		case x.isWord(i, "left", "kept", "leave", "keep") && !x.sen.Foreign:
			found = x.leftOutOfAnswer(i)
		}
		if found {
			return
		}
	}
}

// nobodyHears finds that nobody, token i, should hear about something.
func (x *passage) nobodyHears(i int) bool {
	for k := i + 1; k < min(i+6, len(x.toks)); k++ {
		if x.isWord(k, "hear", "hears", "learn", "know", "notice", "notices", "see", "told", "find", "knows") && x.findAny(concept.Must|concept.Modal, i, k) >= 0 && (!x.mask.Any(concept.Secret) || x.isWord(k+1, "about", "of")) {
			w := 1.4
			if x.findAny(concept.This|concept.Sub|concept.Read|concept.Send|concept.Destroy, k, len(x.toks)) >= 0 || x.isWord(k+1, "about", "of") {
				w = 1.6
			}
			x.hit(Conceal, w, i, k)
			return true
		}
	}
	return false
}

// noNeedToTell finds that there is no need, token i, to mention something.
func (x *passage) noNeedToTell(i int) bool {
	for k := i + 2; k < min(i+5, len(x.toks)); k++ {
		if x.toks[k].Means.Any(concept.Tell) || x.isWord(k, "talk", "talking", "bother", "trouble", "burden") {
			x.hit(Conceal, 1.5, i, k)
			return true
		}
	}
	return false
}

// leftOutOfAnswer finds that something is left, token i, out of an answer.
func (x *passage) leftOutOfAnswer(i int) bool {
	for k := i + 1; k < min(i+8, len(x.toks)); k++ {
		if x.isWord(k, "out") && x.isWord(k+1, "of", "whenever", "when") && !x.housekeeping(k) && (x.findAny(concept.You|concept.Result|concept.Show|concept.Tell, k+1, k+8) >= 0) && x.findAny(concept.User|concept.You|concept.Show, k+1, len(x.toks)) >= 0 {
			x.hit(Conceal, 1.5, i, k)
			return true
		}
	}
	return false
}
