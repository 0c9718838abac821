package lexicon

// Trie is a prefix tree over a small alphabet, packed for fast walks. A node is
// the index of its cell, and its children are at its base plus their letter, in
// gaps between the children of other nodes (a double array: Aoe 1989). A step
// is one load, and the tree of all English words fits into a processor's
// second-level cache.
type Trie struct {
	Cells []Cell
	// Entries are the meanings of words, each once. Entry 0 is empty.
	Entries []Entry
}

type Cell struct {
	Base        uint16
	Parent      uint16 // the parent of this node
	Exact, Stem uint16 // entries of words that end here, and of words that continue from here
}

const (
	Dead = 0
	Root = 1
	// Letters is the size of the alphabet.
	Letters = 40
	// Free is the parent of an unused cell, and of the root.
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

// Walk follows the ASCII letters of s from i on, in either case. It returns the
// node after the last of them, and where they end.
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

// Small follows lower-case ASCII letters of s from i on, starting at a node. It
// returns the last existing node, and where the letters that lead to it end.
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

// Capitals is Small for capital letters.
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

// Exact returns the meaning of a word that ends at a node.
func (t *Trie) Exact(n uint16) *Entry { return &t.Entries[t.Cells[n].Exact] }

// Stem returns the meaning of a word that continues from a node.
func (t *Trie) Stem(n uint16) *Entry { return &t.Entries[t.Cells[n].Stem] }
