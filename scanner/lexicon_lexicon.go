package scanner

import (
	_ "embed"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// lexicon is every word list, packed for looking up. The lists are those of
// lexicon_en.go, languages.go, the senses_*.go, power.go, credpath.go and
// words_common.txt. Packing them takes longer than scanning a hundred tools, so
// the tests do it (lexicon_build_test.go) and the program carries the outcome.
type lexicon struct {
	latin   *trie // English, by letter
	foreign *trie // other languages in Latin script
	cyril   *trie
	// cjk is a trie of the scripts written without spaces; the first is the root.
	cjk []runeNode
	// cjkFirst has a bit for each rune of the first plane that begins a word.
	cjkFirst [1 << 10]uint64
	// phrases are the beginnings of the known phrases; the first is none.
	phrases []phrase
}

// runeNode is a node of a trie by rune. Its children stand side by side, in the
// order of their runes.
type runeNode struct {
	r        rune
	c        concept.Set
	s        sense.Set
	from, to uint16 // the children
}

//go:embed lexicon.bin
var packedLexicon []byte

//go:embed spelling.bin
var packedSpelling []byte

var theLexicon = sync.OnceValue(func() *lexicon {
	p := unpacker(packedLexicon)
	l := &lexicon{latin: p.trie(), foreign: p.trie(), cyril: p.trie(), cjk: p.runes(), phrases: p.phrases()}
	l.markFirst()
	return l
})

// spellingTrie holds the words of the lexicon and the common ones.
var spellingTrie = sync.OnceValue(func() *trie {
	p := unpacker(packedSpelling)
	return p.trie()
})

// unpacker reads what packer (lexicon_build_test.go) wrote: whole numbers in
// little endian, lists with their lengths before them.
type unpacker []byte

func (p *unpacker) u8() uint8 {
	n := (*p)[0]
	*p = (*p)[1:]
	return n
}

func (p *unpacker) u16() uint16 {
	n := binary.LittleEndian.Uint16(*p)
	*p = (*p)[2:]
	return n
}

func (p *unpacker) u32() uint32 {
	n := binary.LittleEndian.Uint32(*p)
	*p = (*p)[4:]
	return n
}

func (p *unpacker) u64() uint64 {
	n := binary.LittleEndian.Uint64(*p)
	*p = (*p)[8:]
	return n
}

func (p *unpacker) trie() *trie {
	t := &trie{cells: make([]trieCell, p.u32())}
	const size = 8
	for i := range t.cells {
		cell := (*p)[i*size : (i+1)*size]
		t.cells[i] = trieCell{
			base:   binary.LittleEndian.Uint16(cell),
			parent: binary.LittleEndian.Uint16(cell[2:]),
			exact:  binary.LittleEndian.Uint16(cell[4:]),
			stem:   binary.LittleEndian.Uint16(cell[6:]),
		}
	}
	*p = (*p)[len(t.cells)*size:]
	t.entries = make([]entry, p.u32())
	for i := range t.entries {
		t.entries[i] = entry{c: concept.Set(p.u64()), s: sense.Set(p.u64()), opens: p.u16(), f: form(p.u8()), power: power.Kind(p.u8()), kind: wordKind(p.u8())}
	}
	return t
}

func (p *unpacker) runes() []runeNode {
	nodes := make([]runeNode, p.u32())
	for i := range nodes {
		nodes[i] = runeNode{r: rune(p.u32()), c: concept.Set(p.u64()), s: sense.Set(p.u64()), from: p.u16(), to: p.u16()}
	}
	return nodes
}

func (p *unpacker) phrases() []phrase {
	phrases := make([]phrase, p.u32())
	words := make([]nextWord, 0, len(phrases)) // all but the first go on from another
	for i := range phrases {
		from := len(words)
		of := phrase{c: concept.Set(p.u64()), s: sense.Set(p.u64())}
		for range p.u32() {
			next := nextWord{word: p.u16(), phrase: p.u16()}
			words = append(words, next)
			of.words |= 1 << (next.word & 63)
		}
		of.next = words[from:len(words):len(words)]
		phrases[i] = of
	}
	return phrases
}

// markFirst fills in cjkFirst.
func (l *lexicon) markFirst() {
	for _, n := range l.cjk[l.cjk[0].from:l.cjk[0].to] {
		if n.r < 1<<16 {
			l.cjkFirst[n.r>>6] |= 1 << (n.r & 63)
		}
	}
}

// cjkOpens says whether a word without spaces may begin with a rune.
func (l *lexicon) cjkOpens(r rune) bool {
	return r >= 1<<16 || l.cjkFirst[r>>6]&(1<<(r&63)) != 0
}

// cjkChild gives the child of a node of cjk by a rune, or 0.
func (l *lexicon) cjkChild(n uint16, r rune) uint16 {
	node := &l.cjk[n]
	k, found := slices.BinarySearchFunc(l.cjk[node.from:node.to], r, func(n runeNode, r rune) int { return int(n.r - r) })
	if !found {
		return 0
	}
	return node.from + uint16(k)
}

// latinClasses holds the trie letter of each ASCII letter and digit, and 255
// for other bytes.
var latinClasses = func() (t [256]byte) {
	for b := range t {
		t[b] = 255
	}
	for i := range byte(26) {
		t['a'+i], t['A'+i] = i, i
	}
	for i := range byte(10) {
		t['0'+i] = 26 + i
	}
	return t
}()

// latinClass gives the trie letter of an ASCII byte, or 255.
func latinClass(b byte) byte { return latinClasses[b] }

// cyrillicClass gives the trie letter of a lower case Cyrillic rune, or 255.
func cyrillicClass(r rune) byte {
	if r >= 'А' && r <= 'Я' {
		r += 'а' - 'А'
	}
	switch {
	case r >= 'а' && r <= 'я':
		return byte(r - 'а')
	case r == 'ё' || r == 'Ё':
		return byte('е' - 'а')
	case r == 'і' || r == 'І':
		return 32
	}
	return 255
}
