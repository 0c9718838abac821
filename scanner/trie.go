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

// growingTrie is a trie that words are added to. Siblings are a list.
type growingTrie struct {
	nodes []growingNode
	// exact and stem are what the nodes that say something mean.
	exact, stem map[uint16]*entry
	// beyond is the first node that is there for its spelling alone, 0 when
	// there is none.
	beyond int
}

type growingNode struct {
	letter         byte
	child, sibling uint16
}

func newGrowingTrie() *growingTrie {
	return &growingTrie{nodes: make([]growingNode, trieRoot+1, 1<<14), exact: map[uint16]*entry{}, stem: map[uint16]*entry{}}
}

// node gives the node of a word, making it if need be.
func (t *growingTrie) node(word []byte) uint16 {
	n := uint16(trieRoot)
	for _, letter := range word {
		m := t.child(n, letter)
		if m == trieDead {
			m = uint16(len(t.nodes))
			t.nodes = append(t.nodes, growingNode{letter: letter, sibling: t.nodes[n].child})
			t.nodes[n].child = m
		}
		n = m
	}
	return n
}

// below calls f with a node and all nodes that go on from it.
func (t *growingTrie) below(n uint16, f func(n uint16)) {
	f(n)
	for m := t.nodes[n].child; m != trieDead; m = t.nodes[m].sibling {
		t.below(m, f)
	}
}

func (t *growingTrie) child(n uint16, letter byte) uint16 {
	for m := t.nodes[n].child; m != trieDead; m = t.nodes[m].sibling {
		if t.nodes[m].letter == letter {
			return m
		}
	}
	return trieDead
}

// entryOf gives a node's entry, making it if need be.
func entryOf(entries map[uint16]*entry, n uint16) *entry {
	e := entries[n]
	if e == nil {
		e = new(entry)
		entries[n] = e
	}
	return e
}

// insert adds what a word means; a stem means it with any ending.
func (t *growingTrie) insert(word []byte, e entry, stem bool) {
	n := t.node(word)
	at := entryOf(t.exact, n)
	if stem {
		at = entryOf(t.stem, n)
	}
	at.c |= e.c
	if at.f == formOther || e.f == formBase {
		at.f = e.f
	}
}

// pack gives the trie for walking, and for each growing node its place there.
func (t *growingTrie) pack() (packed *trie, place []uint16) {
	packed = &trie{entries: make([]entry, 1, 1024)}
	place = make([]uint16, len(t.nodes))
	numbers := map[entry]uint16{{}: 0}
	number := func(at *entry, kind wordKind) uint16 {
		e := entry{}
		if at != nil {
			e = *at
		}
		e.kind |= kind
		k, known := numbers[e]
		if !known {
			k = uint16(len(packed.entries))
			packed.entries = append(packed.entries, e)
			numbers[e] = k
		}
		return k
	}
	grow := func(to int) {
		for len(packed.cells) <= to {
			packed.cells = append(packed.cells, trieCell{parent: trieFree})
		}
	}
	grow(trieRoot + trieLetters)
	place[trieRoot] = trieRoot
	// Children of one parent stand near each other, parents before children,
	// so that beginnings of words share what the processor fetches.
	queue := make([]uint16, 1, len(t.nodes))
	queue[0] = trieRoot
	gap := trieRoot + 1 // no cell before it is free
	for k := 0; k < len(queue); k++ {
		n := queue[k]
		at := place[n]
		kind := wordKind(0)
		if t.beyond > 0 && int(n) >= t.beyond {
			kind = wordBeyond
		}
		packed.cells[at].exact, packed.cells[at].stem = number(t.exact[n], kind), number(t.stem[n], 0)
		first := t.nodes[n].child
		if first == trieDead {
			continue
		}
		for packed.cells[gap].parent != trieFree {
			gap++
			grow(gap + trieLetters)
		}
		base := max(gap-int(t.nodes[first].letter), trieRoot+1)
		for !t.fits(packed, n, base) {
			base++
			grow(base + trieLetters)
		}
		packed.cells[at].base = uint16(base)
		for m := first; m != trieDead; m = t.nodes[m].sibling {
			place[m] = uint16(base + int(t.nodes[m].letter))
			packed.cells[place[m]].parent = at
			queue = append(queue, m)
		}
	}
	return packed, place
}

// fits says whether the cells of a node's children are free at a base.
func (t *growingTrie) fits(packed *trie, n uint16, base int) bool {
	for m := t.nodes[n].child; m != trieDead; m = t.nodes[m].sibling {
		if packed.cells[base+int(t.nodes[m].letter)].parent != trieFree {
			return false
		}
	}
	return true
}
