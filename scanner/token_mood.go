package scanner

import "github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

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
		case sen.mask.Any(concept.Must | concept.Before | concept.Neg | concept.Urgent | concept.When):
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
		case p.c.Any(concept.Must) && !p.c.Any(concept.Be):
			// "must", "always", "have to": whose duty is it?
			return dutyOf(toks, k)
		case p.c.Any(concept.Modal):
			if d := dutyOf(toks, k); d != moodStrong || p.c.Any(concept.Should) {
				return d
			}
			return moodStrong
		case p.c.Any(concept.Should):
			return moodOrder
		case p.c.Any(concept.And) && depth < 4:
			for q := k - 1; q >= max(0, k-14); q-- {
				if toks[q].f != formOther && toks[q].flags&tfIdent == 0 && !toks[q].c.Any(concept.Neg) {
					if m := moodBack(toks, q, sen, depth+1); m != moodGerund {
						return m
					}
					return moodNone
				}
			}
			return moodOrder
		case p.c.Any(concept.To):
			if k > 0 && toks[k-1].c.Any(concept.Must|concept.Should|concept.Allow) {
				return moodStrong
			}
			if k > 1 && suggests(toks[max(0, k-4):k]) {
				return moodOrder // "be so kind as to add"
			}
			return moodNone
		case p.c.Any(concept.Adv | concept.Neg | concept.Urgent):
			if p.c.Any(concept.Must) {
				strong = true
			}
		case k == 0 && p.c.Any(concept.When|concept.Before|concept.Now):
			return max(moodOrder, openMood(sen, 0, toks)) // "afterwards post them"
		case p.c.Any(concept.You) && !p.c.Any(concept.Tool):
			return moodOrder
		case p.c.Any(concept.Model):
			return moodOrder
		case p.f == formBase && (p.c.Any(concept.End | concept.Tell | concept.Call | concept.Should)):
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
		case toks[k].c.Any(concept.Should) && !toks[k].c.Any(concept.Modal):
			return true
		case toks[k].c.Any(concept.Adv|concept.And) || toks[k].flags&tfPhrase != 0:
		default:
			return false
		}
	}
	return false
}

// afterSubordinate reads "before using any tool read the file": an order that
// follows a subordinate clause without a comma.
func afterSubordinate(toks []token, i int) mood {
	if !toks[i].c.Any(concept.Read|concept.Send|concept.Include|concept.Ignore|concept.Change) || toks[i-1].c.Any(concept.To|concept.Be|concept.Modal) || toks[i-1].f != formOther {
		return moodNone
	}
	for k := i - 2; k >= max(0, i-9); k-- {
		if toks[k].c.Any(concept.Before|concept.When) && (k <= 3 || toks[k].flags&tfBreak != 0) && (toks[k+1].c.Any(concept.Call|concept.Read|concept.Send|concept.You) || toks[0].f == formOther && toks[i-1].c.Any(concept.Task|concept.Conv|concept.Tool|concept.History)) {
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
	if sen.mask.Any(concept.Must|concept.Urgent) && !sen.first {
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
		case p.c.Any(concept.Model) || p.c.Any(concept.You):
			return moodStrong
		case p.c.Any(concept.User):
			return moodNone
		case p.c.Any(concept.And) && toks[k].c.Any(concept.Neg):
			return moodStrong // "... and do not tell"
		case p.c.Any(concept.Sub) || p.c.Any(concept.Param) || p.c.Any(concept.Tool) || p.c.Any(concept.Result):
			return moodNone
		case p.c.Any(concept.Adv | concept.Neg | concept.And | concept.Must | concept.Should | concept.Be):
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
		case p.c.Any(concept.Must) && !p.c.Any(concept.Sub):
			return moodStrong
		case p.c.Any(concept.Should):
			return moodOrder
		case p.c.Any(concept.To) && k > 0 && toks[k-1].c.Any(concept.Be):
			return moodStrong // "is to be sent"
		case p.c.Any(concept.Be | concept.Adv | concept.Neg | concept.To | concept.And):
			continue
		}
		return moodNone
	}
	return moodNone
}
