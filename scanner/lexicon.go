package scanner

import (
	"strings"
	"sync"
)

// trie is a prefix tree over a small alphabet, one node a row of next
// indices. Index 0 is the dead node; index 1 the root.
type trie struct {
	next  [][trieWidth]uint16
	exact []entry // what a word that ends here means
	stem  []entry // what a word that goes on from here means
}

const trieWidth = 40

func newTrie() *trie {
	return &trie{next: make([][trieWidth]uint16, 2, 4096), exact: make([]entry, 2, 4096), stem: make([]entry, 2, 4096)}
}

const (
	trieDead = 0
	trieRoot = 1
)

// insert adds a word given as letter classes.
func (t *trie) insert(classes []byte, e entry, stem bool) {
	n := trieRoot
	for _, c := range classes {
		m := int(t.next[n][c])
		if m == trieDead {
			m = len(t.next)
			t.next = append(t.next, [trieWidth]uint16{})
			t.exact = append(t.exact, entry{})
			t.stem = append(t.stem, entry{})
			t.next[n][c] = uint16(m)
		}
		n = m
	}
	at := &t.exact[n]
	if stem {
		at = &t.stem[n]
	}
	at.c |= e.c
	if at.f == formOther || e.f == formBase {
		at.f = e.f
	}
}

// runeTrie serves scripts written without spaces.
type runeTrie struct {
	c    concept
	s    sense
	next map[rune]*runeTrie
}

func (t *runeTrie) insert(word string, c concept) {
	for _, r := range word {
		if t.next == nil {
			t.next = map[rune]*runeTrie{}
		}
		child := t.next[r]
		if child == nil {
			child = &runeTrie{}
			t.next[r] = child
		}
		t = child
	}
	t.c |= c
}

// phraseNode is one word of a phrase; the words are numbered by wordIDs.
type phraseNode struct {
	c    concept
	s    sense
	next map[uint16]*phraseNode
}

// lexicon is every word list, compiled.
type lexicon struct {
	latin   *trie // English, by letter
	foreign *trie // other languages in Latin script
	cyril   *trie
	cjk     *runeTrie
	// powers gives what words stand for in names of parameters, by trie node.
	powers []power
	// opens gives the phrases that a word begins, by trie node.
	opens []*phraseNode
	// wordIDs numbers the words that phrases are made of, by trie node.
	wordIDs []uint16
	phrases phraseNode
}

var theLexicon = sync.OnceValue(compileLexicon)

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

// latinWord turns a lexicon word into classes; apostrophes and hyphens are
// dropped, as the tokenizer does.
func latinWord(w string) []byte {
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if c := latinClass(w[i]); c != 255 {
			out = append(out, c)
		}
	}
	return out
}

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

func compileLexicon() *lexicon {
	l := &lexicon{latin: newTrie(), foreign: newTrie(), cyril: newTrie(), cjk: &runeTrie{}}
	for _, g := range verbsEN {
		for word := range strings.FieldsSeq(g.words) {
			for f, w := range conjugate(word) {
				if w != "" {
					l.latin.insert(latinWord(w), entry{c: g.c, f: formOf[f]}, false)
				}
			}
		}
	}
	for _, g := range nounsEN {
		for word := range strings.FieldsSeq(g.words) {
			if w, ok := strings.CutSuffix(word, "="); ok {
				l.latin.insert(latinWord(w), entry{c: g.c}, false)
				continue
			}
			l.latin.insert(latinWord(word), entry{c: g.c}, false)
			l.latin.insert(latinWord(plural(word)), entry{c: g.c}, false)
		}
	}
	for _, g := range plainEN {
		for word := range strings.FieldsSeq(g.words) {
			l.latin.insert(latinWord(word), entry{c: g.c}, false)
		}
	}
	for word := range strings.FieldsSeq(credWords) {
		l.latin.insert(latinWord(word), entry{c: cCredPath}, false)
	}
	for _, lang := range languages {
		for c, words := range lang {
			for word := range strings.FieldsSeq(words) {
				l.insertForeign(word, c)
			}
		}
	}
	for _, g := range phrasesEN {
		for phrase := range strings.SplitSeq(g.words, "|") {
			l.insertPhrase(phrase, g.c)
		}
	}
	l.addSenses()
	l.addPowers()
	l.opens = make([]*phraseNode, len(l.wordIDs))
	for n, node := range l.phrases.next {
		l.opens[n] = node
	}
	return l
}

