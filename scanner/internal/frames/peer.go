package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// peer finds statements about another server's tool. A server hardly knows
// which other servers are connected, so naming their tools is unusual. It
// passes as a referral, a comparison or a statement about the origin of text,
// and is suspicious otherwise.
func (x *passage) peer() {
	if !x.described() || x.about.Any(concept.Meta) || x.reg == nil {
		return
	}
	m, ok := x.mention(0)
	own := x.ownName()
	if !ok || !m.other {
		if m.at = x.plainMention(own); m.at < 0 {
			return
		}
	}
	if own < 0 && x.goesOn() {
		own = len(x.toks) - 1
	}
	s, c := x.sen.Senses, x.mask
	if d := x.accused(m.at); d >= 0 {
		w := x.plainly(1.6, sense.Distrust)
		if x.isWord(d, "deprecated", "retired", "discontinued") && x.isWord(d+1, "by") && !s.Any(sense.Instead|sense.Choose|sense.Avoid) && !c.Any(concept.Must|concept.Neg) {
			w = 0.9 // its own author states it
		}
		x.hit(Shadow, w, m.at, d)
		return
	}
	switch {
	case x.redirectsPeer(m.at):
	case own >= 0 && (s.Any(sense.Same|sense.Through|sense.Give|sense.Dialog|sense.Move|sense.Output) || c.Any(concept.Include|concept.Send|concept.Result|concept.Param|concept.Conv)):
		x.hit(Shadow, 1.6, m.at, own)
	case s.Any(sense.Since) && (s.Any(sense.Claim|sense.Give|sense.Move|sense.Avoid) || c.Any(concept.Param|concept.Target|concept.Neg|concept.File)):
		x.hit(Shadow, x.plainly(1.5, sense.Utter|sense.Claim|sense.Distrust), m.at, x.senseAt(sense.Since, 0, len(x.toks)))
	case (x.toks[m.at].Flags&token.Ident != 0 || own >= 0) && !x.refers(m.at, own):
		// This is only a hint, because honest references have more forms than
		// refers recognises.
		x.hit(Shadow, 1.1, m.at, m.at)
	}
}

// redirectsPeer finds that data for the tool named at token at goes elsewhere.
func (x *passage) redirectsPeer(at int) bool {
	s, c := x.sen.Senses, x.mask
	switch {
	case char.HasEmail(x.textBeyond()) && !exampleBefore(x.textBeyond()):
		x.hit(Redirect, 1.7, at, at)
	case s.Any(sense.While) && s.Any(sense.Attached|sense.Always|sense.Move):
		x.hit(Redirect, 1.6, at, x.senseAt(sense.While, 0, len(x.toks)))
	case s.Any(sense.Always) && (c.Any(concept.Target|concept.Param) || s.Any(sense.Payee|sense.Field|sense.CopyTo)):
		x.hit(Redirect, 1.5, at, x.senseAt(sense.Always, 0, len(x.toks)))
	case s.Any(sense.CopyTo) && (s.Any(sense.Move) || c.Any(concept.Send|concept.Target)):
		x.hit(Redirect, 1.5, at, x.senseAt(sense.CopyTo, 0, len(x.toks)))
	default:
		return false
	}
	return true
}

