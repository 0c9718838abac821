package lexicon

// How words are spelled. The trie of English words holds, beside those that
// mean something, the common ones: words that nothing is to be read into, but
// that are spelled as they should be, from this project's own documents, tools
// and tests. So the tokenizer's one walk along a word tells both.

// IsSpelled reports whether a word of ASCII letters is one that people write: of the
// lexicon, or a common one, or one of these with an ending.
func IsSpelled[T string | []byte](word T) bool { return IsEnglish(word) || IsForeign(word) }

// IsEnglish is spelled for English alone.
func IsEnglish[T string | []byte](word T) bool {
	if len(word) < 3 {
		return true
	}
	t, n := Get().Latin, uint16(Root)
	for i := range len(word) {
		m := t.Step(n, LatinLetter(word[i]))
		if m == Dead {
			return IsSpelledAt(t, n, word, i)
		}
		n = m
	}
	return IsSpelledAt(t, n, word, len(word))
}

// IsSpelledAt reports whether a word of three letters and more is a word that people
// write, or one with an ending: -s -d -r, -es -ed -er, -ly, -ing. n is the node
// of its first letters up to at, beyond which the trie does not go.
func IsSpelledAt[T string | []byte](t *Trie, n uint16, word T, at int) bool {
	for ; at > 2 && len(word)-at < 4; at-- {
		if t.Exact(n).Kind&Spelled != 0 && ends(word, at) {
			return true
		}
		n = t.Cells[n].Parent
	}
	return false
}

// ends reports whether what follows the first letters of a word up to at is such
// an ending, as far as its first letter and its length tell.
func ends[T string | []byte](word T, at int) bool {
	if at == len(word) {
		return true
	}
	switch ending := word[at] | 0x20; len(word) - at {
	case 1:
		return ending == 's' || ending == 'd' || ending == 'r'
	case 2:
		return ending == 'e' || ending == 'l'
	case 3:
		return ending == 'i'
	}
	return false
}

// IsForeign reports whether another language in Latin script has the word, as
// far as the lexicon goes.
func IsForeign[T string | []byte](word T) bool {
	n, t := uint16(Root), Get().Foreign
	for i := 0; i < len(word); i++ {
		if n = t.Step(n, LatinLetter(word[i])); n == Dead {
			return false
		}
		if i > 3 && t.Stem(n).Means != 0 {
			return true
		}
	}
	return t.Exact(n).Means != 0
}
