package token

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// Compounds in which a word for a party of the conversation means a thing.

// compounds removes that meaning from "system" in "the booking system of a
// hotel" and from both words of "user agent".
func compounds(text string, toks []Token) {
	for i := range toks {
		t := &toks[i]
		switch {
		case t.Means.Any(concept.System) && i > 0 && t.Flags&(Break|Phrase) == 0 && written(text, *t, "system") &&
			kindOfSystem(toks, i):
			t.Means &^= concept.System
		case t.Means.Any(concept.User) && i+1 < len(toks) && toks[i+1].Flags&Break == 0 && written(text, *t, "user") &&
			written(text, toks[i+1], "agent"):
			t.Means &^= concept.User
			// "the user agent must send" may still mean the model.
			if n := i + 2; n >= len(toks) || !toks[n].Means.Any(concept.Must|concept.Modal|concept.Should) &&
				!(toks[n].Means.Any(concept.Deeds) && toks[n].Form == lexicon.ThirdPerson) {
				toks[i+1].Means &^= concept.Model
			}
		}
	}
}

// kindOfSystem reports whether the word before token i specifies the system,
// and no word after it makes the system the author of rules or prompts.
func kindOfSystem(toks []Token, i int) bool {
	const parties = concept.Instr | concept.Rule | concept.Guard | concept.Conv | concept.History
	if i+1 < len(toks) && toks[i+1].Means.Any(parties) && toks[i+1].Flags&Break == 0 {
		return false
	}
	return !toks[i-1].Means.Any(concept.Stop | concept.You | concept.Prior | concept.Other | concept.This |
		concept.Sub | concept.And | concept.To | concept.Be | concept.Model | concept.User | concept.Ignore |
		concept.Disable | concept.Whole | concept.System | concept.Neg)
}

// written compares a token with a lower-case word, ignoring the token's case.
func written(text string, t Token, word string) bool {
	return int(t.End-t.Start) == len(word) && strings.EqualFold(text[t.Start:t.End], word)
}
