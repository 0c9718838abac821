package token

import (
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// This is the tokenizer's slow path: words beyond ASCII, and text without
// spaces.

// beyond reads what is not ASCII: a word of any script, or a mark.
func (z *Tokenizer) beyond(i int) int {
	r, size := utf8.DecodeRuneInString(z.s[i:])
	switch {
	case char.IsCJK(r):
		return z.cjkRun(i)
	case unicode.IsLetter(r) || unicode.Is(unicode.Mn, r):
		end := z.slowWord(i)
		z.countRuns(i, end)
		return end
	}

	switch r {
	case '。', '！', '？', '．', '؟', '۔', '।', '｡':
		z.endSentence(i + size)
	case '；':
		z.endSentence(i)
	case '，', '、', '：', '—', '–', '（', '）', '【', '】', '…', '•', '·', '→':
		z.pending |= Break
	case '„':
		z.open = 0
		z.quote(lowQuote)
	case '“', '「', '『', '«':
		if z.open == lowQuote {
			z.quote(lowQuote) // German „…“, where the mark closes
			break
		}

		z.open = 0
		z.quote('"')
	case '”', '」', '』', '»':
		if z.open == '"' || z.open == lowQuote {
			z.quote(z.open)
		}
	case '\u00a0', '\u3000':
	default:
		z.pending |= Break
	}

	return i + size
}

// slowWord reads a word that has letters beyond ASCII.
func (z *Tokenizer) slowWord(i int) int {
	start := i
	w := z.word[:0]
	latin, cyrillic, other := 0, 0, 0
	for i < len(z.s) {
		r, size := rune(z.s[i]), 1
		if r >= 0x80 {
			r, size = utf8.DecodeRuneInString(z.s[i:])
		}

		if r == '’' || r == '\'' {
			if i+size >= len(z.s) || !char.StartsWithLetter(z.s[i+size:]) {
				break
			}

			i += size
			continue
		}

		if char.IsCJK(r) || !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && (r < '0' || r > '9') {
			break
		}

		switch {
		case r >= '0' && r <= '9':
			z.stats.Digits = true
			latin++
		case r < 0x250 || r >= 0x1E00 && r < 0x1F00:
			latin++
		case lexicon.CyrillicLetter(r) != 255:
			cyrillic++
		case !unicode.Is(unicode.Mn, r):
			other++
		}

		w = append(w, r)
		i += size
	}

	z.word = w
	if i == start {
		_, size := utf8.DecodeRuneInString(z.s[i:])
		return i + size
	}

	z.emitRunes(start, i, latin, cyrillic, other)
	return i
}

// emitRunes looks up a word in its own script first, then as the Latin word
// that it looks like.
func (z *Tokenizer) emitRunes(start, end, latin, cyrillic, other int) {
	z.bound(start)
	if cyrillic > 0 && latin == 0 && other == 0 {
		if e, ok := z.lex.Cyrillic.Longest(z.word, lexicon.CyrillicLetter); ok {
			z.count(e.Means)
			z.tokens = append(z.tokens,
				Token{Start: uint32(start), End: uint32(end), Means: e.Means, Senses: e.Senses, Form: e.Form,
					Flags: z.pending, First: z.s[start] | 0x20})
			z.pending = 0
			return
		}
	}

	node := uint16(lexicon.Root)
	upper := 0
	for _, r := range z.word {
		for _, b := range []byte(char.FoldRune(r)) {
			k := lexicon.LatinLetter(b)
			if k == 255 {
				node = lexicon.Dead
				break
			}

			if b >= 'A' && b <= 'Z' {
				upper++
			}

			node = z.lex.Latin.Step(node, k)
		}
	}

	e := z.lex.Latin.Exact(node)
	c := e.Means
	if cyrillic > 0 || other > 0 {
		z.pending |= Folded
	}

	if c.Any(concept.CredPath) {
		c = z.credential(c, start, end)
	}

	if upper > 1 && upper == len(z.word) {
		z.pending |= Upper
	}

	z.count(c)
	z.means |= c
	z.opens |= e.Opens
	z.tokens = append(z.tokens,
		Token{Start: uint32(start), End: uint32(end), Means: c, Senses: e.Senses, Node: e.OwnNode(node), opens: e.Opens,
			Form: e.Form, Flags: z.pending, First: z.s[start] | 0x20})
	z.pending = 0
}

func (z *Tokenizer) count(c concept.Set) {
	z.stats.Words++
	if c != 0 {
		z.stats.Known++
		z.unknown = 0
	}
}

// cjkRun splits text without spaces: it emits the longest known word at each
// place and skips unknown text.
func (z *Tokenizer) cjkRun(i int) int {
	for i < len(z.s) {
		r, size := utf8.DecodeRuneInString(z.s[i:])
		if !char.IsCJK(r) {
			break
		}

		if !z.lex.CJKOpens(r) {
			i += size
			continue
		}

		node, j, end := uint16(0), i, 0
		var c concept.Set
		var sen sense.Set
		for j < len(z.s) {
			r, n := utf8.DecodeRuneInString(z.s[j:])
			if node = z.lex.CJKChild(node, r); node == 0 {
				break
			}

			j += n
			if at := &z.lex.CJK[node]; at.Means != 0 || at.Senses != 0 {
				c, sen, end = at.Means, at.Senses, j
			}
		}

		if end == 0 {
			i += size
			continue
		}

		z.bound(i)
		z.count(c)
		z.tokens = append(z.tokens,
			Token{Start: uint32(i), End: uint32(end), Means: c, Senses: sen, Flags: z.pending, First: z.s[i] | 0x20})
		z.pending = 0
		i = end
	}

	z.unknown = 0
	return i
}
