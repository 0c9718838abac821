package token

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// LongChain is the number of words from which an identifier counts as a
// sentence written with underscores.
const LongChain = 6

// unchain treats the parts of such identifiers as words.
func unchain(text string, toks []Token) {
	for i := 0; i < len(toks); {
		j := i + 1
		for j < len(toks) && toks[j].Flags&Ident != 0 && toks[j].Start == toks[j-1].End+1 &&
			text[toks[j-1].End] == '_' {
			j++
		}

		if j-i >= LongChain {
			for k := i; k < j; k++ {
				toks[k].Flags &^= Ident
			}
		}

		i = j
	}
}

// Mood is how strongly a verb demands something of the reader.
type Mood uint8

const (
	MoodNone   Mood = iota // a description: "sends", "tool will send", "used to send"
	MoodGerund             // "without sending", "by sending"
	MoodPlain              // a bare verb that opens a text: "Send a message"
	MoodOrder              // an imperative inside a text, or "please", "should"
	MoodStrong             // "you must", "always", "the assistant has to"
)

// MoodOf determines the mood of the verb at token i of a sentence from at most
// a handful of words before it.
func MoodOf(toks []Token, i int, sen *Sentence) Mood {
	return moodBack(toks, i, sen, 0)
}

func moodBack(toks []Token, i int, sen *Sentence, depth int) Mood {
	t := toks[i]
	switch {
	case t.Flags&Ident != 0:
		return MoodNone
	case sen.Foreign && t.Form == lexicon.OtherForm:
		return foreignMood(sen)
	case t.Form == lexicon.IngForm:
		return MoodGerund
	case t.Form == lexicon.PastForm:
		return moodPassive(toks, i)
	case t.Form != lexicon.BaseForm:
		return MoodNone
	}

	strong := false
	for k := i - 1; k >= max(0, i-6); k-- {
		p := toks[k]
		broken := toks[k+1].Flags&Break != 0
		switch {
		case broken && !strong:
			// The clause begins with this verb, so it is an imperative.
			return openMood(sen, k+1, toks)
		case broken:
			return MoodStrong
		case p.Means.Any(concept.Must) && !p.Means.Any(concept.Be), p.Means.Any(concept.Modal):
			// "must", "always", "have to", "will": find whose duty it is.
			return DutyOf(toks, k)
		case p.Means.Any(concept.Should):
			return MoodOrder
		case p.Means.Any(concept.And) && depth < 4:
			return moodBefore(toks, k, sen, depth)
		case p.Means.Any(concept.To):
			return infinitiveMood(toks, k)
		case p.Means.Any(concept.Adv | concept.Neg | concept.Urgent):
			strong = strong || p.Means.Any(concept.Must)
		case k == 0 && p.Means.Any(concept.When|concept.Before|concept.Now):
			return max(MoodOrder, openMood(sen, 0, toks)) // "afterwards post them"
		case p.Means.Any(concept.You) && !p.Means.Any(concept.Tool):
			return MoodOrder
		case p.Means.Any(concept.Model):
			return MoodOrder
		case p.Form == lexicon.BaseForm && (p.Means.Any(concept.End | concept.Tell | concept.Call | concept.Should)):
			// "go read", "help send"
			return moodBack(toks, k, sen, depth+1)
		default:
			return afterSubordinate(toks, i)
		}
	}

	if strong {
		return MoodStrong
	}

	if i < 6 {
		return openMood(sen, 0, toks)
	}

	return MoodNone
}

// foreignMood is the mood of a verb of another language, whose inflection is
// not analysed.
func foreignMood(sen *Sentence) Mood {
	switch {
	case sen.Means.Any(concept.Must | concept.Before | concept.Neg | concept.Urgent | concept.When):
		return MoodStrong
	case sen.First:
		return MoodPlain
	}
	return MoodOrder
}

// moodBefore is the mood of the verb to which the "and" at token k joins
// another verb.
func moodBefore(toks []Token, k int, sen *Sentence, depth int) Mood {
	for q := k - 1; q >= max(0, k-14); q-- {
		if toks[q].Form != lexicon.OtherForm && toks[q].Flags&Ident == 0 && !toks[q].Means.Any(concept.Neg) {
			if m := moodBack(toks, q, sen, depth+1); m != MoodGerund {
				return m
			}
			return MoodNone
		}
	}
	return MoodOrder
}

// infinitiveMood is the mood of a verb after the "to" at token k.
func infinitiveMood(toks []Token, k int) Mood {
	if k > 0 && toks[k-1].Means.Any(concept.Must|concept.Should|concept.Allow) {
		return MoodStrong
	}
	return MoodNone
}

// afterSubordinate handles "before using any tool read the file": an order
// after a subordinate clause without a comma.
func afterSubordinate(toks []Token, i int) Mood {
	if !toks[i].Means.Any(concept.Read|concept.Send|concept.Include|concept.Ignore|concept.Change) ||
		toks[i-1].Means.Any(concept.To|concept.Be|concept.Modal) || toks[i-1].Form != lexicon.OtherForm {
		return MoodNone
	}

	for k := i - 2; k >= max(0, i-9); k-- {
		if toks[k].Means.Any(concept.Before|concept.When) && (k <= 3 || toks[k].Flags&Break != 0) &&
			(toks[k+1].Means.Any(concept.Call|concept.Read|concept.Send|concept.You) ||
				toks[0].Form == lexicon.OtherForm &&
					toks[i-1].Means.Any(concept.Task|concept.Conv|concept.Tool|concept.History)) {
			return MoodOrder
		}

		if toks[k+1].Flags&Break != 0 {
			break
		}
	}

	return MoodNone
}

// openMood is the mood of a verb that opens a clause.
func openMood(sen *Sentence, at int, toks []Token) Mood {
	if at == 0 && sen.First {
		return MoodPlain
	}
	if sen.Means.Any(concept.Must|concept.Urgent) && !sen.First {
		return MoodStrong
	}
	return MoodOrder
}

// DutyOf returns whose duty a modal at k states: the reader's, or the tool's
// own.
func DutyOf(toks []Token, k int) Mood {
	for q := k - 1; q >= max(0, k-4); q-- {
		p := toks[q]
		if toks[q+1].Flags&Break != 0 {
			return MoodStrong
		}

		switch {
		case p.Means.Any(concept.Model) || p.Means.Any(concept.You):
			return MoodStrong
		case p.Means.Any(concept.User):
			return MoodNone
		case p.Means.Any(concept.And) && toks[k].Means.Any(concept.Neg):
			return MoodStrong // "... and do not tell"
		case p.Means.Any(concept.Sub) || p.Means.Any(concept.Param) || p.Means.Any(concept.Tool) ||
			p.Means.Any(concept.Result):
			return MoodNone
		case p.Means.Any(concept.Adv | concept.Neg | concept.And | concept.Must | concept.Should | concept.Be):
			continue
		}

		return MoodNone
	}

	return MoodStrong
}

// moodPassive handles "must be sent", "should be included", "has to be read".
func moodPassive(toks []Token, i int) Mood {
	for k := i - 1; k >= max(0, i-5); k-- {
		p := toks[k]
		switch {
		case p.Means.Any(concept.Must) && !p.Means.Any(concept.Sub):
			return MoodStrong
		case p.Means.Any(concept.Should):
			return MoodOrder
		case p.Means.Any(concept.To) && k > 0 && toks[k-1].Means.Any(concept.Be):
			return MoodStrong // "is to be sent"
		case p.Means.Any(concept.Be | concept.Adv | concept.Neg | concept.To | concept.And):
			continue
		}

		return MoodNone
	}

	return MoodNone
}
