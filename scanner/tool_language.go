package scanner

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// foreign says whether the tool's texts hold words of other languages.
func (v *view) foreign() bool {
	if !v.languageDone {
		v.otherLanguage, v.languageDone = v.readsForeign(), true
	}
	return v.otherLanguage
}

func (v *view) readsForeign() bool {
	for i := range min(len(v.docs), 3) {
		d := &v.docs[i]
		if d.Stats.Foreign > 0 || d.Stats.Marks&token.MarkBeyond != 0 {
			return true
		}
		if v.fields[d.Field].kind == kindDescription && d.Stats.Words > 2 {
			// No English function word, and most words unknown.
			return !v.maskOf(i).Any(concept.Stop) && d.Stats.Known*2 < d.Stats.Words
		}
	}
	return false
}
