package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// senseFrame is a frame that uses senses. It is tried if the sentence has all of need and
// some of any.
type senseFrame struct {
	need, any sense.Set
	find      func(*passage)
}

// senseFrames lists the frames that use senses.
var senseFrames = []senseFrame{
	{sense.Dialog, sense.Reject | sense.Give | sense.Span | sense.Paste | sense.Field, (*passage).dialogDemand},
	{0, sense.CopyTo | sense.Always | sense.Same | sense.Move | sense.Reject | sense.Give, (*passage).standingCopy},
	{0, sense.Dialog | sense.Session | sense.Image | sense.Utter, (*passage).dataLink},
	{sense.Order, sense.Carry | sense.Always, (*passage).obeyed},
	{sense.Consent, sense.Needless, (*passage).needlessConsent},
	{sense.Utter, sense.Reject | sense.Give | sense.Span | sense.Paste | sense.Field, (*passage).dialogDemand},
	{sense.Rule, sense.Void, (*passage).ruleless},
	{0, sense.Rule | sense.Void | sense.Guide | sense.Briefing | sense.Needless, (*passage).unruled},
}

// readSenses runs the frames that use senses on the sentence.
func (x *passage) readSenses() {
	s := x.sen.Senses
	if x.kind == tool.KindJoined {
		return
	}
	for i := range senseFrames {
		if f := &senseFrames[i]; s.Has(f.need) && (f.any == 0 || s.Any(f.any)) && x.v.without.senses>>i&1 == 0 {
			f.find(x)
		}
	}
	if x.reg != nil && x.sen.Flags&(token.Ident|token.Code|token.Quote) != 0 || x.mask.Any(concept.Tool) || x.about.Any(concept.Tool) || s.Any(sense.Output|sense.Through|sense.Choose) {
		x.peer()
	}
	if x.mask.Has(concept.Conv|concept.User) && !s.Any(sense.Dialog|sense.Utter) && x.sen.Flags&token.Code != 0 && x.kind == tool.KindDescription {
		x.dialogDemand()
	}
	if x.sen.Flags&(token.Ident|token.Code|token.Quote) != 0 || s.Any(sense.Field) {
		x.privateDemand()
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

// negated reports whether a negation is shortly before token i.
func (x *passage) negated(i int) bool {
	return x.findAny(concept.Neg, i-4, i) >= 0 || x.sen.Foreign && x.findAny(concept.Neg, i-6, i+4) >= 0
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

// fieldBefore finds a parameter named in the previous sentence if this one
// continues about it: "`ref` is free text; it has to open with ...".
func (x *passage) fieldBefore(own concept.Set, ownSense sense.Set) (found, fair bool) {
	at := x.index()
	if at == x.doc.Sen0 {
		return false, false
	}
	goesOn := false
	for i := range x.toks {
		goesOn = goesOn || x.isWord(i, "it", "there", "that", "them")
	}
	if !goesOn {
		return false, false
	}
	s := &x.v.Clauses[at-1]
	y := passage{v: x.v, reg: x.reg, d: x.d, doc: x.doc, sen: s, toks: x.v.Tokens[s.Tok0:s.Tok1], mask: s.Means, kind: x.kind}
	i, fair := y.namedField(own, ownSense)
	return i >= 0 && (y.toks[i].Flags&token.Code != 0 || y.toks[i].Flags&token.Ident != 0), fair
}

// beside reports whether a word for a parameter, or text of another script, is
// next to token i: "the field trace", "trace 参数".
func (x *passage) beside(i int) bool {
	return i > 0 && x.toks[i-1].Senses.Any(sense.Field) || i+1 < len(x.toks) && x.toks[i+1].Senses.Any(sense.Field) || x.sen.Foreign
}

// ownField returns the meaning of the name of the parameter that this text
// describes.
func (x *passage) ownField() (c concept.Set, s sense.Set) {
	param := x.v.Fields[x.doc.Field].Param
	for k := range min(len(x.v.Docs), 4*maxFields) {
		if f := &x.v.Fields[x.v.Docs[k].Field]; f.Kind == tool.KindParamName && f.Text == param {
			return x.v.MeaningOf(k)
		}
	}
	return 0, 0
}

// ofField reports whether the text belongs to one parameter.
func (x *passage) ofField() bool {
	return x.kind == tool.KindParamDescription || x.kind == tool.KindTitle || x.kind == tool.KindDefault || x.kind == tool.KindComment
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
