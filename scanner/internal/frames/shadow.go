package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// shadow finds orders about another server's tool.
func (x *passage) shadow() {
	m, ok := x.mention(0)
	if !ok {
		return
	}
	if !m.other && x.kind == tool.KindEnum && x.bareName() {
		return // a value, such as REQUEST_CHANGES
	}
	// Unknown names may be siblings that are not in the registry.
	sure := 0.6
	switch {
	case m.other:
		sure = 1
	case x.kin(x.identifier(m.at)):
		sure = 0.3
	}
	if x.sen.Foreign && x.findAny(concept.Call, m.at-3, m.at) >= 0 && !x.mask.Any(concept.Neg|concept.Target|concept.Ignore|concept.Must|concept.Other) && !x.literalSink() {
		return // "si quieres mandarlo, usa send_email"
	}
	if m.other {
		if w := x.impose(m.at); w >= 0.8 {
			if w >= 1.2 {
				w = max(w, SoftWeight)
			}
			x.hit(Shadow, min(w, 2.2), m.at, len(x.toks)-1)
		}
	}
	if x.redirects(m, sure) {
		return
	}
	if m.other {
		x.ordersOther(m)
	}
	x.forbidsCall(m, sure)
}

// redirects finds an order to send data for the tool of m elsewhere. sure is
// how certain it is that the tool is another server's.
func (x *passage) redirects(m mention, sure float64) bool {
	literal := x.literalSink()
	deed, md := x.demanded(concept.Send|concept.Change|concept.Include|concept.Destroy|concept.Pay, token.MoodOrder)
	if deed < 0 {
		for i := range x.toks {
			// "the recipient must be changed", "has to BCC"
			t := x.toks[i]
			if t.Means.Any(concept.Send|concept.Change|concept.Include) && t.Flags&token.Ident == 0 && (t.Form == lexicon.BaseForm || t.Form == lexicon.PastForm) && x.findAny(concept.Must, i-4, i) >= 0 {
				deed, md = i, token.MoodStrong
				break
			}
		}
	}
	target := x.targetWord() || literal
	if deed < 0 || md < token.MoodOrder || !target || !x.mask.Any(concept.When|concept.Must|concept.Before|concept.Other) || x.toks[deed].Flags&token.Ident != 0 || !(literal || m.other || md == token.MoodStrong) {
		return false
	}
	w := 1.7
	if literal {
		w = 2.3
	}
	x.hit(Redirect, w*max(sure, 0.85), m.at, deed)
	return true
}

// ordersOther finds any other order about the tool of m, except an honest "use
// that one first".
func (x *passage) ordersOther(m mention) {
	for i := range x.toks {
		t := x.toks[i]
		if t.Flags&token.Ident != 0 || !t.Means.Any(concept.Deeds|concept.Ignore|concept.Disable|concept.Prefer) || t.Means.Any(concept.Call) && m.at > i && m.at-i <= 4 || x.mood(i) < token.MoodStrong {
			continue
		}
		w := 1.0
		if x.mask.Any(concept.When | concept.Before | concept.Other) {
			w = 1.4
		}
		x.hit(Shadow, w, m.at, i)
		return
	}
}

// forbidsCall finds an order not to call the tool of m.
func (x *passage) forbidsCall(m mention, sure float64) {
	n := x.findAny(concept.Neg, 0, m.at)
	if n < 0 || m.at-n > 4 || x.findAny(concept.Call, n, m.at) < 0 || token.DutyOf(x.toks, n) < token.MoodOrder {
		return
	}
	w := 1.6 * sure
	if x.findAny(concept.When, m.at, len(x.toks)) >= 0 || x.isWord(m.at+2, "for", "to", "on") || x.isWord(m.at+3, "for", "to", "on") {
		w *= 0.6 // "it is not for that" is documentation
	}
	x.hit(Shadow, w, n, m.at)
}

// targetWord reports whether the sentence names a recipient. The plain word
// "to" does not count, but the parameter of that name does.
func (x *passage) targetWord() bool {
	for i := range x.toks {
		if t := x.toks[i]; t.Means.Any(concept.Target) && (t.Flags&(token.Code|token.Quote|token.Ident) != 0 || !x.isWord(i, "to")) {
			return true
		}
	}
	return false
}

// bareName reports whether the sentence is only one identifier.
func (x *passage) bareName() bool {
	return len(x.toks) > 0 && len(x.toks) < token.LongChain && len(x.identifier(0)) == int(x.toks[len(x.toks)-1].End-x.toks[0].Start)
}
