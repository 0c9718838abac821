package scanner

import (
	"slices"
	"strings"
)

// analyze tokenizes every field, looks foreign words up where a sentence has
// some, joins phrases, and sums each sentence's meaning up.
func (v *ToolView) analyze() []doc {
	if v.docsDone {
		return v.docs
	}
	v.docs, v.tokens, v.clauses = v.docs[:0], v.tokens[:0], v.clauses[:0]
	lex := theLexicon()
	n := len(v.allFields())
	for i := range n {
		v.analyzeField(lex, i)
	}
	v.decode(lex)
	v.docsDone = true
	return v.docs
}

func (v *ToolView) analyzeField(lex *lexicon, i int) {
	text := v.fields[i].text
	if !v.fields[i].plain {
		text = normalize(text)
	}
	n := len(v.docs)
	v.docs = slices.Grow(v.docs, 1)[:n+1]
	d := &v.docs[n]
	*d = doc{}
	d.field, d.text, d.tok0, d.sen0 = i, text, len(v.tokens), len(v.clauses)
	z := &v.ws.tokenizer
	z.reset(lex, text, &d.stats, v.tokens, v.clauses)
	marks := len(z.marks)
	z.run()
	d.marks = z.marks[marks:]
	v.tokens, v.clauses = z.tokens, z.sentences
	d.tok1, d.sen1 = len(v.tokens), len(v.clauses)
	toks := v.tokens[d.tok0:]
	if d.stats.chained >= longChain-1 {
		unchain(text, toks)
	}
	if z.means.any(cSystem | cUser) {
		lex.joinPhrases(toks)
		compounds(text, toks)
	} else if z.opens != 0 {
		lex.joinPhrases(toks)
	}
	for s := d.sen0; s < d.sen1; s++ {
		sen := &v.clauses[s]
		toks := v.tokens[sen.tok0:sen.tok1]
		if d.stats.foreign > 0 {
			lex.lookupForeign(text, toks, sen)
		}
		var mask concept
		var senses sense
		var flags tokenFlags
		for k := range toks {
			t := &toks[k]
			mask |= t.c
			senses |= t.s
			flags |= t.flags
			if t.node == 0 && t.c != 0 && t.f == formOther {
				sen.foreign = true
			}
		}
		sen.mask, sen.senses, sen.flags = mask, senses, flags
	}
}

// longChain is the number of words from which an identifier is a sentence
// written with underscores.
const longChain = 6

// unchain takes the words of such identifiers for words.
func unchain(text string, toks []token) {
	for i := 0; i < len(toks); {
		j := i + 1
		for j < len(toks) && toks[j].flags&tfIdent != 0 && toks[j].start == toks[j-1].end+1 && text[toks[j-1].end] == '_' {
			j++
		}
		if j-i >= longChain {
			for k := i; k < j; k++ {
				toks[k].flags &^= tfIdent
			}
		}
		i = j
	}
}

// lookupForeign adds the meanings that words have in other languages, where
// function words say that the sentence is in one. With a single such word
// only words that English does not know are looked up.
func (l *lexicon) lookupForeign(text string, toks []token, sen *sentence) {
	foreign, english := 0, 0
	for i := range toks {
		if toks[i].c.any(cForeign) || accented(text[toks[i].start:toks[i].end]) {
			foreign++
		} else if toks[i].c.any(cStop) {
			english++
		}
	}
	if foreign == 0 || foreign < 2 && english > 2 {
		return
	}
	for i := range toks {
		t := &toks[i]
		if t.c&^cForeign != 0 && foreign <= english || t.end-t.start > 30 {
			continue
		}
		if e, ok := l.foreign.longestText(text[t.start+elided(text[t.start:t.end]) : t.end]); ok {
			t.s |= e.s
			if e.c == 0 {
				continue
			}
			if foreign > english {
				t.c, t.f = e.c|t.c&cForeign, formOther
			} else {
				t.c |= e.c
			}
			sen.foreign = true
		}
	}
}

