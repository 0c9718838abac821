package lexicon

// Trie is a prefix tree over a small alphabet, packed for walking: a node is
// the index of its cell, and its children stand at its base plus their letter,
// in gaps that other nodes' children leave free (a double array: Aoe 1989). A
// step is one load, and the tree of all English words fits a processor's
// second cache.
type Trie struct {
	Cells []Cell
	// Entries are what words mean, each once; 0 is nothing.
	Entries []Entry
}

type Cell struct {
	Base        uint16
	Parent      uint16 // whose child stands here
	Exact, Stem uint16 // entries of what ends here and of what goes on from here
}

const (
	Dead = 0
	Root = 1
	// Letters is the size of the alphabet.
	Letters = 40
	// Free is the parent of a cell that no node has, and of the root.
	Free = 0xFFFF
)

// Step returns the child of a node by a letter, or Dead.
func (t *Trie) Step(n uint16, letter byte) uint16 {
	at := t.Cells[n].Base + uint16(letter)
	if t.Cells[at].Parent != n {
		return Dead
	}
	return at
}

// Walk follows the ASCII letters of s from i on, in either case: the node
// after the last of them, and where they end.
func Walk[T string | []byte](t *Trie, s T, i int) (n uint16, end int) {
	n = Root
	for ; i < len(s); i++ {
		letter := (s[i] | 0x20) - 'a'
		if letter >= 26 {
			return n, i
		}
		if n = t.Step(n, letter); n == Dead {
			for i++; i < len(s) && (s[i]|0x20)-'a' < 26; i++ {
			}
			return n, i
		}
	}
	return n, i
}

// Small follows small ASCII letters of s from i on, from a node: the last node
// that there is, and where what led to it ends.
func (t *Trie) Small(n uint16, s string, i int) (deepest uint16, end int) {
	cells := t.Cells
	base := cells[n].Base
	for ; i < len(s); i++ {
		letter := s[i] - 'a'
		if letter >= 26 {
			break
		}
		at := base + uint16(letter)
		cell := &cells[at]
		if cell.Parent != n {
			break
		}
		n, base = at, cell.Base
	}
	return n, i
}

// Capitals is small for capital letters.
func (t *Trie) Capitals(n uint16, s string, i int) (deepest uint16, end int) {
	for ; i < len(s) && s[i]-'A' < 26; i++ {
		at := t.Step(n, s[i]-'A')
		if at == Dead {
			break
		}
		n = at
	}
	return n, i
}

// Exact is what a word that ends at a node means.
func (t *Trie) Exact(n uint16) *Entry { return &t.Entries[t.Cells[n].Exact] }

// Stem is what a word that goes on from a node means.
func (t *Trie) Stem(n uint16) *Entry { return &t.Entries[t.Cells[n].Stem] }
