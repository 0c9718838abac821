package tool

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// minContinued is the least length in bytes up to which a continuation is read.
const minContinued = 256

// Continued appends the description of another tool of the same server if this
// description says that it continues there: a model reads both.
func (v *View) Continued(reg *Registry) {
	if reg == nil || !strings.Contains(v.Description, "ontinue") {
		return
	}
	d := v.Description
	for at := 0; ; {
		i := char.IndexFrom(d, "ontinue", at)
		if i < 0 {
			return
		}
		at = i + len("ontinue")
		rest := d[at:min(len(d), at+decode.NoteLength)]
		if stop := strings.IndexByte(rest, '.'); stop >= 0 {
			rest = rest[:stop]
		}
		for name := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r >= 0x80 || !char.IsWord(byte(r)) && r != '_' && r != '-' }) {
			t := reg.OfServer(v.Server, name)
			if t == nil || t.Name == v.Name {
				continue
			}
			// The note about the continuation is in brackets or ends a
			// sentence.
			open := strings.LastIndexAny(d[:i], "([.\n")
			before := strings.TrimSpace(d[:max(open, 0)])
			// Very many tools may continue in one. Each reads a length of it that
			// follows from its own.
			rest = reg.afterNote(t)
			if limit := max(minContinued, 4*len(d)); len(rest) > limit {
				rest = strings.ToValidUTF8(rest[:limit], "")
			}
			budget := decode.MaxDecoded
			v.addLayer(lexicon.Get(), Field{Kind: KindDescription, Layer: decode.ToolsInSequence, Text: before + " " + rest}, &budget)
			return
		}
	}
}

// afterNote returns the text of a tool that continues another's.
func (r *Registry) afterNote(t *Definition) string {
	if rest, noted := r.continued[t]; noted {
		return rest
	}
	return t.Description
}

// afterNote returns the text after the note that a text continues another. noted
// is false if there is none.
func afterNote(s string) (rest string, noted bool) {
	i := strings.Index(s, "ontinued")
	if i < 0 {
		return "", false
	}
	rest = s[i+len("ontinued"):]
	if stop := strings.IndexAny(rest[:min(len(rest), decode.NoteLength)], ".):]\n"); stop >= 0 {
		return strings.TrimLeft(rest[stop:], ".):] \n"), true
	}
	return "", false
}