// accented says whether a short word is written with letters that English has
// not.
func accented(word string) bool {
	for i := 0; i < len(word); i++ {
		if word[i] == 0xC3 {
			return true
		}
	}
	return false
}

// longestText is longestClasses of a word as it is written.
func (t *trie) longestText(word string) (entry, bool) {
	var buf [32]byte
	classes := buf[:0]
	for _, r := range word {
		for _, b := range []byte(foldRune(r)) {
			if k := latinClass(b); k != 255 && len(classes) < cap(classes) {
				classes = append(classes, k)
			}
		}
	}
	return t.longestClasses(classes)
}

// elided is the length of an article or pronoun that an apostrophe joins to
// its word: l'outil, qu'il, d'abord.
func elided(word string) uint32 {
	for n := 1; n <= 2 && n+1 < len(word); n++ {
		if word[n] == '\'' {
			return uint32(n + 1)
		}
		if strings.HasPrefix(word[n:], "’") && len(word) > n+len("’") {
			return uint32(n + len("’"))
		}
	}
	return 0
}

func (t *trie) longestClasses(classes []byte) (entry, bool) {
	n := uint16(trieRoot)
	var best entry
	for _, k := range classes {
		if n = t.step(n, k); n == trieDead {
			return best, best.known()
		}
		best.longer(t.stem(n))
	}
	e := t.exact(n)
	best.c |= e.c
	best.s |= e.s
	return best, best.known()
}

// mood says how strongly a word asks something of whoever reads it.
type mood uint8

const (
	moodNone   mood = iota // a description: "sends", "tool will send", "used to send"
	moodGerund             // "without sending", "by sending"
	moodPlain              // a bare verb that opens a text: "Send a message"
	moodOrder              // an imperative further on, or "please", "should"
	moodStrong             // "you must", "always", "the assistant has to"
)

// moodOf reads the mood of the verb at token i of a sentence, by looking back
// over at most a handful of words.
func moodOf(toks []token, i int, sen *sentence) mood {
	return moodBack(toks, i, sen, 0)
}

func moodBack(toks []token, i int, sen *sentence, depth int) mood {
	t := toks[i]
	if t.flags&tfIdent != 0 {
		return moodNone
	}
	if sen.foreign && t.f == formOther {
		switch {
		case sen.mask.any(cMust | cBefore | cNeg | cUrgent | cWhen):
			return moodStrong
		case sen.first:
			return moodPlain
		}
		return moodOrder
	}
	if t.f == formIng {
		if i > 0 && suggests(toks[max(0, i-3):i]) {
			return moodOrder // "consider attaching"
		}
		return moodGerund
	}
	if t.f == formPast {
		return moodPassive(toks, i)
	}
	if t.f != formBase {
		return moodNone
	}
	strong := false
	for k := i - 1; k >= max(0, i-6); k-- {
		p := toks[k]
		broken := toks[k+1].flags&tfBreak != 0
		if broken && !strong {
			// The clause begins with this verb: an imperative.
			return openMood(sen, k+1, toks)
		}
		switch {
		case broken:
			return moodStrong
		case p.c.any(cMust) && !p.c.any(cBe):
			// "must", "always", "have to": whose duty is it?
			return dutyOf(toks, k)
		case p.c.any(cModal):
			if d := dutyOf(toks, k); d != moodStrong || p.c.any(cShould) {
				return d
			}
			return moodStrong
		case p.c.any(cShould):
			return moodOrder
		case p.c.any(cAnd) && depth < 4:
			for q := k - 1; q >= max(0, k-14); q-- {
				if toks[q].f != formOther && toks[q].flags&tfIdent == 0 && !toks[q].c.any(cNeg) {
					if m := moodBack(toks, q, sen, depth+1); m != moodGerund {
						return m
					}
					return moodNone
				}
			}
			return moodOrder
		case p.c.any(cTo):
			if k > 0 && toks[k-1].c.any(cMust|cShould|cAllow) {
				return moodStrong
			}
			if k > 1 && suggests(toks[max(0, k-4):k]) {
				return moodOrder // "be so kind as to add"
			}
			return moodNone
		case p.c.any(cAdv | cNeg | cUrgent):
			if p.c.any(cMust) {
				strong = true
			}
		case k == 0 && p.c.any(cWhen|cBefore|cNow):
			return max(moodOrder, openMood(sen, 0, toks)) // "afterwards post them"
		case p.c.any(cYou) && !p.c.any(cTool):
			return moodOrder
		case p.c.any(cModel):
			return moodOrder
		case p.f == formBase && (p.c.any(cEnd | cTell | cCall | cShould)):
			// "go read", "help send"
			return moodBack(toks, k, sen, depth+1)
		default:
			return afterSubordinate(toks, i)
		}
	}
	if strong {
		return moodStrong
	}
	if i < 6 {
		return openMood(sen, 0, toks)
	}
	return moodNone
}

