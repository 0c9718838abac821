package scanner

import "strings"

// Compounds in which a word for a party of the conversation names a thing.

// compounds takes the meaning of such a party from "system" in "the booking
// system of a hotel" and from both words of "user agent".
func compounds(text string, toks []token) {
	for i := range toks {
		t := &toks[i]
		switch {
		case t.c.any(cSystem) && i > 0 && t.flags&(tfBreak|tfPhrase) == 0 && written(text, *t, "system") && kindOfSystem(toks, i):
			t.c &^= cSystem
		case t.c.any(cUser) && i+1 < len(toks) && toks[i+1].flags&tfBreak == 0 && written(text, *t, "user") && written(text, toks[i+1], "agent"):
			t.c &^= cUser
			// "the user agent must send" may still mean the model.
			if n := i + 2; n >= len(toks) || !toks[n].c.any(cMust|cModal|cShould) && !(toks[n].c.any(cDeeds) && toks[n].f == formThird) {
				toks[i+1].c &^= cModel
			}
		}
	}
}

// kindOfSystem says whether the word before token i says which system it is,
// and no word after it makes it the author of rules or prompts.
func kindOfSystem(toks []token, i int) bool {
	const parties = cInstr | cRule | cGuard | cConv | cHistory
	if i+1 < len(toks) && toks[i+1].c.any(parties) && toks[i+1].flags&tfBreak == 0 {
		return false
	}
	return !toks[i-1].c.any(cStop | cYou | cPrior | cOther | cThis | cSub | cAnd | cTo | cBe | cModel | cUser | cIgnore | cDisable | cWhole | cSystem | cNeg)
}

// written compares a token with a word in lower case, whatever its case.
func written(text string, t token, word string) bool {
	return int(t.end-t.start) == len(word) && strings.EqualFold(text[t.start:t.end], word)
}
