package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// shadow finds orders about a tool that is not this server's.
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
	if x.prerequisite(m.at) {
		return
	}
	if m.other {
		if w := x.impose(m.at); w >= 0.8 {
			if w >= 1.2 {
				w = max(w, SoftWeight)
			}
			x.hit(Shadow, min(w, 2.2), m.at, len(x.toks)-1)
		}
	}
	literal := x.literalSink()
	var deed int
	var md token.Mood
	deed, md = x.demanded(concept.Send|concept.Change|concept.Include|concept.Destroy|concept.Pay, token.MoodOrder)
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
	if deed >= 0 && md >= token.MoodOrder && target && x.mask.Any(concept.When|concept.Must|concept.Before|concept.Other) && x.toks[deed].Flags&token.Ident == 0 && (literal || m.other || md == token.MoodStrong) {
		w := 1.7
		if literal {
			w = 2.3
		}
		x.hit(Redirect, w*max(sure, 0.85), m.at, deed)
		return
	}
	if m.other {
		// Any other order about it, but an honest "use that one first".
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
			break
		}
	}
	if n := x.findAny(concept.Neg, 0, m.at); n >= 0 && m.at-n <= 4 && x.findAny(concept.Call, n, m.at) >= 0 && token.DutyOf(x.toks, n) >= token.MoodOrder {
		w := 1.6 * sure
		if x.findAny(concept.When, m.at, len(x.toks)) >= 0 || x.isWord(m.at+2, "for", "to", "on") || x.isWord(m.at+3, "for", "to", "on") {
			w *= 0.6 // it is not for that, which is documentation
		}
		x.hit(Shadow, w, n, m.at)
	}
}

// targetWord says whether the sentence names a recipient; the plain word "to"
// does not, the parameter of that name does.
func (x *passage) targetWord() bool {
	for i := range x.toks {
		if t := x.toks[i]; t.Means.Any(concept.Target) && (t.Flags&(token.Code|token.Quote|token.Ident) != 0 || !x.isWord(i, "to")) {
			return true
		}
	}
	return false
}

