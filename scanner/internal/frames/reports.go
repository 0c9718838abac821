package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about things that nobody should hear about.

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