// insertForeign adds a word of another language; a trailing * makes it a stem
// that any ending may follow.
func (l *lexicon) insertForeign(word string, c concept) {
	stem := strings.HasSuffix(word, "*")
	word = strings.TrimSuffix(word, "*")
	switch script := scriptOf(word); script {
	case scriptLatin:
		l.foreign.insert(latinWord(foldLatin(word)), entry{c: c}, stem)
		if stem {
			l.foreign.insert(latinWord(foldLatin(word)), entry{c: c}, false)
		}
		if c.any(cForeign) && !stem && !l.knowsLatin(foldLatin(word)) {
			l.latin.insert(latinWord(foldLatin(word)), entry{c: cForeign}, false)
		}
	case scriptCyrillic:
		var classes []byte
		for _, r := range word {
			if k := cyrillicClass(r); k != 255 {
				classes = append(classes, k)
			}
		}
		l.cyril.insert(classes, entry{c: c}, stem)
		if stem {
			l.cyril.insert(classes, entry{c: c}, false)
		}
	case scriptCJK:
		l.cjk.insert(word, c)
	}
}

// knowsLatin says whether English has the word, too: "do" is no sign of
// Portuguese.
func (l *lexicon) knowsLatin(word string) bool {
	n := uint16(trieRoot)
	for _, k := range latinWord(word) {
		n = l.latin.next[n][k]
	}
	return l.latin.exact[n].c&^cForeign != 0
}

// insertPhrase adds a sequence of English words, giving each a number.
func (l *lexicon) insertPhrase(phrase string, c concept) *phraseNode {
	at := &l.phrases
	for word := range strings.FieldsSeq(phrase) {
		classes := latinWord(strings.TrimSuffix(word, "'s"))
		l.latin.insert(classes, entry{}, false)
		n := trieRoot
		for _, k := range classes {
			n = int(l.latin.next[n][k])
		}
		for len(l.wordIDs) <= n {
			l.wordIDs = append(l.wordIDs, 0)
		}
		if l.wordIDs[n] == 0 {
			l.wordIDs[n] = uint16(n)
		}
		if at.next == nil {
			at.next = map[uint16]*phraseNode{}
		}
		child := at.next[uint16(n)]
		if child == nil {
			child = &phraseNode{}
			at.next[uint16(n)] = child
		}
		at = child
	}
	at.c |= c
	return at
}

// formOf gives the form of each slot that conjugate fills.
var formOf = [5]form{formBase, formThird, formIng, formPast, formPast}

// conjugate derives the forms of an English verb: base, third person, -ing,
// past, participle. Forms given after colons win.
func conjugate(spec string) [5]string {
	var out [5]string
	if strings.Contains(spec, ":") {
		copy(out[:], strings.Split(spec, ":"))
		return out
	}
	base, double := strings.CutSuffix(spec, "+")
	out[0] = base
	last := base[len(base)-1]
	switch {
	case last == 'y' && consonantBefore(base):
		out[1] = base[:len(base)-1] + "ies"
	case strings.HasSuffix(base, "s"), strings.HasSuffix(base, "x"), strings.HasSuffix(base, "sh"), strings.HasSuffix(base, "ch"):
		out[1] = base + "es"
	default:
		out[1] = base + "s"
	}
	switch {
	case double:
		out[2], out[3] = base+string(last)+"ing", base+string(last)+"ed"
	case last == 'y' && consonantBefore(base):
		out[2], out[3] = base+"ing", base[:len(base)-1]+"ied"
	case last == 'e':
		out[2], out[3] = base[:len(base)-1]+"ing", base+"d"
	default:
		out[2], out[3] = base+"ing", base+"ed"
	}
	return out
}

func plural(noun string) string {
	n := len(noun)
	switch {
	case noun[n-1] == 'y' && consonantBefore(noun):
		return noun[:n-1] + "ies"
	case noun[n-1] == 's', noun[n-1] == 'x', strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}

// consonantBefore says whether the last letter of word follows a consonant.
func consonantBefore(word string) bool {
	return len(word) > 1 && !strings.ContainsRune("aeiou", rune(word[len(word)-2]))
}
