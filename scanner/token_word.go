package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/command"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
)

// Words of ASCII letters and digits.

// wordGoesOn are the bytes after letters that belong to a word, or may.
var wordGoesOn = func() (t [256]bool) {
	for b, c := range charClasses {
		t[b] = c == ccLower || c == ccUpper || c == ccDigit || c == ccBeyond || b == '\''
	}
	return t
}()

// asciiWord reads a word from i. Nearly all are letters, of which all, the first
// or none are capital ones; others are read by oddWord.
func (z *tokenizer) asciiWord(i int) int {
	s, t := z.s, z.lex.latin
	start, first := i, s[i]|0x20
	letter := first - 'a'
	if letter >= 26 {
		return z.odd(i)
	}
	n, flags := t.step(trieRoot, letter), z.pending
	var deep int
	if i++; i < len(s) && s[i]-'A' < 26 {
		if s[start] == first {
			return z.odd(start)
		}
		n, deep = t.capitals(n, s, i)
		for i = deep; i < len(s) && s[i]-'A' < 26; {
			i++
		}
		flags |= tfUpper
	} else {
		n, deep = t.small(n, s, i)
		for i = deep; i < len(s) && s[i]-'a' < 26; {
			i++
		}
	}
	if i < len(s) && wordGoesOn[s[i]] && (s[i] != '\'' || i+1 < len(s) && s[i+1]-'a' < 26) {
		return z.odd(start)
	}
	length := i - start
	if flags&tfUpper != 0 {
		z.stats.capitals += int32(length - 1)
	}
	if len(z.tokens)-z.senTok >= longSentence {
		z.bound(start)
	}
	e := &t.entries[0]
	if deep == i {
		e = t.exact(n)
	}
	c, node := e.c, uint16(trieDead)
	if deep == i {
		node = e.own(n)
	}
	if c.Any(concept.CredPath | concept.Meta) {
		c = z.placed(c, start, i)
	}
	st := z.stats
	st.words++
	st.runs++
	if e.kind&(wordLetter|wordCommand) != 0 {
		z.kinds(e.kind, start)
	}
	if length == 2 && char.Hex[first] && char.Hex[s[start+1]] {
		st.numberRun++
		st.numbers = max(st.numbers, st.numberRun)
	} else {
		st.numberRun = 0
	}
	switch {
	case length == 1:
		st.singles++
		if first == 'x' {
			st.alphabet++ // x-ray
		}
	case c != 0:
		st.known++
		if c.Any(concept.Foreign) {
			st.foreign++
		}
		st.longest = max(st.longest, z.unknown)
		z.unknown = 0
	default:
		z.unknown++
	}
	if length > 2 {
		st.written++
		if e.kind&wordSpelled != 0 {
			st.spelled++
			z.strange = 0
		} else {
			z.strangeWord(n, start, deep, i)
		}
		st.longestWord = max(st.longestWord, int32(length))
	}
	z.means |= c
	z.opens |= e.opens
	z.pending = 0
	if i < len(s) && (s[i] == '_' || s[i] == '.' && i+1 < len(s) && s[i+1]-'a' < 26) {
		flags |= tfIdent
	}
	z.tokens = append(z.tokens, token{start: uint32(start), end: uint32(i), c: c, s: e.s, node: node, opens: e.opens, f: e.f, flags: flags, first: first})
	return i
}

// placed takes the meanings from a word that it has only in other places.
func (z *tokenizer) placed(c concept.Set, start, end int) concept.Set {
	if c.Any(concept.CredPath) {
		c = z.credential(c, start, end)
	}
	if c.Any(concept.Meta) && z.inHost(start, end) {
		c &^= concept.Meta
	}
	return c
}

// strangeWord counts a word that is in no list of words as it stands; n is the
// node of its first letters up to deep.
func (z *tokenizer) strangeWord(n uint16, start, deep, end int) {
	t, word := z.lex.latin, z.s[start:end]
	if t.exact(n).kind&wordGoing != 0 {
		z.kinds(wordCommand, start)
	}
	if spelledTo(t, n, word, deep-start) || foreignWord(word) {
		z.stats.spelled++
		z.strange = 0
	} else {
		z.stats.longestStrange = max(z.stats.longestStrange, int32(len(word)))
		z.strangeWords()
	}
}

// strangeWords counts one more in a row.
func (z *tokenizer) strangeWords() {
	z.strange++
	z.stats.strangeRun = max(z.stats.strangeRun, z.strange)
}

// kinds counts what a word is besides what it means.
func (z *tokenizer) kinds(kind wordKind, start int) {
	if kind&wordLetter != 0 {
		z.stats.alphabet++
	}
	if kind&wordCommand != 0 {
		z.stats.command = z.stats.command || command.Opens(z.s, start)
	}
}