// suggests says whether these words recommend what follows: the last but
// function words is one of should, consider, kindly.
func suggests(toks []token) bool {
	for k := len(toks) - 1; k >= 0; k-- {
		switch {
		case toks[k].c.any(cShould) && !toks[k].c.any(cModal):
			return true
		case toks[k].c.any(cAdv|cAnd) || toks[k].flags&tfPhrase != 0:
		default:
			return false
		}
	}
	return false
}

// afterSubordinate reads "before using any tool read the file": an order that
// follows a subordinate clause without a comma.
func afterSubordinate(toks []token, i int) mood {
	if !toks[i].c.any(cRead|cSend|cInclude|cIgnore|cChange) || toks[i-1].c.any(cTo|cBe|cModal) || toks[i-1].f != formOther {
		return moodNone
	}
	for k := i - 2; k >= max(0, i-9); k-- {
		if toks[k].c.any(cBefore|cWhen) && (k <= 3 || toks[k].flags&tfBreak != 0) && (toks[k+1].c.any(cCall|cRead|cSend|cYou) || toks[0].f == formOther && toks[i-1].c.any(cTask|cConv|cTool|cHistory)) {
			return moodOrder
		}
		if toks[k+1].flags&tfBreak != 0 {
			break
		}
	}
	return moodNone
}

// openMood is the mood of a verb that opens a clause.
func openMood(sen *sentence, at int, toks []token) mood {
	if at == 0 && sen.first {
		return moodPlain
	}
	if sen.mask.any(cMust|cUrgent) && !sen.first {
		return moodStrong
	}
	return moodOrder
}

// dutyOf says whose duty a modal at k states: the reader's, or the tool's own.
func dutyOf(toks []token, k int) mood {
	for q := k - 1; q >= max(0, k-4); q-- {
		p := toks[q]
		if toks[q+1].flags&tfBreak != 0 {
			return moodStrong
		}
		switch {
		case p.c.any(cModel) || p.c.any(cYou):
			return moodStrong
		case p.c.any(cUser):
			return moodNone
		case p.c.any(cAnd) && toks[k].c.any(cNeg):
			return moodStrong // "... and do not tell"
		case p.c.any(cSub) || p.c.any(cParam) || p.c.any(cTool) || p.c.any(cResult):
			return moodNone
		case p.c.any(cAdv | cNeg | cAnd | cMust | cShould | cBe):
			continue
		}
		return moodNone
	}
	return moodStrong
}

// moodPassive reads "must be sent", "should be included", "has to be read".
func moodPassive(toks []token, i int) mood {
	for k := i - 1; k >= max(0, i-5); k-- {
		p := toks[k]
		switch {
		case p.c.any(cMust) && !p.c.any(cSub):
			return moodStrong
		case p.c.any(cShould):
			return moodOrder
		case p.c.any(cTo) && k > 0 && toks[k-1].c.any(cBe):
			return moodStrong // "is to be sent"
		case p.c.any(cBe | cAdv | cNeg | cTo | cAnd):
			continue
		}
		return moodNone
	}
	return moodNone
}