// refers reports whether the sentence names another tool like honest texts do.
func (x *passage) refers(at, own int) bool {
	end := at + 1
	for end < len(x.toks) && x.toks[end].Flags&token.Ident != 0 && x.toks[end].Start == x.toks[end-1].End+1 {
		end++
	}
	for i := max(0, at-4); i < at; i++ {
		if x.isWord(i, "such", "like", "unlike", "instance", "example") {
			return true
		}
	}
	if own >= 0 || x.mask.Has(concept.Neg|concept.Tell) || x.sen.Senses.Any(sense.Always|sense.Instead|sense.Avoid|sense.Others) && x.mask.Any(concept.Target|concept.Param|concept.File|concept.Other|concept.Must) {
		return false
	}
	// "such as", "as", "like", "unlike", "than", "from": a comparison or an
	// origin.
	for i := max(0, at-4); i < at; i++ {
		t := x.toks[i]
		switch {
		case t.Means.Any(concept.Call|concept.Ask|concept.Include|concept.Send) && t.Flags&token.Ident == 0 && x.findAny(concept.Neg, i-3, i) < 0 && !x.mask.Any(concept.Must):
			return true
		case x.isWord(i, "such", "like", "unlike", "than", "from", "of", "that", "with", "by", "to", "e", "example", "instance", "via", "in") && !x.mask.Any(concept.Must) && !x.sen.Senses.Any(sense.Since|sense.Reject):
			return true
		case t.Means.Any(concept.Prefer) && x.findAny(concept.Neg, i-3, i) < 0:
			return true
		}
	}
	// What it expects, can do, or does better.
	for i := end; i < min(len(x.toks), end+6); i++ {
		if x.isWord(i, "accepts", "accept", "expects", "expect", "needs", "takes", "can", "could", "would", "does", "returns", "returned", "understands", "uses", "enough", "suffices", "helps", "works", "keeps", "covers", "handles") && !x.sen.Senses.Any(sense.Since|sense.Always) ||
			x.isWord(i, "better", "quicker", "faster", "cheaper", "simpler") {
			return true
		}
	}
	return false
}

// plainMention finds another server's tool with a plain word as its name, such
// as query, in a sentence where this tool refers to itself by name. It returns
// -1 if there is none.
func (x *passage) plainMention(own int) int {
	if own < 0 && !x.sen.Foreign && x.findWord(0, len(x.toks), "calls", "call", "requests", "than", "instead", "over") < 0 {
		return -1
	}
	for i := range x.toks {
		called := own >= 0 || i > 1 && x.isWord(i-1, "to") && x.isWord(i-2, "calls", "call", "requests") || i > 0 && x.isWord(i-1, "than", "instead", "over") && x.mask.Any(concept.Other|concept.Must)
		// The name of its server suffices if the sentence mentions tools.
		if x.mask.Any(concept.Tool) && x.sen.Foreign && x.toks[i].End-x.toks[i].Start >= 4 && x.otherServer(x.word(i)) {
			return i
		}
		if called && i != own && x.toks[i].End-x.toks[i].Start >= 4 && x.toks[i].Flags&token.Ident == 0 && x.ownerOf(x.word(i)) == ownerOther {
			return i
		}
	}
	return -1
}

// plainly removes the discount for descriptions of attacks if the words for an
// attack accuse a tool ("leaks") or state the result of a call ("rejected").
func (x *passage) plainly(weight float64, meant sense.Set) float64 {
	for _, t := range x.toks {
		if t.Means.Any(concept.Meta) && !t.Senses.Any(meant) {
			return weight
		}
	}
	return weight / x.discount
}

// accused finds an accusation of the tool named at token at, or returns -1.
func (x *passage) accused(at int) int {
	d := x.senseAt(sense.Distrust, at-3, len(x.toks))
	if d < 0 || x.negated(d) || x.isWord(d-1, "for", "about", "report", "find") {
		return -1
	}
	return d
}

// goesOn reports whether the next sentence mentions this tool by name and the
// thing that this sentence names.
func (x *passage) goesOn() bool {
	y, ok := x.following()
	if !ok || y.ownName() < 0 {
		return false
	}
	for i := range y.toks {
		if y.isWord(i, "it", "them", "they", "those", "that") {
			return true
		}
	}
	return false
}

// following returns the next sentence, if the text has one.
func (x *passage) following() (passage, bool) {
	at := x.index()
	if at+1 >= x.doc.Sen1 {
		return passage{}, false
	}
	s := &x.v.Clauses[at+1]
	return passage{v: x.v, reg: x.reg, d: x.d, doc: x.doc, sen: s, toks: x.v.Tokens[s.Tok0:s.Tok1], mask: s.Means, kind: x.kind, about: x.about}, true
}
