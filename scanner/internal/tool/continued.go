package tool

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

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
			for _, t := range reg.ByName[name] {
				if t.Name == v.Name || !SameServer(t.Server, v.Server) {
					continue
				}
				// The note about the continuation is in brackets or ends a
				// sentence.
				open := strings.LastIndexAny(d[:i], "([.\n")
				budget := decode.MaxDecoded
				v.addLayer(lexicon.Get(), Field{Kind: KindDescription, Layer: decode.ToolsInSequence,
					Text: strings.TrimSpace(d[:max(open, 0)]) + " " + afterNote(t.Description)}, &budget)
				return
			}
		}
	}
}

// afterNote returns the text after the note that a text continues another, or
// all of it.
func afterNote(s string) string {
	i := strings.Index(s, "ontinued")
	if i < 0 {
		return s
	}
	rest := s[i+len("ontinued"):]
	if stop := strings.IndexAny(rest[:min(len(rest), decode.NoteLength)], ".):]\n"); stop >= 0 {
		return strings.TrimLeft(rest[stop:], ".):] \n")
	}
	return s
}