// odd reads any word from i and counts the runs of letters in it.
func (z *tokenizer) odd(i int) int {
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
// ends where words do, and says whether a command may begin there.
func (z *tokenizer) countRuns(from, to int) {
	s, t, st := z.s[:to], z.lex.latin, z.stats
	for i := from; i < to; {
		if char.WordBytes[s[i]] && (i == from || !char.WordBytes[s[i-1]]) && !st.command {
			st.command = command.Opens(z.s, i)
		}
		if !char.IsLetter(s[i]) {
			i++
			continue
		}
		// n is the node of the letters up to deep, beyond which no word goes on.
		start, inner := i, 0
		n := t.step(trieRoot, s[i]|0x20-'a')
		deep := i + 1
		for i++; i < to && char.IsLetter(s[i]); i++ {
			if s[i] < 'a' {
				inner++
			}
			if deep == i {
				if m := t.step(n, s[i]|0x20-'a'); m != trieDead {
					n, deep = m, i+1
				}
			}
		}
		word := s[start:i]
		st.runs++
		if inner > 0 && whimsical(word) {
			st.whims++
		}
		if deep == i && t.exact(n).kind&wordLetter != 0 || len(word) == 1 && word[0]|0x20 == 'x' {
			st.alphabet++
		}
		if len(word) > 2 {
			st.written++
			if spelledTo(t, n, word, deep-start) || foreignWord(word) {
				st.spelled++
			} else {
				st.longestStrange = max(st.longestStrange, int32(len(word)))
			}
		}
	}
}

// clauseMark is where a clause ends that begins where the one before it does,
// and whether most of its words, three at least, are such as people write.
type clauseMark struct {
	end     int
	written bool
}

// endClause ends a clause at an offset: after a line break, and after a blank that
// follows a full stop or a colon.
func (z *tokenizer) endClause(at int) {
	st := z.stats
	mark := clauseMark{end: at}
	if words := st.written - z.clauseWritten; words < 3 {
		st.strange = st.strange || at-z.clauseStart >= 2*minRun
	} else if (st.spelled-z.clauseSpelled)*2 < words {
		st.strange = true
	} else {
		mark.written = true
	}
	if at > z.clauseStart {
		z.marks = append(z.marks, mark)
	}
	z.clauseStart, z.clauseWritten, z.clauseSpelled = at, st.written, st.spelled
}

// oddWord reads a word that has digits, capitals within it or an apostrophe. A
// letter beyond ASCII that follows directly sends it to the slow path.
func (z *tokenizer) oddWord(i int) int {
	s, t := z.s, z.lex.latin
	start, node := i, uint16(trieRoot)
	whole := i
	letters, digits, upper := 0, 0, 0
	mixed, whim, asked := false, false, false
	var prev charClass
loop:
	for ; i < len(s); i++ {
		if s[i]-'a' < 26 {
			// Nearly all of nearly all words.
			from := i
			for ; i < len(s) && s[i]-'a' < 26; i++ {
				if node != trieDead {
					node = t.step(node, s[i]-'a')
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
				z.tokens[len(z.tokens)-1].flags |= tfIdent
				z.pending |= tfIdent
				start, node, letters, digits, upper, mixed = i, trieRoot, 0, 0, 0, false
			}
			letters++
			upper++
			if i > whole {
				z.stats.capitals++
			}
		case ccDigit:
			digits++
			z.stats.digits = true
			mixed = mixed || letters > 0 && i+1 < len(s) && charClasses[s[i+1]] == ccLower
		case ccJoin:
			if s[i] == '\'' && i+1 < len(s) && i > start && charClasses[s[i+1]] == ccLower && letters > 0 {
				if s[i+1] == 's' && (i+2 >= len(s) || charClasses[s[i+2]] != ccLower) {
					// The possessive: the word ends before it.
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
		node = t.step(node, latinClass(s[i]))
	}
	z.emit(start, i, node, letters, digits, upper, mixed)
	z.stats.longestWord = max(z.stats.longestWord, int32(i-whole))
	if i < len(s) && (s[i] == '_' || s[i] == '.' && i+1 < len(s) && charClasses[s[i+1]] == ccLower) {
		z.tokens[len(z.tokens)-1].flags |= tfIdent
	}
	return i
}

// alternates says whether a word changes case so often that case means
// nothing in it.
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
func (z *tokenizer) emit(start, end int, node uint16, letters, digits, upper int, mixed bool) {
	if len(z.tokens)-z.senTok >= longSentence {
		z.bound(start)
	}
	e := z.lex.latin.exact(node)
	c := e.c
	if c.Any(concept.CredPath | concept.Meta) {
		c = z.placed(c, start, end)
	}
	z.means |= c
	z.opens |= e.opens
	flags := z.pending
	z.pending = 0
	if upper > 1 && upper == letters {
		flags |= tfUpper
	}
	z.stats.words++
	if mixed {
		z.stats.mixed++
	}
	if n := letters + digits; digits > 0 && (n <= 4 || n == 8) || n == 2 && char.Hex[z.s[start]] && char.Hex[z.s[start+1]] {
		z.stats.numberRun++
		z.stats.numbers = max(z.stats.numbers, z.stats.numberRun)
	} else {
		z.stats.numberRun = 0
	}
	switch {
	case letters == 1 && digits == 0:
		z.stats.singles++
	case c != 0:
		z.stats.known++
		if c.Any(concept.Foreign) {
			z.stats.foreign++
		}
		if z.unknown > z.stats.longest {
			z.stats.longest = z.unknown
		}
		z.unknown = 0
	case letters > 1:
		z.unknown++
	}
	z.tokens = append(z.tokens, token{start: uint32(start), end: uint32(end), c: c, s: e.s, node: e.own(node), opens: e.opens, f: e.f, flags: flags, first: z.s[start] | 0x20})
}

// inHost says whether a word is part of a host name: "mail.example" gives no
// example.
func (z *tokenizer) inHost(start, end int) bool {
	if start > 0 && strings.IndexByte(".-@/", z.s[start-1]) >= 0 {
		return true
	}
	return end+1 < len(z.s) && z.s[end] == '.' && char.IsLetter(z.s[end+1])
}

// whimsical says whether a word has its capitals where neither a sentence nor
// an identifier has them: within it, and beside another capital or a single
// small letter.
func whimsical(word string) bool {
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

const minRun = 16
