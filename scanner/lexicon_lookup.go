package scanner

import "github.com/touchstone-eval/touchstone/scanner/internal/char"

// longest finds the exact word, else the longest stem.
func (t *trie) longest(word []rune, class func(rune) byte) (entry, bool) {
	n := uint16(trieRoot)
	var best entry
	for _, r := range word {
		k := class(r)
		if k == 255 {
			return best, best.known()
		}
		if n = t.step(n, k); n == trieDead {
			return best, best.known()
		}
		best.longer(t.stem(n))
	}
	e := t.exact(n)
	if e.c != 0 {
		best.c |= e.c
		best.f = e.f
	}
	best.s |= e.s
	return best, best.known()
}

// longestText is longestClasses of a word as it is written.
func (t *trie) longestText(word string) (entry, bool) {
	var buf [32]byte
	classes := buf[:0]
	for _, r := range word {
		for _, b := range []byte(char.FoldRune(r)) {
			if k := latinClass(b); k != 255 && len(classes) < cap(classes) {
				classes = append(classes, k)
			}
		}
	}
	return t.longestClasses(classes)
}

func (t *trie) longestClasses(classes []byte) (entry, bool) {
	n := uint16(trieRoot)
	var best entry
	for _, k := range classes {
		if n = t.step(n, k); n == trieDead {
			return best, best.known()
		}
		best.longer(t.stem(n))
	}
	e := t.exact(n)
	best.c |= e.c
	best.s |= e.s
	return best, best.known()
}
