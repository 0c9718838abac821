package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
)

// Compounds in which a word for a party of the conversation names a thing.

// compounds takes the meaning of such a party from "system" in "the booking
// system of a hotel" and from both words of "user agent".
func compounds(text string, toks []token) {
	for i := range toks {
		t := &toks[i]
		switch {
		case t.c.Any(concept.System) && i > 0 && t.flags&(tfBreak|tfPhrase) == 0 && written(text, *t, "system") && kindOfSystem(toks, i):
			t.c &^= concept.System
		case t.c.Any(concept.User) && i+1 < len(toks) && toks[i+1].flags&tfBreak == 0 && written(text, *t, "user") && written(text, toks[i+1], "agent"):
			t.c &^= concept.User
			// "the user agent must send" may still mean the model.
			if n := i + 2; n >= len(toks) || !toks[n].c.Any(concept.Must|concept.Modal|concept.Should) && !(toks[n].c.Any(concept.Deeds) && toks[n].f == formThird) {
				toks[i+1].c &^= concept.Model
			}
		}
	}
}

// kindOfSystem says whether the word before token i says which system it is,
// and no word after it makes it the author of rules or prompts.
func kindOfSystem(toks []token, i int) bool {
	const parties = concept.Instr | concept.Rule | concept.Guard | concept.Conv | concept.History
	if i+1 < len(toks) && toks[i+1].c.Any(parties) && toks[i+1].flags&tfBreak == 0 {
		return false
	}
	return !toks[i-1].c.Any(concept.Stop | concept.You | concept.Prior | concept.Other | concept.This | concept.Sub | concept.And | concept.To | concept.Be | concept.Model | concept.User | concept.Ignore | concept.Disable | concept.Whole | concept.System | concept.Neg)
}

// written compares a token with a word in lower case, whatever its case.
func written(text string, t token, word string) bool {
	return int(t.end-t.start) == len(word) && strings.EqualFold(text[t.start:t.end], word)
}
