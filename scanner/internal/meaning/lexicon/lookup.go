package lexicon

import "github.com/touchstone-eval/touchstone/scanner/internal/char"

// Longest finds the exact word, or otherwise the longest stem.
func (t *Trie) Longest(word []rune, class func(rune) byte) (Entry, bool) {
	n := uint16(Root)
	var best Entry
	for _, r := range word {
		k := class(r)
		if k == 255 {
			return best, best.Known()
		}

		if n = t.Step(n, k); n == Dead {
			return best, best.Known()
		}

		best.longer(t.Stem(n))
	}

	e := t.Exact(n)
	if e.Means != 0 {
		best.Means |= e.Means
		best.Form = e.Form
	}

	best.Senses |= e.Senses
	return best, best.Known()
}

// LongestText is Longest for a word as text.
func (t *Trie) LongestText(word string) (Entry, bool) {
	var buf [32]byte
	classes := buf[:0]
	for _, r := range word {
		for _, b := range []byte(char.FoldRune(r)) {
			if k := LatinLetter(b); k != 255 && len(classes) < cap(classes) {
				classes = append(classes, k)
			}
		}
	}
	return t.longestClasses(classes)
}

func (t *Trie) longestClasses(classes []byte) (Entry, bool) {
	n := uint16(Root)
	var best Entry
	for _, k := range classes {
		if n = t.Step(n, k); n == Dead {
			return best, best.Known()
		}

		best.longer(t.Stem(n))
	}

	e := t.Exact(n)
	best.Means |= e.Means
	best.Senses |= e.Senses
	return best, best.Known()
}
