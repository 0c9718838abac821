package token

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/command"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// Words of ASCII letters and digits.

// wordGoesOn are the bytes after letters that belong, or may belong, to the
// word.
var wordGoesOn = func() (t [256]bool) {
	for b, c := range charClasses {
		t[b] = c == ccLower || c == ccUpper || c == ccDigit || c == ccBeyond || b == '\''
	}
	return t
}()

// asciiWord reads a word from i. Nearly all words consist of letters, of which
// all, the first or none are capital. oddWord reads the others.
func (z *Tokenizer) asciiWord(i int) int {
	s, t := z.s, z.lex.Latin
	start, first := i, s[i]|0x20
	letter := first - 'a'
	if letter >= 26 {
		return z.odd(i)
	}

	n, flags := t.Step(lexicon.Root, letter), z.pending
	var deep int
	if i++; i < len(s) && s[i]-'A' < 26 {
		if s[start] == first {
			return z.odd(start)
		}

		n, deep = t.Capitals(n, s, i)
		for i = deep; i < len(s) && s[i]-'A' < 26; {
			i++
		}

		flags |= Upper
	} else {
		n, deep = t.Small(n, s, i)
		for i = deep; i < len(s) && s[i]-'a' < 26; {
			i++
		}
	}

	if i < len(s) && wordGoesOn[s[i]] && (s[i] != '\'' || i+1 < len(s) && s[i+1]-'a' < 26) {
		return z.odd(start)
	}

	length := i - start
	if flags&Upper != 0 {
		z.stats.Capitals += int32(length - 1)
	}

	if len(z.tokens)-z.senTok >= longSentence {
		z.bound(start)
	}

	e := &t.Entries[0]
	if deep == i {
		e = t.Exact(n)
	}

	c, node := e.Means, uint16(lexicon.Dead)
	if deep == i {
		node = e.OwnNode(n)
	}

	if c.Any(concept.CredPath | concept.Meta) {
		c = z.placed(c, start, i)
	}

	st := z.stats
	st.Words++
	st.Runs++
	if e.Kind&lexicon.Command != 0 {
		z.command(start)
	}

	if length == 2 && char.Hex[first] && char.Hex[s[start+1]] {
		st.numberRun++
		st.Numbers = max(st.Numbers, st.numberRun)
	} else {
		st.numberRun = 0
	}

	switch {
	case length == 1:
		st.Singles++
	case c != 0:
		st.Known++
		if c.Any(concept.Foreign) {
			st.Foreign++
		}

		st.Longest = max(st.Longest, z.unknown)
		z.unknown = 0
	default:
		z.unknown++
	}

	if length > 2 {
		st.Written++
		if e.Kind&lexicon.Spelled != 0 {
			st.Spelled++
			z.strange = 0
		} else {
			z.strangeWord(n, start, deep, i)
		}

		st.LongestWord = max(st.LongestWord, int32(length))
	}

	z.means |= c
	z.opens |= e.Opens
	z.pending = 0
	if nameGoesOn(s, i) {
		flags |= Ident
	}

	z.tokens = append(z.tokens,
		Token{Start: uint32(start), End: uint32(i), Means: c, Senses: e.Senses, Node: node, opens: e.Opens,
			Form: e.Form, Flags: flags, First: first})
	return i
}

// nameGoesOn reports whether a word that ends at an offset is part of a longer
// name: snake_case, a.b.
func nameGoesOn(s string, i int) bool {
	return i < len(s) && (s[i] == '_' || s[i] == '.' && i+1 < len(s) && s[i+1]-'a' < 26)
}

// placed removes the meanings that a word has only at other places.
func (z *Tokenizer) placed(c concept.Set, start, end int) concept.Set {
	if c.Any(concept.CredPath) {
		c = z.credential(c, start, end)
	}
	if c.Any(concept.Meta) && z.inHost(start, end) {
		c &^= concept.Meta
	}
	return c
}

