package tool

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Foreign reports whether the tool's texts contain words of other languages.
func (v *View) Foreign() bool {
	if !v.languageDone {
		v.otherLanguage, v.languageDone = v.readsForeign(), true
	}
	return v.otherLanguage
}

func (v *View) readsForeign() bool {
	for i := range min(len(v.Docs), 3) {
		d := &v.Docs[i]
		if d.Stats.Foreign > 0 || d.Stats.Marks&token.MarkBeyond != 0 {
			return true
		}
		if v.Fields[d.Field].Kind == KindDescription && d.Stats.Words > 2 {
			// No English function word, and most words are unknown.
			return !v.MeansOf(i).Any(concept.Stop) && d.Stats.Known*2 < d.Stats.Words
		}
	}
	return false
}
