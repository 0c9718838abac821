package scanner

import (
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// The tokenizer's slow path: words beyond ASCII, and text without spaces.

// beyond reads what is not ASCII: a word of any script, or a mark.
func (z *tokenizer) beyond(i int) int {
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
		z.pending |= tfBreak
	case '“', '「', '『', '„', '«':
		z.open = 0
		z.quote('"')
	case '”', '」', '』', '»':
		if z.open == '"' {
			z.quote('"')
		}
	case '\u00a0', '\u3000':
	default:
		z.pending |= tfBreak
	}
	return i + size
}

// slowWord reads a word that has letters beyond ASCII.
func (z *tokenizer) slowWord(i int) int {
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
			z.stats.digits = true
			latin++
		case r < 0x250 || r >= 0x1E00 && r < 0x1F00:
			latin++
		case cyrillicClass(r) != 255:
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

// emitRunes looks a word up in its own script first, then as the Latin word
// that it looks like.
func (z *tokenizer) emitRunes(start, end, latin, cyrillic, other int) {
	z.bound(start)
	if cyrillic > 0 && latin == 0 && other == 0 {
		if e, ok := z.lex.cyril.longest(z.word, cyrillicClass); ok {
			z.count(e.c)
			z.tokens = append(z.tokens, token{start: uint32(start), end: uint32(end), c: e.c, s: e.s, f: e.f, flags: z.pending, first: z.s[start] | 0x20})
			z.pending = 0
			return
		}
	}
	node := uint16(trieRoot)
	upper := 0
	for _, r := range z.word {
		for _, b := range []byte(char.FoldRune(r)) {
			k := latinClass(b)
			if k == 255 {
				node = trieDead
				break
			}
			if b >= 'A' && b <= 'Z' {
				upper++
			}
			node = z.lex.latin.step(node, k)
		}
	}
	e := z.lex.latin.exact(node)
	c := e.c
	if cyrillic > 0 || other > 0 {
		z.pending |= tfFolded
	}
	if c.Any(concept.CredPath) {
		c = z.credential(c, start, end)
	}
	if upper > 1 && upper == len(z.word) {
		z.pending |= tfUpper
	}
	z.count(c)
	z.means |= c
	z.opens |= e.opens
	z.tokens = append(z.tokens, token{start: uint32(start), end: uint32(end), c: c, s: e.s, node: e.own(node), opens: e.opens, f: e.f, flags: z.pending, first: z.s[start] | 0x20})
	z.pending = 0
}

func (z *tokenizer) count(c concept.Set) {
	z.stats.words++
	if c != 0 {
		z.stats.known++
		z.unknown = 0
	}
}

// cjkRun reads text without spaces, emitting the longest known word at each
// place and passing over what is not known.
func (z *tokenizer) cjkRun(i int) int {
	for i < len(z.s) {
		r, size := utf8.DecodeRuneInString(z.s[i:])
		if !char.IsCJK(r) {
			break
		}
		if !z.lex.cjkOpens(r) {
			i += size
			continue
		}
		node, j, end := uint16(0), i, 0
		var c concept.Set
		var sen sense.Set
		for j < len(z.s) {
			r, n := utf8.DecodeRuneInString(z.s[j:])
			if node = z.lex.cjkChild(node, r); node == 0 {
				break
			}
			j += n
			if at := &z.lex.cjk[node]; at.c != 0 || at.s != 0 {
				c, sen, end = at.c, at.s, j
			}
		}
		if end == 0 {
			i += size
			continue
		}
		z.bound(i)
		z.count(c)
		z.tokens = append(z.tokens, token{start: uint32(i), end: uint32(end), c: c, s: sen, flags: z.pending, first: z.s[i] | 0x20})
		z.pending = 0
		i = end
	}
	z.unknown = 0
	return i
}
