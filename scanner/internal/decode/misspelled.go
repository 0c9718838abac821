package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Words with letters missing, doubled, replaced or out of place, and words with
// random capitalisation.

const (
	// minUnknown is the number of misspelled words from which a text is
	// searched.
	minUnknown = 4
	// spelledEnough is the share of correctly spelled words, in hundredths,
	// above which a text counts as correctly spelled.
	spelledEnough = 74
)

// findRespelled corrects the words of a text if many are misspelled and most of
// these are similar to a known word.
func findRespelled(d *token.Doc) string {
	return respelled(d.Text[:min(len(d.Text), MaxDecoded)], d.Stats.Foreign > 1)
}

// wellSpelled reports whether nearly all words of a text are correctly spelled.
func wellSpelled(d *token.Doc) bool {
	if len(d.Text) <= MaxDecoded {
		return d.Stats.Written > 2 && d.Stats.Spelled*100/d.Stats.Written > spelledEnough
	}
	if d.Spelling == 0 {
		d.Spelling = int8(spelledShare(d.Text[:MaxDecoded]) + 2)
	}
	return int(d.Spelling)-2 > spelledEnough
}

// span is a stretch of a text.
type span struct{ from, to int }

// misspelledWords lists the misspelled words. With short it also lists
// two-letter words without a vowel.
func misspelledWords(text string, short bool) []span {
	var list []span
	for i := 0; i < len(text); {
		if !char.IsLetter(text[i]) {
			i++
			continue
		}
		from, plain := i, true
		for i < len(text) && (char.IsLetter(text[i]) || text[i] == '*' && i+1 < len(text) && char.IsLetter(text[i+1])) {
			plain = plain && text[i] != '*'
			i++
		}
		if from > 0 && partOfName(text[from-1]) || i < len(text) && partOfName(text[i]) || plain && lexicon.IsSpelled(text[from:i]) && !(short && i-from == 2 && !isVowel(text[from]|0x20) && !isVowel(text[from+1]|0x20)) {
			continue
		}
		list = append(list, span{from, i})
	}
	return list
}

// respelled returns the text with corrected spelling, or "" if that does not
// give a text. For other languages few words are known, and correct words are
// similar to others, so only swapped neighbours and one lost vowel are
// corrected.
func respelled(text string, foreign bool) string {
	s := speller{words: lexicon.Spelling(), foreign: foreign}
	words := misspelledWords(text, false)
	if lostVowels(text, words) {
		s.devowelled = 1
		words = misspelledWords(text, true)
	}
	if len(words) < minUnknown {
		return ""
	}
	if strings.IndexByte(text, '*') < 0 && !s.commonSlips(text, words) {
		return ""
	}
	var out []byte
	fixed, cheap, last := 0, 0, 0
	steps := allSteps
	for k, w := range words {
		if k == 2*slipSample && fixed*3 < k {
			return "" // as in technical texts
		}
		word := text[w.from:w.to]
		meant := s.meant(word)
		if steps -= maxSteps - s.steps; steps < 0 {
			break
		}
		if meant == "" || meant == string(s.word) {
			continue
		}
		fixed++
		if s.best.cost <= slipSwap {
			cheap++
		}
		out = append(out, text[last:w.from]...)
		at := len(out)
		out = append(out, meant...)
		if word[0] < 'a' {
			out[at] -= 'a' - 'A'
		}
		last = w.to
	}
	unknown := len(words)
	if fixed < 3 || cheap*2 < unknown && fixed*4 < unknown*3 && !(foreign && cheap*3 >= unknown) {
		return ""
	}
	return string(append(out, text[last:]...))
}

// slipSample is the number of words that decide whether the search is
// worthwhile.
const slipSample = 8

// commonSlips reports whether the most common slips explain some of the words
// of a sample. In most texts with unknown words these are technical terms.
func (s *speller) commonSlips(text string, words []span) bool {
	s.common = true
	defer func() { s.common = false }()
	stride := max(1, len(words)/slipSample)
	tried, explained := 0, 0
	for i := 0; i < len(words); i += stride {
		tried++
		if s.meant(text[words[i].from:words[i].to]) != "" {
			explained++
		}
	}
	return explained*4 >= tried
}

// partOfName reports whether a byte beside a word makes it part of a name, a
// path or an address, which people copy and do not misspell.
func partOfName(c byte) bool {
	switch c {
	case '_', '/', '\\', '@', '~', '`':
		return true
	}
	return c >= '0' && c <= '9'
}

// lostVowels reports whether a third of the misspelled words have no vowel,
// except possibly as their first letter.
func lostVowels(text string, words []span) bool {
	n := 0
	for _, w := range words {
		if w.to-w.from > 2 && !hasVowel([]byte(strings.ToLower(text[w.from+1:w.to]))) {
			n++
		}
	}
	return n >= minUnknown && n*3 >= len(words)
}

// findCase decodes words with random capitalisation.
func findCase(d *token.Doc) string {
	if d.Stats.Words < 6 || d.Stats.Longest < 3 && d.Stats.Singles < 3 && (d.Stats.Words-d.Stats.Known)*2 < d.Stats.Words {
		return ""
	}
	if d.Stats.Capitals < minUnknown && d.Stats.Marks&token.MarkBeyond == 0 {
		return ""
	}
	return string(char.LowerASCII(nil, d.Text))
}
