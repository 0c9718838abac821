package scanner

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
