package scanner

import (
	"slices"
	"strings"
	"sync"
)

// runeTrie serves scripts written without spaces.
type runeTrie struct {
	c    concept
	s    sense
	next map[rune]*runeTrie
}

// node gives the node of a word, making it if need be.
func (t *runeTrie) node(word string) *runeTrie {
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
	return t
}

// lexicon is every word list, compiled.
type lexicon struct {
	latin   *trie // English, by letter
	foreign *trie // other languages in Latin script
	cyril   *trie
	cjk     *runeTrie
	// cjkFirst has a bit for each rune of the first plane that begins a word.
	cjkFirst [1 << 10]uint64
	// phrases are the beginnings of the known phrases; 0 is none.
	phrases []phrase
}

// lexiconBuilder is a lexicon that words are added to.
type lexiconBuilder struct {
	latin, foreign, cyril *growingTrie
	cjk                   *runeTrie
	phrases               growingPhrase
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
	l := &lexiconBuilder{latin: newGrowingTrie(), foreign: newGrowingTrie(), cyril: newGrowingTrie(), cjk: &runeTrie{}}
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
	l.addSpelling()
	return l.compile()
}

// cjkOpens says whether a word without spaces may begin with a rune.
func (l *lexicon) cjkOpens(r rune) bool {
	return r >= 1<<16 || l.cjkFirst[r>>6]&(1<<(r&63)) != 0
}

// compile numbers the phrases and packs the tries.
func (l *lexiconBuilder) compile() *lexicon {
	phrases := []phrase{{}}
	for word, p := range l.phrases.next {
		entryOf(l.latin.exact, word).opens = p.number(&phrases)
	}
	out := &lexicon{cjk: l.cjk, phrases: phrases}
	for r := range l.cjk.next {
		if r < 1<<16 {
			out.cjkFirst[r>>6] |= 1 << (r & 63)
		}
	}
	var place []uint16
	out.latin, place = l.latin.pack()
	out.foreign, _ = l.foreign.pack()
	out.cyril, _ = l.cyril.pack()
	for i := range phrases {
		next := phrases[i].next
		for k := range next {
			next[k].word = place[next[k].word]
			phrases[i].words |= 1 << (next[k].word & 63)
		}
		slices.SortFunc(next, func(a, b nextWord) int { return int(a.word) - int(b.word) })
	}
	return out
}

// insertForeign adds a word of another language; a trailing * makes it a stem
// that any ending may follow.
func (l *lexiconBuilder) insertForeign(word string, c concept) {
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
		l.cjk.node(word).c |= c
	}
}

// knowsLatin says whether English has the word, too: "do" is no sign of
// Portuguese.
func (l *lexiconBuilder) knowsLatin(word string) bool {
	e := l.latin.exact[l.latin.node(latinWord(word))]
	return e != nil && e.c&^cForeign != 0
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