// strangeWord counts a word that is in no word list as written. n is the node
// of its first letters up to deep.
func (z *Tokenizer) strangeWord(n uint16, start, deep, end int) {
	t, word := z.lex.Latin, z.s[start:end]
	if t.Exact(n).Kind&lexicon.CommandStem != 0 {
		z.command(start)
	}
	if lexicon.IsSpelledAt(t, n, word, deep-start) || lexicon.IsForeign(word) {
		z.stats.Spelled++
		z.strange = 0
	} else {
		z.strangeWords()
	}
}

// strangeWords counts one more consecutive strange word.
func (z *Tokenizer) strangeWords() {
	z.strange++
	z.stats.StrangeRun = max(z.stats.StrangeRun, z.strange)
}

// command notes that a harmful command may begin with the word at start.
func (z *Tokenizer) command(start int) {
	z.stats.Command = z.stats.Command || command.Opens(z.s, start)
}

// odd reads any word from i and counts its runs of letters.
func (z *Tokenizer) odd(i int) int {
	s := z.s
	end := z.oddWord(i)
	if k := i; s[k]-'0' < 10 {
		for k++; k < end && s[k]-'0' < 10; {
			k++
		}

		if k == end {
			return end // a number
		}
	}

	z.countRuns(i, end)
	z.strangeWords()
	return end
}

// countRuns counts the runs of ASCII letters in s[from:to], which begins and
// ends at word boundaries, and reports whether a command may begin there.
func (z *Tokenizer) countRuns(from, to int) {
	s, t, st := z.s[:to], z.lex.Latin, z.stats
	for i := from; i < to; {
		if char.WordBytes[s[i]] && (i == from || !char.WordBytes[s[i-1]]) && !st.Command {
			st.Command = command.Opens(z.s, i)
		}

		if !char.IsLetter(s[i]) {
			i++
			continue
		}

		// n is the node of the letters up to deep; no word of the trie
		// continues beyond it.
		start, inner := i, 0
		n := t.Step(lexicon.Root, s[i]|0x20-'a')
		deep := i + 1
		for i++; i < to && char.IsLetter(s[i]); i++ {
			if s[i] < 'a' {
				inner++
			}

			if deep == i {
				if m := t.Step(n, s[i]|0x20-'a'); m != lexicon.Dead {
					n, deep = m, i+1
				}
			}
		}

		word := s[start:i]
		st.Runs++
		if inner > 0 && Whimsical(word) {
			st.Whims++
		}

		if len(word) > 2 {
			st.Written++
			if lexicon.IsSpelledAt(t, n, word, deep-start) || lexicon.IsForeign(word) {
				st.Spelled++
			}
		}
	}
}

// oddWord reads a word that has digits, inner capitals or an apostrophe. If a
// letter beyond ASCII follows directly, the slow path reads the word.
func (z *Tokenizer) oddWord(i int) int {
	s, t := z.s, z.lex.Latin
	start, node := i, uint16(lexicon.Root)
	whole := i
	letters, digits, upper := 0, 0, 0
	mixed, whim, asked := false, false, false
	var prev charClass
loop:
	for ; i < len(s); i++ {
		if s[i]-'a' < 26 {
			// This loop covers nearly all of nearly all words.
			from := i
			for ; i < len(s) && s[i]-'a' < 26; i++ {
				if node != lexicon.Dead {
					node = t.Step(node, s[i]-'a')
				}
			}

			letters += i - from
			prev = ccLower
			if i == len(s) {
				break
			}
		}

		k := charClasses[s[i]]
		switch k {
		case ccUpper:
			if prev == ccLower && !asked {
				whim, asked = alternates(s[whole:]), true // "iGnOrE" is one word
			}

			if prev == ccLower && !whim {
				// camelCase: the next part is a token of its own.
				z.emit(start, i, node, letters, digits, upper, mixed)
				z.tokens[len(z.tokens)-1].Flags |= Ident
				z.pending |= Ident
				start, node, letters, digits, upper, mixed = i, lexicon.Root, 0, 0, 0, false
			}

			letters++
			upper++
			if i > whole {
				z.stats.Capitals++
			}
		case ccDigit:
			digits++
			z.stats.Digits = true
			mixed = mixed || letters > 0 && i+1 < len(s) && charClasses[s[i+1]] == ccLower
		case ccJoin:
			if s[i] == '\'' && i+1 < len(s) && i > start && charClasses[s[i+1]] == ccLower && letters > 0 {
				if s[i+1] == 's' && (i+2 >= len(s) || charClasses[s[i+2]] != ccLower) {
					// In a possessive the word ends before the apostrophe.
					z.emit(start, i, node, letters, digits, upper, mixed)
					return i + 2
				}

				continue
			}

			break loop
		case ccBeyond:
			return z.slowWord(start)
		default:
			break loop
		}

		prev = k
		node = t.Step(node, lexicon.LatinLetter(s[i]))
	}
	z.emit(start, i, node, letters, digits, upper, mixed)
	z.stats.LongestWord = max(z.stats.LongestWord, int32(i-whole))
	if nameGoesOn(s, i) {
		z.tokens[len(z.tokens)-1].Flags |= Ident
	}

	return i
}

