package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// peer finds what one tool says of another server's tool. A server hardly
// knows what else is connected, so that naming another's tool is odd by
// itself: it passes as a referral, a comparison or a word on where text comes
// from, and is suspect otherwise.
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
	if x.prerequisite(m.at) || x.callsItself(m.at) {
		return
	}
	s, c := x.sen.Senses, x.mask
	if d := x.accused(m.at); d >= 0 {
		w := x.plainly(1.6, sense.Distrust)
		if x.isWord(d, "deprecated", "retired", "discontinued") && x.isWord(d+1, "by") && !s.Any(sense.Instead|sense.Choose|sense.Avoid) && !c.Any(concept.Must|concept.Neg) {
			w = 0.9 // its own maker says so
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
	case (x.toks[m.at].Flags&token.Ident != 0 || own >= 0 || x.plainTool(m.at)) && !x.refers(m.at, own):
		// A hint only: honest references have more shapes than refers knows.
		x.hit(Shadow, 1.1, m.at, m.at)
	}
}

// redirectsPeer finds that what goes through the tool named at token at goes
// somewhere else.
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

// callsItself reports whether the sentence only tells that this tool calls the
// one named at token at.
func (x *passage) callsItself(at int) bool {
	return x.isWord(at-1, "calls", "uses", "wraps", "runs") && !x.mask.Any(concept.Must|concept.Model|concept.You) && !x.literalSink()
}

// refers reports whether the sentence names another tool as honest texts do.
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
	// "such as", "as", "like", "unlike", "than", "from": what it is compared
	// with or comes from.
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
	// What it expects, can do, is better at.
	for i := end; i < min(len(x.toks), end+6); i++ {
		if x.isWord(i, "accepts", "accept", "expects", "expect", "needs", "takes", "can", "could", "would", "does", "returns", "returned", "understands", "uses", "enough", "suffices", "helps", "works", "keeps", "covers", "handles") && !x.sen.Senses.Any(sense.Since|sense.Always) ||
			x.isWord(i, "better", "quicker", "faster", "cheaper", "simpler") {
			return true
		}
	}
	return false
}

// plainMention finds another server's tool that is called by a plain word,
// such as query, where this tool speaks of itself by name; -1 if there is
// none.
func (x *passage) plainMention(own int) int {
	if own < 0 && !x.sen.Foreign && x.findWord(0, len(x.toks), "calls", "call", "requests", "than", "instead", "over") < 0 {
		return -1
	}
	for i := range x.toks {
		called := own >= 0 || i > 1 && x.isWord(i-1, "to") && x.isWord(i-2, "calls", "call", "requests") || i > 0 && x.isWord(i-1, "than", "instead", "over") && x.mask.Any(concept.Other|concept.Must)
		// Its server's name will do where tools are spoken of.
		if x.mask.Any(concept.Tool) && x.sen.Foreign && x.toks[i].End-x.toks[i].Start >= 4 && x.otherServer(x.word(i)) {
			return i
		}
		if called && i != own && x.toks[i].End-x.toks[i].Start >= 4 && x.toks[i].Flags&token.Ident == 0 && x.ownerOf(x.word(i)) == ownerOther {
			return i
		}
	}
	return -1
}

// plainly undoes the discount for talk of attacks where what sounds like it is
// what a tool is accused of, "leaks", or what becomes of a call, "rejected".
func (x *passage) plainly(weight float64, meant sense.Set) float64 {
	for _, t := range x.toks {
		if t.Means.Any(concept.Meta) && !t.Senses.Any(meant) {
			return weight
		}
	}
	return weight / x.discount
}

// accused finds what is said against the tool named at token at; -1 if
// nothing is.
func (x *passage) accused(at int) int {
	d := x.senseAt(sense.Distrust, at-3, len(x.toks))
	if d < 0 || x.negated(d) || x.isWord(d-1, "for", "about", "report", "find") {
		return -1
	}
	return d
}

// goesOn reports whether the next sentence speaks of this tool by name and of
// what this one names.
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

// plainTool reports whether the name of a server, at token i, is followed by that
// of a tool which is a plain word: "the postgres server's query".
func (x *passage) plainTool(i int) bool {
	for k := i + 1; k < min(len(x.toks), i+4); k++ {
		if x.toks[k].End-x.toks[k].Start >= 4 && x.ownerOf(x.word(k)) == ownerOther {
			return true
		}
	}
	return false
}
