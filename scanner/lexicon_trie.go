package scanner

// trie is a prefix tree over a small alphabet, packed for walking: a node is
// the index of its cell, and its children stand at its base plus their letter,
// in gaps that other nodes' children leave free (a double array: Aoe 1989). A
// step is one load, and the tree of all English words fits a processor's
// second cache.
type trie struct {
	cells []trieCell
	// entries are what words mean, each once; 0 is nothing.
	entries []entry
}

type trieCell struct {
	base        uint16
	parent      uint16 // whose child stands here
	exact, stem uint16 // entries of what ends here and of what goes on from here
}

const (
	trieDead = 0
	trieRoot = 1
	// trieLetters is the size of the alphabet.
	trieLetters = 40
	// trieFree is the parent of a cell that no node has, and of the root.
	trieFree = 0xFFFF
)

// step gives the child of a node by a letter, or trieDead.
func (t *trie) step(n uint16, letter byte) uint16 {
	at := t.cells[n].base + uint16(letter)
	if t.cells[at].parent != n {
		return trieDead
	}
	return at
}

// walk follows the ASCII letters of s from i on, in either case: the node
// after the last of them, and where they end.
func walk[T string | []byte](t *trie, s T, i int) (n uint16, end int) {
	n = trieRoot
	for ; i < len(s); i++ {
		letter := (s[i] | 0x20) - 'a'
		if letter >= 26 {
			return n, i
		}
		if n = t.step(n, letter); n == trieDead {
			for i++; i < len(s) && (s[i]|0x20)-'a' < 26; i++ {
			}
			return n, i
		}
	}
	return n, i
}

// small follows small ASCII letters of s from i on, from a node: the last node
// that there is, and where what led to it ends.
func (t *trie) small(n uint16, s string, i int) (deepest uint16, end int) {
	cells := t.cells
	base := cells[n].base
	for ; i < len(s); i++ {
		letter := s[i] - 'a'
		if letter >= 26 {
			break
		}
		at := base + uint16(letter)
		cell := &cells[at]
		if cell.parent != n {
			break
		}
		n, base = at, cell.base
	}
	return n, i
}

// capitals is small for capital letters.
func (t *trie) capitals(n uint16, s string, i int) (deepest uint16, end int) {
	for ; i < len(s) && s[i]-'A' < 26; i++ {
		at := t.step(n, s[i]-'A')
		if at == trieDead {
			break
		}
		n = at
	}
	return n, i
}

// exact is what a word that ends at a node means.
func (t *trie) exact(n uint16) *entry { return &t.entries[t.cells[n].exact] }

// stem is what a word that goes on from a node means.
func (t *trie) stem(n uint16) *entry { return &t.entries[t.cells[n].stem] }
