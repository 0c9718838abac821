package char

import (
	"unicode"
	"unicode/utf8"
)

// MixedWords counts words that mix Latin letters with letters of a look-alike
// script and read as a Latin word: every foreign letter has a Latin look-alike.
func MixedWords(s string) (n, start, end int) {
	eachMixed(s, func(from, to int) {
		if n == 0 {
			start, end = from, to
		}
		n++
	})
	return n, start, end
}

// eachMixed calls f with each such word, in one pass.
func eachMixed(s string, f func(from, to int)) {
	from := -1
	latin, foreign, odd := 0, 0, 0
	flush := func(to int) {
		if from >= 0 && latin > 0 && foreign > 0 && odd == 0 && latin+foreign > 2 {
			f(from, to)
		}

		from, latin, foreign, odd = -1, 0, 0, 0
	}
	for i, size := 0, 0; i < len(s); i += size {
		if s[i] < utf8.RuneSelf {
			if size = 1; !IsLetter(s[i]) {
				if from >= 0 {
					flush(i)
				}

				continue
			}

			if latin++; from < 0 {
				from = i
			}

			continue
		}

		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && !Invisible(r) {
			flush(i)
			continue
		}

		if from < 0 {
			from = i
		}

		switch sc := ScriptOfRune(r); sc {
		case ScriptLatin:
			latin++
		case ScriptCyrillic, ScriptGreek, ScriptArmenian, ScriptCherokee:
			if _, ok := latinFolds()[r]; ok && !Scientific(r) {
				foreign++
			} else {
				odd++
			}
		case ScriptNone:
		default:
			odd++
		}
	}

	flush(len(s))
}

// Scientific letters occur next to Latin ones in formulas and units.
func Scientific(r rune) bool {
	switch r {
	case 'α', 'β', 'γ', 'δ', 'Δ', 'ε', 'θ', 'λ', 'μ', 'π', 'σ', 'Σ', 'φ', 'ω', 'Ω', 'χ', 'ψ', 'η', 'κ', 'τ', 'ζ', 'ξ',
		'Γ', 'Φ', 'Π':
		return true
	}
	return false
}

// BeyondLatin reports whether a rune is a letter of another script.
func BeyondLatin(r rune) bool {
	sc := ScriptOfRune(r)
	return sc != ScriptNone && sc != ScriptLatin
}