// alternates reports whether a word changes case so often that case has no
// meaning in it.
func alternates(s string) bool {
	n, changes := 0, 0
	for n < len(s) && n < 32 && (charClasses[s[n]] == ccLower || charClasses[s[n]] == ccUpper) {
		if n > 0 && charClasses[s[n]] != charClasses[s[n-1]] {
			changes++
		}
		n++
	}
	return (changes > 1 || n == 2) && changes*2 >= n
}

// emit appends the ASCII word s[start:end] that ended at a trie node.
func (z *Tokenizer) emit(start, end int, node uint16, letters, digits, upper int, mixed bool) {
	if len(z.tokens)-z.senTok >= longSentence {
		z.bound(start)
	}

	e := z.lex.Latin.Exact(node)
	c := e.Means
	if c.Any(concept.CredPath | concept.Meta) {
		c = z.placed(c, start, end)
	}

	z.means |= c
	z.opens |= e.Opens
	flags := z.pending
	z.pending = 0
	if upper > 1 && upper == letters {
		flags |= Upper
	}

	z.stats.Words++
	if mixed {
		z.stats.Mixed++
	}

	if n := letters + digits; digits > 0 && (n <= 4 || n == 8) || n == 2 && char.Hex[z.s[start]] &&
		char.Hex[z.s[start+1]] {
		z.stats.numberRun++
		z.stats.Numbers = max(z.stats.Numbers, z.stats.numberRun)
	} else {
		z.stats.numberRun = 0
	}

	switch {
	case letters == 1 && digits == 0:
		z.stats.Singles++
	case c != 0:
		z.stats.Known++
		if c.Any(concept.Foreign) {
			z.stats.Foreign++
		}

		if z.unknown > z.stats.Longest {
			z.stats.Longest = z.unknown
		}

		z.unknown = 0
	case letters > 1:
		z.unknown++
	}

	z.tokens = append(z.tokens,
		Token{Start: uint32(start), End: uint32(end), Means: c, Senses: e.Senses, Node: e.OwnNode(node), opens: e.Opens,
			Form: e.Form, Flags: flags, First: z.s[start] | 0x20})
}

// inHost reports whether a word is part of a host name: "mail.example" does not
// announce an example.
func (z *Tokenizer) inHost(start, end int) bool {
	if start > 0 && strings.IndexByte(".-@/", z.s[start-1]) >= 0 {
		return true
	}
	return end+1 < len(z.s) && z.s[end] == '.' && char.IsLetter(z.s[end+1])
}

// Whimsical reports whether a word has capitals where neither a sentence nor an
// identifier has them: inside it, and beside another capital or a single small
// letter.
func Whimsical(word string) bool {
	turns, inner := 0, 0
	for i := 1; i < len(word); i++ {
		upper := word[i] < 'a'
		if upper {
			inner++
		}

		if upper != (word[i-1] < 'a') {
			turns++
		}
	}

	return inner > 0 && inner < len(word)-1 && turns > 1 || inner == len(word)-1 && len(word) > 2 && word[0] >= 'a' ||
		turns == 1 && inner > 0 && word[0] >= 'a' && len(word) < 5 || turns == 1 && inner > 1 && inner < len(word)-1
}
