package scanner

// joinPhrases gives the first word of each known phrase the phrase's meaning.
func joinPhrases(l *lexicon, toks []token) {
	for i := range toks {
		n := toks[i].opens
		if n == 0 {
			continue
		}
		for j := i + 1; n != 0; j++ {
			at := &l.phrases[n]
			toks[i].s |= at.s
			if at.c != 0 {
				toks[i].c |= at.c
				for k := i + 1; k < j; k++ {
					toks[k].flags |= tfPhrase
				}
			}
			if j >= len(toks) || len(at.next) == 0 || toks[j].node == trieDead {
				break
			}
			n = at.then(toks[j].node)
		}
	}
}
