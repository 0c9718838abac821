package scanner

// senses weighs what the added sentences speak of that senses tell: that
// things go to whoever made the tool, that private things are taken along.
func (c *change) senses() {
	var had sense
	for i := range c.was.clauses {
		had |= c.was.clauses[i].senses
	}
	for _, at := range c.added {
		s := at.s.senses &^ had
		chosen := at.s.mask.any(cUser|cYou) && !at.s.senses.any(sPrivate) || protects(c.now, at)
		toUs := s.any(sVendor) || toUs(c.now, at)
		moves := at.s.senses.any(sMove) || at.s.mask.any(cSend|cRead)
		switch {
		case chosen || c.retires(at):
		case toUs && moves && (at.s.mask.any(cSend) || at.s.senses.any(sMove)):
			c.more(1, "a way to whoever made it")
		case s.any(sPrivate) && (moves || at.s.mask.any(cWhole|cInclude)):
			c.more(1, "private things of the user")
		case toUs && at.s.senses.any(sPrivate|sCopyTo):
			c.more(1, "a way to whoever made it")
		}
		if s.any(sConsent) && at.s.senses.any(sNeedless|sDeemed|sVoid) && !protects(c.now, at) {
			c.more(0.8, "leave to act without asking")
		}
	}
}

// toUs says whether a sentence brings things to "us" or "our side".
func toUs(v *toolReading, at sentenceAt) bool {
	for k := at.s.tok0 + 1; k < at.s.tok1; k++ {
		w, before := v.word(at.d, v.tokens[k]), v.word(at.d, v.tokens[k-1])
		if (w == "us" || w == "our") && (before == "to" || before == "with" || before == "on" || before == "for") {
			return true
		}
	}
	return false
}
