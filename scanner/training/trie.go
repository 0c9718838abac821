package main

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// growingTrie is a trie under construction.
type growingTrie struct {
	nodes []growingNode
	// entries are the meanings of nodes. The first one is empty.
	entries []lexicon.Entry
	// beyond is the first node that exists only for its spelling, or 0 if there
	// is none.
	beyond int
}

type growingNode struct {
	letters     uint64 // a bit for each child
	exact, stem uint16 // entries, as of a lexicon.Cell
	children    [lexicon.Letters]uint16
}

// newGrowingTrie makes a trie with room for some nodes.
func newGrowingTrie(room int) *growingTrie {
	return &growingTrie{nodes: make([]growingNode, lexicon.Root+1, room), entries: make([]lexicon.Entry, 1, room/2)}
}

// child returns the child of a node by a letter, and creates it if necessary.
func (t *growingTrie) child(n uint16, letter byte) uint16 {
	m := t.nodes[n].children[letter]
	if m == lexicon.Dead {
		m = uint16(len(t.nodes))
		t.nodes = append(t.nodes, growingNode{})
		t.nodes[n].children[letter] = m
		t.nodes[n].letters |= 1 << letter
	}
	return m
}

// word returns the node of a word of ASCII letters and digits. Apostrophes and
// hyphens are dropped, as in the tokenizer.
func (t *growingTrie) word(word string) uint16 {
	n := uint16(lexicon.Root)
	for i := range len(word) {
		if letter := lexicon.LatinLetter(word[i]); letter != 255 {
			n = t.child(n, letter)
		}
	}
	return n
}

// cyrillicWord returns the node of a word of Cyrillic letters.
func (t *growingTrie) cyrillicWord(word string) uint16 {
	n := uint16(lexicon.Root)
	for _, r := range word {
		if letter := lexicon.CyrillicLetter(r); letter != 255 {
			n = t.child(n, letter)
		}
	}
	return n
}

// below calls f with a node and all its descendants.
func (t *growingTrie) below(n uint16, f func(n uint16)) {
	f(n)
	for letters := t.nodes[n].letters; letters != 0; letters &= letters - 1 {
		t.below(t.nodes[n].children[bits.TrailingZeros64(letters)], f)
	}
}

// exact returns the meaning of a word that ends at a node. The caller changes
// it immediately.
func (t *growingTrie) exact(n uint16) *lexicon.Entry { return t.entry(&t.nodes[n].exact) }

// stem returns the meaning of a word that continues from a node. The caller
// changes it immediately.
func (t *growingTrie) stem(n uint16) *lexicon.Entry { return t.entry(&t.nodes[n].stem) }

func (t *growingTrie) entry(of *uint16) *lexicon.Entry {
	if *of == 0 {
		*of = uint16(len(t.entries))
		t.entries = append(t.entries, lexicon.Entry{})
	}
	return &t.entries[*of]
}

// addMeaning adds a meaning to an entry.
func addMeaning(e *lexicon.Entry, c concept.Set, f lexicon.Form) {
	e.Means |= c
	if e.Form == lexicon.OtherForm || f == lexicon.BaseForm {
		e.Form = f
	}
}

