package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// senseFrame is a frame that is tried on a sentence if when says so.
type senseFrame struct {
	name string
	when func(*passage) bool
	find func(*passage)
}

// senseFrames lists the frames that depend on senses.
var senseFrames = []senseFrame{
	{"peer", (*passage).mayNamePeer, (*passage).peer},
	{"privateDemand", (*passage).namesFields, (*passage).privateDemand},
	{"needlessConsent", func(x *passage) bool { return x.sen.Senses.Has(sense.Consent | sense.Needless) }, (*passage).needlessConsent},
	{"ruleless", func(x *passage) bool { return x.sen.Senses.Has(sense.Rule | sense.Void) }, (*passage).ruleless},
}

// mayNamePeer reports whether the sentence may name another server's tool.
func (x *passage) mayNamePeer() bool {
	return x.reg != nil && x.sen.Flags&(token.Ident|token.Code|token.Quote) != 0 || x.mask.Any(concept.Tool) || x.about.Any(concept.Tool) || x.sen.Senses.Any(sense.Output|sense.Through|sense.Choose)
}

// namesFields reports whether the sentence may name a parameter.
func (x *passage) namesFields() bool {
	return x.sen.Flags&(token.Ident|token.Code|token.Quote) != 0 || x.sen.Senses.Any(sense.Field)
}

// readSenses tries the frames that depend on senses.
func (x *passage) readSenses() {
	if x.kind == tool.KindJoined {
		return
	}
	for i := range senseFrames {
		if f := &senseFrames[i]; f.when(x) {
			f.find(x)
		}
	}
}

// senseAt returns the first token from from to before to with some of these
// senses, or -1.
func (x *passage) senseAt(want sense.Set, from, to int) int {
	for i := max(from, 0); i < min(to, len(x.toks)); i++ {
		if x.toks[i].Senses.Any(want) {
			return i
		}
	}
	return -1
}

// negated reports whether a negation is shortly before token i.
func (x *passage) negated(i int) bool {
	return x.findAny(concept.Neg, i-4, i) >= 0 || x.sen.Foreign && x.findAny(concept.Neg, i-6, i+4) >= 0
}

// near finds two different tokens with these senses that are at most reach
// apart.
func (x *passage) near(a, b sense.Set, reach int) (i, j int) {
	for i := range x.toks {
		if !x.toks[i].Senses.Any(a) {
			continue
		}
		for j := max(0, i-reach); j < min(len(x.toks), i+reach+1); j++ {
			if j != i && x.toks[j].Senses.Any(b) {
				return i, j
			}
		}
	}
	return -1, -1
}

// around combines the senses and concepts of the sentence with those of its
// neighbours in the text.
func (x *passage) around() (s sense.Set, c concept.Set) {
	at := x.index()
	for k := max(x.doc.Sen0, at-1); k <= min(at+1, x.doc.Sen1-1); k++ {
		s |= x.v.Clauses[k].Senses
		c |= x.v.Clauses[k].Means
	}
	return s, c
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

// index is the index of the sentence in the view.
func (x *passage) index() int {
	lo, hi := x.doc.Sen0, x.doc.Sen1
	for lo < hi {
		mid := (lo + hi) / 2
		if x.v.Clauses[mid].Tok0 < x.sen.Tok0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// maxFields bounds the number of parameters that a sentence's words are
// compared with.
const maxFields = 64

// namedField returns the token that names a parameter of this tool, or a word
// for one, or -1. fair is set if the parameter's own name states the given
// meanings, such as one called private_key.
func (x *passage) namedField(own concept.Set, ownSense sense.Set) (at int, fair bool) {
	at = -1
	for i := range x.toks {
		t := x.toks[i]
		if t.Senses.Any(sense.Field) && t.Flags&token.Ident == 0 && at < 0 {
			at = i
		}
		if t.Flags&(token.Ident|token.Code|token.Quote) == 0 && !x.beside(i) {
			continue
		}
		name := x.identifier(i)
		for k := range min(len(x.v.Docs), maxFields) {
			if f := &x.v.Fields[x.v.Docs[k].Field]; f.Kind == tool.KindParamName && !f.Output && f.Text == name {
				c, s := x.v.MeaningOf(k)
				if c.Any(own) || s.Any(ownSense) {
					return i, true
				}
				return i, false
			}
		}
	}
	return at, false
}

// beside reports whether a word for a parameter, or text of another script, is
// next to token i: "the field trace", "trace 参数".
func (x *passage) beside(i int) bool {
	return i > 0 && x.toks[i-1].Senses.Any(sense.Field) || i+1 < len(x.toks) && x.toks[i+1].Senses.Any(sense.Field) || x.sen.Foreign
}

// described reports whether the text is prose that describes the tool or a
// parameter.
func (x *passage) described() bool {
	return x.kind == tool.KindDescription || x.kind == tool.KindParamDescription
}

// ownName returns the token at which the tool refers to itself by name, or -1.
func (x *passage) ownName() int {
	for i := range x.toks {
		t := x.toks[i]
		if x.v.Name == "" || x.doc.Text[t.Start]|0x20 != x.v.Name[0]|0x20 {
			continue
		}
		if t.Flags&(token.Ident|token.Code|token.Quote) == 0 && x.isWord(i-1, "a", "an", "the", "each", "every", "your", "this", "new") {
			continue // the word, not the name
		}
		if int(t.End-t.Start) <= len(x.v.Name) && x.v.Name != "" && strings.EqualFold(x.identifier(i), x.v.Name) {
			return i
		}
	}
	return -1
}
