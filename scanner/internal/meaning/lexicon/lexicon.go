package lexicon

import (
	_ "embed"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// Lexicon holds all word lists, packed for lookup. Packing the lists takes
// longer than scanning a hundred tools, so scanner/training does it in advance,
// and the program embeds the result.
type Lexicon struct {
	Latin    *Trie // English, by letter
	Foreign  *Trie // other languages in Latin script
	Cyrillic *Trie
	// CJK is a trie for scripts written without spaces. The first node is the
	// root.
	CJK []RuneNode
	// cjkFirst has a bit for each rune of the first plane that begins a word.
	cjkFirst [1 << 10]uint64
	// Phrases are the prefixes of the known phrases. The first one is empty.
	Phrases []Phrase
}

// RuneNode is a node of a trie by rune. Its children are adjacent and sorted by
// rune.
type RuneNode struct {
	Rune     rune
	Means    concept.Set
	Senses   sense.Set
	From, To uint16 // the children
}

// Packed is the packed lexicon.
//
//go:embed lexicon.bin
var Packed []byte

// Get returns the lexicon. The first call unpacks it.
var Get = sync.OnceValue(func() *Lexicon {
	p := unpacker(Packed)
	l := &Lexicon{Latin: p.trie(), Foreign: p.trie(), Cyrillic: p.trie(), CJK: p.runes(), Phrases: p.phrases()}
	l.MarkFirst()
	return l
})

// unpacker reads the format of the packer in scanner/training: little-endian
// integers, and lists preceded by their lengths.
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

func (p *unpacker) trie() *Trie {
	t := &Trie{Cells: make([]Cell, p.u32())}
	const size = 8
	for i := range t.Cells {
		cell := (*p)[i*size : (i+1)*size]
		t.Cells[i] = Cell{
			Base:   binary.LittleEndian.Uint16(cell),
			Parent: binary.LittleEndian.Uint16(cell[2:]),
			Exact:  binary.LittleEndian.Uint16(cell[4:]),
			Stem:   binary.LittleEndian.Uint16(cell[6:]),
		}
	}

	*p = (*p)[len(t.Cells)*size:]
	t.Entries = make([]Entry, p.u32())
	for i := range t.Entries {
		t.Entries[i] = Entry{Means: concept.Set(p.u64()), Senses: sense.Set(p.u64()), Opens: p.u16(),
			Form: Form(p.u8()), Power: power.Kind(p.u8()), Kind: WordKind(p.u8())}
	}

	return t
}

func (p *unpacker) runes() []RuneNode {
	nodes := make([]RuneNode, p.u32())
	for i := range nodes {
		nodes[i] = RuneNode{Rune: rune(p.u32()), Means: concept.Set(p.u64()), Senses: sense.Set(p.u64()), From: p.u16(),
			To: p.u16()}
	}
	return nodes
}

func (p *unpacker) phrases() []Phrase {
	phrases := make([]Phrase, p.u32())
	words := make([]NextWord, 0, len(phrases)) // all but the first continue another one
	for i := range phrases {
		from := len(words)
		of := Phrase{Means: concept.Set(p.u64()), Senses: sense.Set(p.u64())}
		for range p.u32() {
			next := NextWord{Word: p.u16(), Phrase: p.u16()}
			words = append(words, next)
			of.Words |= 1 << (next.Word & 63)
		}

		of.Next = words[from:len(words):len(words)]
		phrases[i] = of
	}

	return phrases
}

// MarkFirst sets cjkFirst.
func (l *Lexicon) MarkFirst() {
	for _, n := range l.CJK[l.CJK[0].From:l.CJK[0].To] {
		if n.Rune < 1<<16 {
			l.cjkFirst[n.Rune>>6] |= 1 << (n.Rune & 63)
		}
	}
}

// CJKOpens reports whether a word of a script without spaces may begin with a
// rune.
func (l *Lexicon) CJKOpens(r rune) bool {
	return r >= 1<<16 || l.cjkFirst[r>>6]&(1<<(r&63)) != 0
}

// CJKChild returns the child of a node of cjk by a rune, or 0.
func (l *Lexicon) CJKChild(n uint16, r rune) uint16 {
	node := &l.CJK[n]
	k, found := slices.BinarySearchFunc(l.CJK[node.From:node.To], r,
		func(n RuneNode, r rune) int { return int(n.Rune - r) })
	if !found {
		return 0
	}
	return node.From + uint16(k)
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

// LatinLetter returns the trie letter of an ASCII byte, or 255.
func LatinLetter(b byte) byte { return latinClasses[b] }

// CyrillicLetter returns the trie letter of a lower case Cyrillic rune, or 255.
func CyrillicLetter(r rune) byte {
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
