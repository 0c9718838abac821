package lexicon

// Spelling of words. The trie of English words also holds common words without
// a meaning in the lexicon, from this project's own documents, tools and tests.
// One walk of the tokenizer along a word therefore gives both meaning and
// spelling.

// IsSpelled reports whether a word of ASCII letters is correctly spelled: it is
// in the lexicon, or a common word, or one of these with an ending.
func IsSpelled[T string | []byte](word T) bool { return IsEnglish(word) || IsForeign(word) }

// IsEnglish is IsSpelled for English alone.
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

// IsSpelledAt reports whether a word of at least three letters is correctly
// spelled, also with one of the endings -s -d -r, -es -ed -er, -ly, -ing. n is
// the node of its first letters up to at; the trie has no longer prefix of the
// word.
func IsSpelledAt[T string | []byte](t *Trie, n uint16, word T, at int) bool {
	for ; at > 2 && len(word)-at < 4; at-- {
		if t.Exact(n).Kind&Spelled != 0 && ends(word, at) {
			return true
		}
		n = t.Cells[n].Parent
	}
	return false
}

// ends reports whether the letters of a word after at are such an ending,
// judged by the first letter and the length.
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

// IsForeign reports whether the lexicon has the word for another language in
// Latin script.
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