// mimicry finds the furniture of a chat: role markers, template tokens, tags
// that claim importance, comments that only a model reads, asides to it.
func (x *passage) mimicry() {
	t := x.toks[0]
	s := x.doc.Text
	after := byte(0)
	if int(t.End) < len(s) {
		after = s[t.End]
	}
	before := byte(0)
	if t.Start > 0 {
		before = s[t.Start-1]
	}
	x.transcript()
	role := x.isWord(0, "system", "assistant", "user", "human", "developer", "admin", "administrator", "operator", "sys")
	switch {
	case before == '/' && t.Start > 1 && s[t.Start-2] == '<' && t.Flags&token.Tag != 0 && x.isWord(0, "tool", "tools", "description", "system", "instructions", "prompt", "context", "function", "functions") && (after == '>' || after == '_') && x.kind == tool.KindDescription:
		w := 1.5
		if strings.Contains(s[max(0, int(t.Start)-2000):t.Start], "<"+x.word(0)) || x.about.Any(concept.Meta) {
			w = 0.3 // it closes what the text itself opened
		}
		x.hit(Mimicry, w, 0, 0)
	case before == '|' && t.Start > 1 && s[t.Start-2] == '<':
		w := 2.4
		if t.Flags&(token.Quote|token.Code) != 0 || x.about.Any(concept.Conv|concept.Model|concept.Instr|concept.Meta) || x.kind >= tool.KindEnum {
			w = 0.5
		}
		x.hit(Mimicry, w, 0, 0)
	case t.Flags&token.Tag != 0 && (x.isWord(0, "inst", "sys", "im_start", "im_end", "endoftext")):
		x.hit(Mimicry, 2.2, 0, 0)
	case t.Flags&token.Tag != 0 && before != '!' && (role && after != '_' || x.isWord(0, "important", "instructions", "instruction", "secret", "critical", "hidden", "override", "priority", "mandatory", "directive")) && (after == '>' || after == ']' || after == ' ' || after == ':' || after == '_' || after == '-'):
		w := 1.5
		if x.about.Any(concept.Meta) || x.kind == tool.KindParamDescription && role {
			w = 0.4
		}
		if t.Flags&token.Upper != 0 && before == '[' && !role {
			w = 0.5 // [IMPORTANT] and [CRITICAL] are how people shout
		}
		if x.isWord(0, "user") {
			w = 0.3
		}
		if len(x.toks) == 1 && t.Flags&token.Upper == 0 {
			w *= 0.7 // a tag alone is markup; with an order beside it, it adds up
		}
		x.hit(Mimicry, w, 0, 0)
	case role && after == ':' && x.kind == tool.KindDescription && len(x.toks) > 3 && !x.sen.First && (before == '\n' || before == ' ' && t.Start > 1 && s[t.Start-2] == '\n'):
		w := 1.0
		if x.isWord(0, "system", "assistant") {
			w = 1.5
		}
		x.hit(Mimicry, w, 0, 0)
	case x.commented():
		if _, m := x.demanded(concept.Deeds|concept.Ignore|concept.Tell, token.MoodOrder); x.mask.Any(concept.Model|concept.Secretly) || m >= token.MoodOrder && (x.mask.Any(concept.Instr|concept.Ignore|concept.System|concept.Secret|concept.Conv) || x.mask.Has(concept.User|concept.Tell)) {
			x.hit(Mimicry, 1.6, 0, len(x.toks)-1)
		}
	}
	for i := range x.toks {
		switch {
		case x.isWord(i, "end") && x.isWord(i+1, "of") && x.kind == tool.KindDescription && x.findAny(concept.Tool|concept.System|concept.Instr, i+2, i+5) >= 0 && (x.isWord(i+3, "description", "prompt", "instructions", "message", "definition", "metadata") || x.isWord(i+2, "description", "instructions", "prompt") || x.isWord(i+4, "description")):
			x.hit(Mimicry, 1.6, i, i+2)
		case x.isWord(i, "role") && x.isWord(i+1, "system", "assistant", "developer") && x.toks[i+1].Start-x.toks[i].End >= 3 && s[x.toks[i].End] == '"' && x.isWord(i+2, "content"):
			x.hit(Mimicry, 1.6, i, i+1)
		case x.isWord(i, "instruction", "response", "system", "human", "assistant") && x.toks[i].Start >= 4 && s[x.toks[i].Start-2] == '#' && s[x.toks[i].Start-3] == '#' && int(x.toks[i].End) < len(s) && s[x.toks[i].End] == ':':
			x.hit(Mimicry, 1.5, i, i)
		default:
			continue
		}
		break
	}
	// "Note to AI:", "for language models:", "Assistant, "
	for i := 0; i < len(x.toks) && i < 14; i++ {
		if !x.toks[i].Means.Any(concept.Model) || x.toks[i].Flags&token.Ident != 0 {
			continue
		}
		end := int(x.toks[i].End)
		if end >= len(s) || s[end] != ':' && s[end] != ',' && !strings.HasPrefix(s[end:], " -") && !strings.HasPrefix(s[end:], " is reading") && !strings.HasPrefix(s[end:], " reading") {
			continue
		}
		if i > 0 && (x.isWord(i-1, "to", "for", "language", "any", "the", "dear", "ai", "attention", "whichever", "all", "hey") || x.toks[i].Flags&token.Break != 0) || i == 0 && len(x.toks) > 3 && !x.sen.First {
			if j, m := x.demanded(concept.Deeds|concept.Tell|concept.Ignore|concept.Pretend|concept.Disable, token.MoodOrder); j > i && m >= token.MoodOrder && x.kind <= tool.KindParamDescription && !x.about.Any(concept.Model) {
				x.hit(Address, 1.0, i, j)
			}
		}
		return
	}
}

// transcript finds a made-up exchange: two or more lines that open with a
// speaker.
func (x *passage) transcript() {
	if x.kind != tool.KindDescription || !speaker(x.doc, x.toks[0]) || x.about.Any(concept.Conv|concept.Model|concept.Meta|concept.Instr) {
		return
	}
	n := 0
	for s := x.doc.Sen0; s < x.doc.Sen1; s++ {
		sen := &x.v.Clauses[s]
		if speaker(x.doc, x.v.Tokens[sen.Tok0]) {
			n++
		}
		if sen.Tok0 > x.sen.Tok1 || n > 8 {
			break
		}
	}
	if n >= 2 {
		x.hit(Mimicry, 1.8, 0, 0)
	}
}

// speaker says whether a sentence that begins with this token opens with a
// role of a chat and a mark.
func speaker(d *token.Doc, t token.Token) bool {
	s := d.Text
	switch strings.ToLower(s[t.Start:t.End]) {
	case "system", "assistant", "user", "human", "tool", "developer", "ai":
	default:
		return false
	}
	if t.Start > 0 && s[t.Start-1] != '\n' && s[t.Start-1] != '[' && s[t.Start-1] != '<' && s[t.Start-1] != '#' && s[t.Start-1] != '*' && !(s[t.Start-1] == ' ' && t.Start > 1 && (s[t.Start-2] == '#' || s[t.Start-2] == '\n' || s[t.Start-2] == '.')) && s[t.Start-1] != '/' {
		return false
	}
	return int(t.End) < len(s) && (s[t.End] == ':' || s[t.End] == ']' || s[t.End] == '>')
}

// bareName says whether the sentence is one identifier and nothing else.
func (x *passage) bareName() bool {
	return len(x.toks) > 0 && len(x.toks) < token.LongChain && len(x.identifier(0)) == int(x.toks[len(x.toks)-1].End-x.toks[0].Start)
}
