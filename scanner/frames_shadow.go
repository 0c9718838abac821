package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
)

// shadow finds orders about a tool that is not this server's.
func (x *frameContext) shadow() {
	m, ok := x.mention(0)
	if !ok {
		return
	}
	if !m.other && x.kind == kindEnum && x.bareName() {
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
	if x.sen.foreign && x.findAny(concept.Call, m.at-3, m.at) >= 0 && !x.mask.Any(concept.Neg|concept.Target|concept.Ignore|concept.Must|concept.Other) && !x.literalSink() {
		return // "si quieres mandarlo, usa send_email"
	}
	if x.prerequisite(m.at) {
		return
	}
	if m.other {
		if w := x.impose(m.at); w >= 0.8 {
			if w >= 1.2 {
				w = max(w, softWeight)
			}
			x.hit(frShadow, min(w, 2.2), m.at, len(x.toks)-1)
		}
	}
	literal := x.literalSink()
	var deed int
	var md mood
	deed, md = x.demanded(concept.Send|concept.Change|concept.Include|concept.Destroy|concept.Pay, moodOrder)
	if deed < 0 {
		for i := range x.toks {
			// "the recipient must be changed", "has to BCC"
			t := x.toks[i]
			if t.c.Any(concept.Send|concept.Change|concept.Include) && t.flags&tfIdent == 0 && (t.f == formBase || t.f == formPast) && x.findAny(concept.Must, i-4, i) >= 0 {
				deed, md = i, moodStrong
				break
			}
		}
	}
	target := x.targetWord() || literal
	if deed >= 0 && md >= moodOrder && target && x.mask.Any(concept.When|concept.Must|concept.Before|concept.Other) && x.toks[deed].flags&tfIdent == 0 && (literal || m.other || md == moodStrong) {
		w := 1.7
		if literal {
			w = 2.3
		}
		x.hit(frRedirect, w*max(sure, 0.85), m.at, deed)
		return
	}
	if m.other {
		// Any other order about it, but an honest "use that one first".
		for i := range x.toks {
			t := x.toks[i]
			if t.flags&tfIdent != 0 || !t.c.Any(concept.Deeds|concept.Ignore|concept.Disable|concept.Prefer) || t.c.Any(concept.Call) && m.at > i && m.at-i <= 4 || x.mood(i) < moodStrong {
				continue
			}
			w := 1.0
			if x.mask.Any(concept.When | concept.Before | concept.Other) {
				w = 1.4
			}
			x.hit(frShadow, w, m.at, i)
			break
		}
	}
	if n := x.findAny(concept.Neg, 0, m.at); n >= 0 && m.at-n <= 4 && x.findAny(concept.Call, n, m.at) >= 0 && dutyOf(x.toks, n) >= moodOrder {
		w := 1.6 * sure
		if x.findAny(concept.When, m.at, len(x.toks)) >= 0 || x.isWord(m.at+2, "for", "to", "on") || x.isWord(m.at+3, "for", "to", "on") {
			w *= 0.6 // it is not for that, which is documentation
		}
		x.hit(frShadow, w, n, m.at)
	}
}

// targetWord says whether the sentence names a recipient; the plain word "to"
// does not, the parameter of that name does.
func (x *frameContext) targetWord() bool {
	for i := range x.toks {
		if t := x.toks[i]; t.c.Any(concept.Target) && (t.flags&(tfCode|tfQuote|tfIdent) != 0 || !x.isWord(i, "to")) {
			return true
		}
	}
	return false
}

// mimicry finds the furniture of a chat: role markers, template tokens, tags
// that claim importance, comments that only a model reads, asides to it.
func (x *frameContext) mimicry() {
	t := x.toks[0]
	s := x.doc.text
	after := byte(0)
	if int(t.end) < len(s) {
		after = s[t.end]
	}
	before := byte(0)
	if t.start > 0 {
		before = s[t.start-1]
	}
	x.transcript()
	role := x.isWord(0, "system", "assistant", "user", "human", "developer", "admin", "administrator", "operator", "sys")
	switch {
	case before == '/' && t.start > 1 && s[t.start-2] == '<' && t.flags&tfTag != 0 && x.isWord(0, "tool", "tools", "description", "system", "instructions", "prompt", "context", "function", "functions") && (after == '>' || after == '_') && x.kind == kindDescription:
		w := 1.5
		if strings.Contains(s[max(0, int(t.start)-2000):t.start], "<"+x.word(0)) || x.about.Any(concept.Meta) {
			w = 0.3 // it closes what the text itself opened
		}
		x.hit(frMimicry, w, 0, 0)
	case before == '|' && t.start > 1 && s[t.start-2] == '<':
		w := 2.4
		if t.flags&(tfQuote|tfCode) != 0 || x.about.Any(concept.Conv|concept.Model|concept.Instr|concept.Meta) || x.kind >= kindEnum {
			w = 0.5
		}
		x.hit(frMimicry, w, 0, 0)
	case t.flags&tfTag != 0 && (x.isWord(0, "inst", "sys", "im_start", "im_end", "endoftext")):
		x.hit(frMimicry, 2.2, 0, 0)
	case t.flags&tfTag != 0 && before != '!' && (role && after != '_' || x.isWord(0, "important", "instructions", "instruction", "secret", "critical", "hidden", "override", "priority", "mandatory", "directive")) && (after == '>' || after == ']' || after == ' ' || after == ':' || after == '_' || after == '-'):
		w := 1.5
		if x.about.Any(concept.Meta) || x.kind == kindParamDescription && role {
			w = 0.4
		}
		if t.flags&tfUpper != 0 && before == '[' && !role {
			w = 0.5 // [IMPORTANT] and [CRITICAL] are how people shout
		}
		if x.isWord(0, "user") {
			w = 0.3
		}
		if len(x.toks) == 1 && t.flags&tfUpper == 0 {
			w *= 0.7 // a tag alone is markup; with an order beside it, it adds up
		}
		x.hit(frMimicry, w, 0, 0)
	case role && after == ':' && x.kind == kindDescription && len(x.toks) > 3 && !x.sen.first && (before == '\n' || before == ' ' && t.start > 1 && s[t.start-2] == '\n'):
		w := 1.0
		if x.isWord(0, "system", "assistant") {
			w = 1.5
		}
		x.hit(frMimicry, w, 0, 0)
	case x.commented():
		if _, m := x.demanded(concept.Deeds|concept.Ignore|concept.Tell, moodOrder); x.mask.Any(concept.Model|concept.Secretly) || m >= moodOrder && (x.mask.Any(concept.Instr|concept.Ignore|concept.System|concept.Secret|concept.Conv) || x.mask.Has(concept.User|concept.Tell)) {
			x.hit(frMimicry, 1.6, 0, len(x.toks)-1)
		}
	}
	for i := range x.toks {
		switch {
		case x.isWord(i, "end") && x.isWord(i+1, "of") && x.kind == kindDescription && x.findAny(concept.Tool|concept.System|concept.Instr, i+2, i+5) >= 0 && (x.isWord(i+3, "description", "prompt", "instructions", "message", "definition", "metadata") || x.isWord(i+2, "description", "instructions", "prompt") || x.isWord(i+4, "description")):
			x.hit(frMimicry, 1.6, i, i+2)
		case x.isWord(i, "role") && x.isWord(i+1, "system", "assistant", "developer") && x.toks[i+1].start-x.toks[i].end >= 3 && s[x.toks[i].end] == '"' && x.isWord(i+2, "content"):
			x.hit(frMimicry, 1.6, i, i+1)
		case x.isWord(i, "instruction", "response", "system", "human", "assistant") && x.toks[i].start >= 4 && s[x.toks[i].start-2] == '#' && s[x.toks[i].start-3] == '#' && int(x.toks[i].end) < len(s) && s[x.toks[i].end] == ':':
			x.hit(frMimicry, 1.5, i, i)
		default:
			continue
		}
		break
	}
	// "Note to AI:", "for language models:", "Assistant, "
	for i := 0; i < len(x.toks) && i < 14; i++ {
		if !x.toks[i].c.Any(concept.Model) || x.toks[i].flags&tfIdent != 0 {
			continue
		}
		end := int(x.toks[i].end)
		if end >= len(s) || s[end] != ':' && s[end] != ',' && !strings.HasPrefix(s[end:], " -") && !strings.HasPrefix(s[end:], " is reading") && !strings.HasPrefix(s[end:], " reading") {
			continue
		}
		if i > 0 && (x.isWord(i-1, "to", "for", "language", "any", "the", "dear", "ai", "attention", "whichever", "all", "hey") || x.toks[i].flags&tfBreak != 0) || i == 0 && len(x.toks) > 3 && !x.sen.first {
			if j, m := x.demanded(concept.Deeds|concept.Tell|concept.Ignore|concept.Pretend|concept.Disable, moodOrder); j > i && m >= moodOrder && x.kind <= kindParamDescription && !x.about.Any(concept.Model) {
				x.hit(frAddress, 1.0, i, j)
			}
		}
		return
	}
}

// transcript finds a made-up exchange: two or more lines that open with a
// speaker.
func (x *frameContext) transcript() {
	if x.kind != kindDescription || !speaker(x.doc, x.toks[0]) || x.about.Any(concept.Conv|concept.Model|concept.Meta|concept.Instr) {
		return
	}
	n := 0
	for s := x.doc.sen0; s < x.doc.sen1; s++ {
		sen := &x.v.clauses[s]
		if speaker(x.doc, x.v.tokens[sen.tok0]) {
			n++
		}
		if sen.tok0 > x.sen.tok1 || n > 8 {
			break
		}
	}
	if n >= 2 {
		x.hit(frMimicry, 1.8, 0, 0)
	}
}

// speaker says whether a sentence that begins with this token opens with a
// role of a chat and a mark.
func speaker(d *doc, t token) bool {
	s := d.text
	switch strings.ToLower(s[t.start:t.end]) {
	case "system", "assistant", "user", "human", "tool", "developer", "ai":
	default:
		return false
	}
	if t.start > 0 && s[t.start-1] != '\n' && s[t.start-1] != '[' && s[t.start-1] != '<' && s[t.start-1] != '#' && s[t.start-1] != '*' && !(s[t.start-1] == ' ' && t.start > 1 && (s[t.start-2] == '#' || s[t.start-2] == '\n' || s[t.start-2] == '.')) && s[t.start-1] != '/' {
		return false
	}
	return int(t.end) < len(s) && (s[t.end] == ':' || s[t.end] == ']' || s[t.end] == '>')
}

// bareName says whether the sentence is one identifier and nothing else.
func (x *frameContext) bareName() bool {
	return len(x.toks) > 0 && len(x.toks) < longChain && len(x.identifier(0)) == int(x.toks[len(x.toks)-1].end-x.toks[0].start)
}
