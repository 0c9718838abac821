package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Statements about another server's tool, added up: a single word is not an
// order about it, but several together are.

// imposition is the evidence that a sentence, with the next one, tells the
// reader what to do with another server's tool.
type imposition struct {
	duty, when, standing, derogates, alters, value, claims, forbids, hides, diverts, secret bool
	honest                                                                                  bool
}

// weigh adds up the evidence. A referral ("use X for that") is honest, and so
// is a statement where a value comes from or goes.
func (p imposition) weigh() float64 {
	w := 0.0
	for _, e := range [...]struct {
		is bool
		w  float64
	}{{p.duty, 0.5}, {p.when, 0.3}, {p.standing, 0.4}, {p.derogates, 0.7}, {p.alters, 0.5}, {p.value, 0.5},
		{p.claims, 0.6}, {p.forbids, 0.6}, {p.hides, 0.6}, {p.diverts, 0.8}, {p.secret, 0.6}} {
		if e.is {
			w += e.w
		}
	}
	if p.honest {
		w -= 0.9
	}
	return w
}

// impose weighs what the sentence and the next one state about the tool named
// at token at.
func (x *passage) impose(at int) float64 {
	p := x.imposes(at)
	if next := x.index() + 1; next < x.doc.Sen1 {
		// The order may be in the sentence after the name.
		y := passage{v: x.v, reg: x.reg, d: x.d, doc: x.doc, kind: x.kind, about: x.about}
		y.enter(&x.v.Clauses[next])
		if y.anaphoric(p.weigh() >= 0.7) {
			q := y.imposes(-1)
			p.duty, p.standing, p.hides = p.duty || q.duty, p.standing || q.standing, p.hides || q.hides
			p.alters, p.value, p.claims, p.diverts = p.alters || q.alters, p.value || q.value, p.claims || q.claims, p.diverts || q.diverts
			p.forbids, p.secret = p.forbids || q.forbids, p.secret || q.secret
		}
	}
	return p.weigh()
}

// anaphoric reports whether a sentence continues about the thing named in the
// previous one: it has "it", "its", "that" or "those", or follows a lead with
// an order.
func (x *passage) anaphoric(lead bool) bool {
	if lead && x.toks[0].Form == lexicon.BaseForm {
		return true
	}
	for i := 0; i < min(len(x.toks), 12); i++ {
		if x.isWord(i, "it", "its", "that", "those", "this", "them", "they", "instead", "here") {
			return true
		}
	}
	return x.sen.Foreign
}

// imposes evaluates one sentence. at is the token of the name, or -1 if the
// name is in the previous sentence.
func (x *passage) imposes(at int) imposition {
	var p imposition
	n := len(x.toks)
	p.when = x.mask.Any(concept.When)
	p.standing = x.mask.Any(concept.Now) || x.findAny(concept.Other, 0, n) >= 0 && x.isWord(x.findAny(concept.Other, 0, n), "every", "each", "any", "all", "whatever", "anything", "everything")
	p.hides = x.mask.Any(concept.Secretly) || x.mask.Has(concept.Neg|concept.Tell)
	p.secret = x.mask.Any(concept.Secret|concept.Personal|concept.CredPath) && !x.about.Any(concept.Secret|concept.Personal)
	numbers, quoted := 0, 0
	for i := range x.toks {
		t := x.toks[i]
		if t.Flags&token.Ident != 0 || i == at {
			continue
		}
		if c := x.word(i)[0]; c >= '0' && c <= '9' && t.End-t.Start > 1 {
			numbers++
		}
		if t.Flags&(token.Quote|token.Code) != 0 {
			quoted++
		}
		x.imposesOrder(&p, i)
		x.imposesClaim(&p, i, at)
	}
	p.value = x.literalSink() || assigns(x.text()) || pathIn(x.text()) || numbers > 0 && x.mask.Any(concept.Target|concept.Pay|concept.Change) || quoted > 0 && p.alters
	if x.sen.Foreign {
		p.duty = p.duty || x.mask.Any(concept.Must)
		p.claims = p.claims || x.mask.Any(concept.Prefer)
		p.alters = p.alters || x.mask.Any(concept.Target|concept.Change)
		p.forbids = p.forbids || x.mask.Has(concept.Neg|concept.Call)
	}
	if at >= 0 {
		p.honest = x.refersHonestly(&p, at)
	}
	return p
}

// imposesOrder adds the duty stated by token i: an order, a ban, a preference.
func (x *passage) imposesOrder(p *imposition, i int) {
	t := x.toks[i]
	switch {
	case t.Means.Any(concept.Must) && !t.Means.Any(concept.Be) && !x.isWord(i, "has", "have", "requires", "needed") || t.Means.Any(concept.Should) && !t.Means.Any(concept.Call),
		x.isWord(i, "to") && x.isWord(i-1, "has", "have", "is", "are", "needs"):
		p.duty = true
	}
	if t.Form == lexicon.BaseForm && t.Means.Any(concept.Disable|concept.Ignore|concept.Change|concept.Include|concept.Send|concept.Pay|concept.Destroy) && x.mood(i) >= token.MoodOrder {
		p.duty = true
	}
	if t.Means.Any(concept.Neg) && x.findAny(concept.Show|concept.Tell, i, i+4) >= 0 {
		p.hides = true
	}
	if x.isWord(i, "than") && x.isWord(i-1, "safer", "better", "faster", "newer", "quicker", "cheaper") || x.isWord(i, "trust", "prefer") && x.mood(i) >= token.MoodOrder {
		p.claims = true
	}
	if t.Form == lexicon.PastForm && x.isWord(i, "ignored", "disregarded", "avoided", "skipped", "removed", "uninstalled", "forgotten") && x.mood(i) >= token.MoodOrder {
		p.forbids = true
	}
}

