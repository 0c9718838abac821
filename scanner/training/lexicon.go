package main

import (
	_ "embed"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/command"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// The program's lexicon is built here from the word lists.

//go:embed common_words.txt
var commonText string

// lexiconBuilder is a lexicon under construction.
type lexiconBuilder struct {
	latin, foreign, cyril *growingTrie
	cjk                   *growingRunes
	phrases               []growingPhrase
}

// compileLexicon builds the lexicon from its lists.
func compileLexicon() *lexicon.Lexicon {
	l := &lexiconBuilder{latin: newGrowingTrie(1 << 14), foreign: newGrowingTrie(1 << 13),
		cyril: newGrowingTrie(1 << 11), cjk: &growingRunes{}, phrases: make([]growingPhrase, 1, 1<<12)}
	for _, g := range verbsEN {
		for verb := range strings.FieldsSeq(g.words) {
			for f, word := range conjugate(verb) {
				if word != "" {
					addMeaning(l.latin.exact(l.latin.word(word)), g.c, formOf[f])
				}
			}
		}
	}

	insert := func(word string, c concept.Set) { addMeaning(l.latin.exact(l.latin.word(word)), c, lexicon.OtherForm) }
	for _, g := range nounsEN {
		for word := range strings.FieldsSeq(g.words) {
			noun, mass := strings.CutSuffix(word, "=")
			insert(noun, g.c)
			if !mass {
				insert(plural(noun), g.c)
			}
		}
	}

	for _, g := range plainEN {
		for word := range strings.FieldsSeq(g.words) {
			insert(word, g.c)
		}
	}

	for word := range strings.FieldsSeq(token.CredentialWords) {
		insert(word, concept.CredPath)
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
			l.phrase(phrase).c |= g.c
		}
	}

	l.addSenses()
	l.addPowers()
	l.addSpelling()
	return l.compile()
}

// compile packs the tries and the phrases.
func (l *lexiconBuilder) compile() *lexicon.Lexicon {
	out := &lexicon.Lexicon{CJK: l.cjk.pack()}
	out.MarkFirst()
	var place []uint16
	out.Latin, place = l.latin.pack()
	out.Foreign, _ = l.foreign.pack()
	out.Cyrillic, _ = l.cyril.pack()
	out.Phrases = l.packPhrases(place)
	return out
}

// insertForeign adds a word of another language. A trailing * makes it a stem
// that any letters may follow.
func (l *lexiconBuilder) insertForeign(word string, c concept.Set) {
	word, stem := strings.CutSuffix(word, "*")
	mark := func(t *growingTrie, n uint16) {
		addMeaning(t.exact(n), c, lexicon.OtherForm)
		if stem {
			addMeaning(t.stem(n), c, lexicon.OtherForm)
		}
	}
	switch script := char.ScriptOf(word); script {
	case char.ScriptLatin:
		word = char.FoldLatin(word)
		mark(l.foreign, l.foreign.word(word))
		if !c.Any(concept.Foreign) || stem {
			break
		}

		// English may have the word, too: "do" does not indicate Portuguese.
		if e := l.latin.exact(l.latin.word(word)); e.Means&^concept.Foreign == 0 {
			addMeaning(e, concept.Foreign, lexicon.OtherForm)
		}
	case char.ScriptCyrillic:
		mark(l.cyril, l.cyril.cyrillicWord(word))
	case char.ScriptCJK:
		l.cjk.node(word).c |= c
	}
}

// formOf returns the form for each slot that conjugate fills.
var formOf = [5]lexicon.Form{lexicon.BaseForm, lexicon.ThirdPerson, lexicon.IngForm, lexicon.PastForm, lexicon.PastForm}

// conjugate derives the forms of an English verb: base, third person, -ing,
// past, participle. Forms given after colons take precedence.
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
	case strings.HasSuffix(base, "s"), strings.HasSuffix(base, "x"), strings.HasSuffix(base, "sh"),
		strings.HasSuffix(base, "ch"):
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

// consonantBefore reports whether the last letter of word follows a consonant.
func consonantBefore(word string) bool {
	return len(word) > 1 && !strings.ContainsRune("aeiou", rune(word[len(word)-2]))
}

// addSenses adds the senses to a lexicon that already has its concepts.
func (l *lexiconBuilder) addSenses() {
	for _, table := range [][]senseWords{sensesOfData, sensesOfOrders, sensesOfTools} {
		for i := range table {
			l.addSense(&table[i])
		}
	}
}

func (l *lexiconBuilder) addSense(w *senseWords) {
	mark := func(word string) { l.latin.exact(l.latin.word(word)).Senses |= w.s }
	for verb := range strings.FieldsSeq(w.verbs) {
		for _, form := range conjugate(verb) {
			if form != "" {
				mark(form)
			}
		}
	}

	for noun := range strings.FieldsSeq(w.nouns) {
		mark(noun)
		mark(plural(noun))
	}

	for word := range strings.FieldsSeq(w.words) {
		mark(word)
	}

	if w.phrases != "" {
		for phrase := range strings.SplitSeq(w.phrases, "|") {
			l.phrase(phrase).s |= w.s
		}
	}

	for word := range strings.FieldsSeq(w.latin + " " + w.others) {
		word, stem := strings.CutSuffix(word, "*")
		mark := func(t *growingTrie, n uint16) {
			t.exact(n).Senses |= w.s
			if stem {
				t.stem(n).Senses |= w.s
			}
		}
		switch char.ScriptOf(word) {
		case char.ScriptLatin:
			mark(l.foreign, l.foreign.word(char.FoldLatin(word)))
		case char.ScriptCyrillic:
			mark(l.cyril, l.cyril.cyrillicWord(word))
		case char.ScriptCJK:
			l.cjk.insertSense(word, w.s)
		}
	}
}

