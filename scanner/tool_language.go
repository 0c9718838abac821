package scanner

import "github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

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
		if d.stats.foreign > 0 || d.stats.marks&markBeyond != 0 {
			return true
		}
		if v.fields[d.field].kind == kindDescription && d.stats.words > 2 {
			// No English function word, and most words unknown.
			return !v.maskOf(i).Any(concept.Stop) && d.stats.known*2 < d.stats.words
		}
	}
	return false
}
