package token

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// lookupForeign adds the meanings of words in other languages if function words
// show that the sentence is in one. With only one such word it looks up only
// words that are not English.
func lookupForeign(l *lexicon.Lexicon, text string, toks []Token, sen *Sentence) {
	foreign, english := 0, 0
	for i := range toks {
		if toks[i].Means.Any(concept.Foreign) || accented(text[toks[i].Start:toks[i].End]) {
			foreign++
		} else if toks[i].Means.Any(concept.Stop) {
			english++
		}
	}

	if foreign == 0 || foreign < 2 && english > 2 {
		return
	}

	for i := range toks {
		t := &toks[i]
		if t.Means&^concept.Foreign != 0 && foreign <= english || t.End-t.Start > 30 {
			continue
		}

		if e, ok := l.Foreign.LongestText(text[t.Start+elided(text[t.Start:t.End]) : t.End]); ok {
			t.Senses |= e.Senses
			if e.Means == 0 {
				continue
			}

			if foreign > english {
				t.Means, t.Form = e.Means|t.Means&concept.Foreign, lexicon.OtherForm
			} else {
				t.Means |= e.Means
			}

			sen.Foreign = true
		}
	}
}

// accented reports whether a short word has letters that English lacks.
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