// addPowers marks the words of the two lists.
func (l *lexiconBuilder) addPowers() {
	mark := func(word string, p power.Kind) { l.latin.exact(l.latin.word(word)).Power |= p }
	for word, p := range power.Words {
		mark(word, p)
	}
	for word := range power.FilterWords {
		mark(word, power.Filter)
	}
}

// addSpelling marks correctly spelled words, and the first words of harmful
// commands. It runs last: nodes created here are
// beyond the lexicon.
func (l *lexiconBuilder) addSpelling() {
	t := l.latin
	for n := range t.nodes {
		if e := &t.entries[t.nodes[n].exact]; e.Known() {
			e.Kind |= lexicon.Spelled
		}
	}

	t.beyond = len(t.nodes)
	mark := func(word string, kind lexicon.WordKind) { t.exact(t.word(word)).Kind |= kind }
	for word := range strings.FieldsSeq(commonText) {
		mark(word, lexicon.Spelled)
	}

	command.EachFirstWord(func(word string, whole bool) {
		mark(word, lexicon.Command)
		if !whole {
			t.below(t.word(word), func(n uint16) { t.exact(n).Kind |= lexicon.Command | lexicon.CommandStem })
		}
	})
}

// growingPhrase is a phrase under construction. The phrases that continue it
// form a list.
type growingPhrase struct {
	c              concept.Set
	s              sense.Set
	word           uint16 // the last, as a node of the growing trie
	child, sibling uint16
}

// phrase returns the phrase for a sequence of English words. The caller sets
// its meaning immediately.
func (l *lexiconBuilder) phrase(text string) *growingPhrase {
	at := uint16(0)
	for word := range strings.FieldsSeq(text) {
		n := l.latin.word(strings.TrimSuffix(word, "'s"))
		first := &l.latin.exact(n).Opens
		if at != 0 {
			first = &l.phrases[at].child
		}

		next := *first
		for next != 0 && l.phrases[next].word != n {
			next = l.phrases[next].sibling
		}

		if next == 0 {
			next = uint16(len(l.phrases))
			l.phrases = append(l.phrases, growingPhrase{word: n, sibling: *first})
			*first = next
		}

		at = next
	}

	return &l.phrases[at]
}

// packPhrases returns the phrases, with the indexes of words in the packed
// trie.
func (l *lexiconBuilder) packPhrases(place []uint16) []lexicon.Phrase {
	phrases := make([]lexicon.Phrase, len(l.phrases))
	words := make([]lexicon.NextWord, 0, len(l.phrases))
	for i, p := range l.phrases {
		from := len(words)
		for k := p.child; k != 0; k = l.phrases[k].sibling {
			word := place[l.phrases[k].word]
			words = append(words, lexicon.NextWord{Word: word, Phrase: k})
			phrases[i].Words |= 1 << (word & 63)
		}

		phrases[i].Means, phrases[i].Senses, phrases[i].Next = p.c, p.s, words[from:]
		slices.SortFunc(phrases[i].Next, func(a, b lexicon.NextWord) int { return int(a.Word) - int(b.Word) })
	}

	return phrases
}

// packer writes the format that unpacker reads.
type packer []byte

func (p *packer) u16(n uint16) { *p = binary.LittleEndian.AppendUint16(*p, n) }
func (p *packer) u32(n int)    { *p = binary.LittleEndian.AppendUint32(*p, uint32(n)) }
func (p *packer) u64(n uint64) { *p = binary.LittleEndian.AppendUint64(*p, n) }

func (p *packer) trie(t *lexicon.Trie) {
	p.u32(len(t.Cells))
	for _, cell := range t.Cells {
		p.u16(cell.Base)
		p.u16(cell.Parent)
		p.u16(cell.Exact)
		p.u16(cell.Stem)
	}

	p.u32(len(t.Entries))
	for _, e := range t.Entries {
		p.u64(uint64(e.Means))
		p.u64(uint64(e.Senses))
		p.u16(e.Opens)
		*p = append(*p, byte(e.Form), byte(e.Power), byte(e.Kind))
	}
}

// packLexicon writes the lexicon in the program's format.
func packLexicon(l *lexicon.Lexicon) (p packer) {
	p.trie(l.Latin)
	p.trie(l.Foreign)
	p.trie(l.Cyrillic)
	p.u32(len(l.CJK))
	for _, n := range l.CJK {
		p.u32(int(n.Rune))
		p.u64(uint64(n.Means))
		p.u64(uint64(n.Senses))
		p.u16(n.From)
		p.u16(n.To)
	}

	p.u32(len(l.Phrases))
	for _, of := range l.Phrases {
		p.u64(uint64(of.Means))
		p.u64(uint64(of.Senses))
		p.u32(len(of.Next))
		for _, next := range of.Next {
			p.u16(next.Word)
			p.u16(next.Phrase)
		}
	}

	return p
}