// pack returns the packed trie, and the packed index of each node.
func (t *growingTrie) pack() (packed *lexicon.Trie, place []uint16) {
	place = make([]uint16, len(t.nodes))
	place[lexicon.Root] = lexicon.Root
	bases := make([]uint16, len(t.nodes))
	taken := takenCells{bits: make([]uint64, 2, len(t.nodes)/32)}
	taken.take(lexicon.Dead, 1<<lexicon.Dead|1<<lexicon.Root)
	end := 0
	// Children of one parent are close to each other, and parents precede
	// children, so that beginnings of words share cache lines.
	queue := make([]uint16, 1, len(t.nodes))
	queue[0] = lexicon.Root
	for k := 0; k < len(queue); k++ {
		node := &t.nodes[queue[k]]
		if node.letters == 0 {
			continue
		}

		base := taken.fit(node.letters)
		bases[queue[k]] = uint16(base)
		end = max(end, base+lexicon.Letters)
		for letters := node.letters; letters != 0; letters &= letters - 1 {
			letter := bits.TrailingZeros64(letters)
			child := node.children[letter]
			place[child] = uint16(base + letter)
			queue = append(queue, child)
		}
	}

	packed = &lexicon.Trie{Cells: make([]lexicon.Cell, end), Entries: make([]lexicon.Entry, 1, 1024)}
	for i := range packed.Cells {
		packed.Cells[i].Parent = lexicon.Free
	}

	numbers := map[lexicon.Entry]uint16{{}: 0}
	number := func(of uint16, kind lexicon.WordKind) uint16 {
		if of == 0 && kind == 0 {
			return 0
		}

		e := t.entries[of]
		e.Kind |= kind
		k, known := numbers[e]
		if !known {
			k = uint16(len(packed.Entries))
			packed.Entries = append(packed.Entries, e)
			numbers[e] = k
		}

		return k
	}
	for _, n := range queue {
		node, kind := &t.nodes[n], lexicon.WordKind(0)
		if t.beyond > 0 && int(n) >= t.beyond {
			kind = lexicon.Beyond
		}

		cell := &packed.Cells[place[n]]
		cell.Base, cell.Exact, cell.Stem = bases[n], number(node.exact, kind), number(node.stem, 0)
		for letters := node.letters; letters != 0; letters &= letters - 1 {
			packed.Cells[int(bases[n])+bits.TrailingZeros64(letters)].Parent = place[n]
		}
	}

	return packed, place
}

// takenCells has a bit for each used cell.
type takenCells struct {
	bits []uint64
	gap  int // all cells before it are used
}

// fit takes the first free cells for the children of a node, one for each
// letter, and returns their base.
func (t *takenCells) fit(letters uint64) (base int) {
	for t.from(t.gap)&1 != 0 {
		t.gap++
	}
	base = max(t.gap-bits.TrailingZeros64(letters), lexicon.Root+1)
	for t.from(base)&letters != 0 {
		base++
	}
	t.take(base, letters)
	return base
}

// from returns the bits of the 64 cells from base on.
func (t *takenCells) from(base int) uint64 {
	k, shift := base>>6, base&63
	for len(t.bits) < k+2 {
		t.bits = append(t.bits, 0)
	}
	return t.bits[k]>>shift | t.bits[k+1]<<(64-shift)
}

func (t *takenCells) take(base int, letters uint64) {
	k, shift := base>>6, base&63
	t.bits[k] |= letters << shift
	t.bits[k+1] |= letters >> (64 - shift)
}

// growingRunes is a trie by rune under construction.
type growingRunes struct {
	c    concept.Set
	s    sense.Set
	next map[rune]*growingRunes
}

// node returns the node of a word, and creates it if necessary.
func (t *growingRunes) node(word string) *growingRunes {
	for _, r := range word {
		if t.next == nil {
			t.next = map[rune]*growingRunes{}
		}
		if t.next[r] == nil {
			t.next[r] = &growingRunes{}
		}
		t = t.next[r]
	}
	return t
}

// insertSense adds a word of a script without spaces. The concepts of shorter
// words within it are added to it, because the longer word now takes precedence
// over them.
func (t *growingRunes) insertSense(word string, s sense.Set) {
	c := t.conceptsIn([]rune(word))
	at := t.node(word)
	at.s |= s
	at.c |= c
}

// conceptsIn combines the meanings of the known words within a word.
func (t *growingRunes) conceptsIn(word []rune) (c concept.Set) {
	for i := 0; i < len(word); {
		node, end, best := t, i+1, concept.Set(0)
		for j := i; j < len(word); j++ {
			if node = node.next[word[j]]; node == nil {
				break
			}

			if node.c != 0 {
				best, end = node.c, j+1
			}
		}

		c |= best
		i = end
	}

	return c
}

// pack lists the nodes, with the children of each node adjacent.
func (t *growingRunes) pack() []lexicon.RuneNode {
	nodes, growing := make([]lexicon.RuneNode, 1), []*growingRunes{t}
	for i := 0; i < len(growing); i++ {
		g := growing[i]
		nodes[i].Means, nodes[i].Senses, nodes[i].From = g.c, g.s, uint16(len(nodes))
		for _, r := range slices.Sorted(maps.Keys(g.next)) {
			nodes, growing = append(nodes, lexicon.RuneNode{Rune: r}), append(growing, g.next[r])
		}
		nodes[i].To = uint16(len(nodes))
	}
	return nodes
}
