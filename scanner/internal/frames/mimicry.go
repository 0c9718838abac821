package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// mimicry finds imitations of a chat: role markers, template tokens, tags that
// claim importance, comments that only a model reads, and notes addressed to
// it.
func (x *passage) mimicry() {
	x.transcript()
	x.openingMarkup()
	x.embeddedMarkup()
}

// openingMarkup finds chat markup before and after the first word.
func (x *passage) openingMarkup() {
	t := x.toks[0]
	s := x.doc.Text
	before, after := x.around0()
	role := x.isWord(0, "system", "assistant", "user", "human", "developer", "admin", "administrator", "operator", "sys")
	switch {
	case before == '|' && t.Start > 1 && s[t.Start-2] == '<':
		w := 2.4
		if t.Flags&(token.Quote|token.Code) != 0 || x.about.Any(concept.Conv|concept.Model|concept.Instr|concept.Meta) || x.kind >= tool.KindEnum {
			w = 0.5
		}
		x.hit(Mimicry, w, 0, 0)
	case t.Flags&token.Tag != 0 && (x.isWord(0, "inst", "sys", "im_start", "im_end", "endoftext")):
		x.hit(Mimicry, 2.2, 0, 0)
	case x.opensTag(role, before, after):
		x.hit(Mimicry, x.tagWeight(role, before), 0, 0)
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
}

// around0 returns the bytes before and after the first word, 0 for none.
func (x *passage) around0() (before, after byte) {
	t, s := x.toks[0], x.doc.Text
	if int(t.End) < len(s) {
		after = s[t.End]
	}
	if t.Start > 0 {
		before = s[t.Start-1]
	}
	return before, after
}

// opensTag reports whether the first word is a tag that names a role or claims
// importance.
func (x *passage) opensTag(role bool, before, after byte) bool {
	return x.toks[0].Flags&token.Tag != 0 && before != '!' &&
		(role && after != '_' || x.isWord(0, "important", "instructions", "instruction", "secret", "critical", "hidden", "override", "priority", "mandatory", "directive")) &&
		(after == '>' || after == ']' || after == ' ' || after == ':' || after == '_' || after == '-')
}

// tagWeight is the weight of such a tag.
func (x *passage) tagWeight(role bool, before byte) float64 {
	t := x.toks[0]
	w := 1.5
	if x.about.Any(concept.Meta) || x.kind == tool.KindParamDescription && role {
		w = 0.4
	}
	if t.Flags&token.Upper != 0 && before == '[' && !role {
		w = 0.5 // people use [IMPORTANT] and [CRITICAL] for emphasis
	}
	if x.isWord(0, "user") {
		w = 0.3
	}
	if len(x.toks) == 1 && t.Flags&token.Upper == 0 {
		w *= 0.7 // a tag alone is markup; an order next to it adds to the weight
	}
	return w
}

// embeddedMarkup finds the first chat markup inside the sentence: the end of a
// description, a message in JSON, a heading of a prompt.
func (x *passage) embeddedMarkup() {
	s := x.doc.Text
	for i := range x.toks {
		t := &x.toks[i]
		switch {
		case x.isWord(i, "role") && x.isWord(i+1, "system", "assistant", "developer") && x.toks[i+1].Start-t.End >= 3 && s[t.End] == '"' && x.isWord(i+2, "content"):
			x.hit(Mimicry, 1.6, i, i+1)
			return
		case x.isWord(i, "instruction", "response", "system", "human", "assistant") && t.Start >= 4 && s[t.Start-2] == '#' && s[t.Start-3] == '#' && int(t.End) < len(s) && s[t.End] == ':':
			x.hit(Mimicry, 1.5, i, i)
			return
		}
	}
}

// transcript finds an invented dialogue: at least two lines that begin with a
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

// speaker reports whether a sentence that begins with this token begins with a
// chat role and a mark.
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
