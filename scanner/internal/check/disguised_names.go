package check

import (
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// Names of tools and parameters are checked letter by letter: a letter that is
// ordinary in prose counts in a name if it looks like another letter.

// disguisedName returns how certain it is that a name contains letters that
// look like others: 0 not at all, 1 possibly, 2 the intended word is known.
func disguisedName(name string) int {
	best, from := 0, -1
	for i, r := range name {
		if unicode.IsLetter(r) {
			if from < 0 {
				from = i
			}

			continue
		}

		if from >= 0 {
			best = max(best, disguisedWord(name[from:i]))
		}

		from = -1
	}

	if from >= 0 {
		best = max(best, disguisedWord(name[from:]))
	}

	return best
}

// disguisedWord judges one run of letters. Letters of formulas are innocent at
// the edge of a short word, as in μm and Δt, but not inside a long one.
func disguisedWord(word string) int {
	var folded []byte
	letters, latin, inner, odd := 0, 0, 0, 0
	total := len([]rune(word))
	phonetic := false // phonetic letters and small capitals
	for _, r := range word {
		switch f := char.FoldRune(r); {
		case r < 0x80:
			latin++
			folded = append(folded, byte(r))
		case f == "?" || f == "":
			return 0
		case char.ScriptOfRune(r) == char.ScriptGreek && char.Scientific(r):
			folded = append(folded, f...)
			if letters > 0 && total > 3 {
				inner++
			}
		case (char.ScriptOfRune(r) == char.ScriptLatin || char.ScriptOfRune(r) == char.ScriptNone) &&
			len(norm.NFD.String(string(r))) == len(string(r)) && len(f) == 1:
			folded = append(folded, f...)
			odd++
			phonetic = phonetic || r >= 0x250 && r < 0x2B0 || r >= 0x1D00 && r < 0x1DC0
		default:
			folded = append(folded, f...)
		}

		letters++
	}

	if latin < 2 || inner+odd == 0 {
		return 0
	}

	lex, node := lexicon.Get(), uint16(lexicon.Root)
	for _, b := range folded {
		k := lexicon.LatinLetter(b)
		if k == 255 {
			return 0
		}

		node = lex.Latin.Step(node, k)
	}

	switch {
	case lex.Latin.Exact(node).Means&^concept.Foreign != 0 && inner > 0:
		return 2
	case lex.Latin.Exact(node).Means&^concept.Foreign != 0 || inner > 0 || phonetic:
		return 1
	}

	return 0
}
