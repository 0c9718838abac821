package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
)

// lookupForeign adds the meanings that words have in other languages, where
// function words say that the sentence is in one. With a single such word
// only words that English does not know are looked up.
func lookupForeign(l *lexicon, text string, toks []token, sen *sentence) {
	foreign, english := 0, 0
	for i := range toks {
		if toks[i].c.Any(concept.Foreign) || accented(text[toks[i].start:toks[i].end]) {
			foreign++
		} else if toks[i].c.Any(concept.Stop) {
			english++
		}
	}
	if foreign == 0 || foreign < 2 && english > 2 {
		return
	}
	for i := range toks {
		t := &toks[i]
		if t.c&^concept.Foreign != 0 && foreign <= english || t.end-t.start > 30 {
			continue
		}
		if e, ok := l.foreign.longestText(text[t.start+elided(text[t.start:t.end]) : t.end]); ok {
			t.s |= e.s
			if e.c == 0 {
				continue
			}
			if foreign > english {
				t.c, t.f = e.c|t.c&concept.Foreign, formOther
			} else {
				t.c |= e.c
			}
			sen.foreign = true
		}
	}
}

// accented says whether a short word is written with letters that English has
// not.
func accented(word string) bool {
	for i := 0; i < len(word); i++ {
		if word[i] == 0xC3 {
			return true
		}
	}
	return false
}

// elided is the length of an article or pronoun that an apostrophe joins to
// its word: l'outil, qu'il, d'abord.
func elided(word string) uint32 {
	for n := 1; n <= 2 && n+1 < len(word); n++ {
		if word[n] == '\'' {
			return uint32(n + 1)
		}
		if strings.HasPrefix(word[n:], "’") && len(word) > n+len("’") {
			return uint32(n + len("’"))
		}
	}
	return 0
}