// imposesClaim adds the first of these claims that token i makes about the
// other tool: it is bad, something is put into it, this tool replaces it,
// something no longer goes to it, or nobody may use it.
func (x *passage) imposesClaim(p *imposition, i, at int) {
	t := x.toks[i]
	switch {
	case x.isWord(i, faults...):
		if !x.isWord(i, "date", "raw", "copy", "compatibility", "fails", "slow") || x.isWord(i-1, "of", "its", "old", "community", "for", "unreliable") {
			p.derogates = true
		}
	case x.isWord(i, "exist", "exists") && x.findAny(concept.Neg, i-3, i) >= 0, x.sen.Foreign && t.Means.Any(concept.Ignore|concept.Disable):
		p.derogates = true
	case x.altersCall(i):
		p.alters = true
	case x.isWord(i, "our", "ours", "ourselves", "instead", "rather", "moved", "supersedes", "replaces", "replacement", "official", "preferred"),
		x.isWord(i, "place") && x.isWord(i-1, "in", "its", "the"):
		if !x.isWord(i, "our") || !x.isWord(i+1, "server", "api", "documentation", "docs") {
			p.claims = true
		}
	case x.diverts(i):
		p.diverts = true
		p.claims = p.claims || x.isWord(0, "calls", "requests", "all", "every", "any") || x.isWord(i+1, "here")
	case x.isWord(i, "alone") && x.isWord(i-1, "left", "leave", "let"), x.isWord(i, "nobody", "avoid", "stop") && x.mask.Any(concept.Call):
		p.forbids = true
	case t.Means.Any(concept.Neg) && token.DutyOf(x.toks, i) >= token.MoodOrder && x.findAny(concept.Call|concept.Send, i, i+6) >= 0 && (at < 0 || at > i || p.duty):
		p.forbids = true
	}
}

// faults are words for defects of a tool.
var faults = []string{"broken", "unreliable", "unsafe", "insecure", "outdated", "deprecated", "obsolete", "buggy", "bug", "wrong", "wrongly", "incorrectly", "loses", "lose", "loss",
	"damages", "corrupts", "defective", "faulty", "stale", "spam", "incorrect", "inaccurate", "retired", "abandoned", "malfunctions", "fails", "ignores", "leaks", "untrusted",
	"compromised", "vulnerable", "unmaintained", "unsupported", "crashes", "copy", "imitation", "fake", "date", "compatibility", "raw", "slow", "mistake"}

// altersCall reports whether token i is a part of a call that is set or made
// public.
func (x *passage) altersCall(i int) bool {
	t := x.toks[i]
	return t.Means.Any(concept.Include) && t.Form == lexicon.PastForm && x.findAny(concept.Be, i-3, i) >= 0 ||
		x.isWord(i, "readable", "public", "writable", "visible") ||
		t.Means.Any(concept.Target) && t.Form != lexicon.BaseForm && !x.isWord(i, "to", "number") ||
		x.isWord(i, "subject", "body", "merchant", "branch", "amount", "path", "argument", "parameter", "signature", "footer", "clause", "payload", "destination")
}

// diverts reports whether token i states that calls or their data go here
// instead.
func (x *passage) diverts(i int) bool {
	return x.isWord(i, "come", "go", "comes", "goes", "routed", "directed", "redirected", "redirect", "pass", "passes", "passing", "handed", "sent", "diverted", "lands", "land", "through", "routes", "input") &&
		(x.findAny(concept.This, i, i+4) >= 0 || x.isWord(i+1, "here", "through", "to", "via") || x.isWord(i, "input", "lands", "land")) && x.mask.Any(concept.Call|concept.Task|concept.Result|concept.Conv|concept.Must|concept.Other|concept.File)
}

// refersHonestly reports whether the sentence names the tool at token at like
// honest texts do.
func (x *passage) refersHonestly(p *imposition, at int) (honest bool) {
	// "call send_email when the user is happy", "use X for that"
	for i := max(0, at-4); i < at; i++ {
		if x.toks[i].Means.Any(concept.Call) && x.toks[i].Form == lexicon.BaseForm && x.toks[i].Flags&token.Ident == 0 && x.findAny(concept.Neg, i-3, i) < 0 {
			honest = true
		}
	}
	// "the ids from X", "unlike X", "with X", "as the body of X"
	if x.isWord(at-1, "from", "unlike", "with", "by", "for", "like") && !p.duty && !p.value && !p.diverts && !p.alters {
		honest = true
	}
	for i := range x.toks {
		if x.isWord(i, "asks", "ask", "confirm", "confirms", "showing", "shown") && !p.forbids && !p.value {
			honest = true
		}
	}
	return honest
}

// assigns reports whether a text sets a parameter, as in force=true.
func assigns(s string) bool {
	for i := 2; i+2 < len(s); i++ {
		if s[i] == '=' && char.IsWord(s[i-1]) && char.IsWord(s[i-2]) && (char.IsWord(s[i+1]) || s[i+1] == '"' || s[i+1] == '\'') {
			return true
		}
	}
	return false
}

// pathIn reports whether a text names a place in the file system.
func pathIn(s string) bool {
	for i := 1; i+3 < len(s); i++ {
		if s[i] == '/' && char.IsLetter(s[i+1]) && (s[i-1] == ' ' || s[i-1] == '~') && strings.IndexByte(s[i+1:], '/') > 0 {
			return true
		}
	}
	return false
}
