package token

import "github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"

// joinPhrases gives the first word of each known phrase the meaning of the
// phrase.
func joinPhrases(l *lexicon.Lexicon, toks []Token) {
	for i := range toks {
		n := toks[i].opens
		if n == 0 {
			continue
		}

		for j := i + 1; n != 0; j++ {
			at := &l.Phrases[n]
			toks[i].Senses |= at.Senses
			if at.Means != 0 {
				toks[i].Means |= at.Means
				for k := i + 1; k < j; k++ {
					toks[k].Flags |= Phrase
				}
			}

			if j >= len(toks) || len(at.Next) == 0 || toks[j].Node == lexicon.Dead {
				break
			}

			n = at.Then(toks[j].Node)
		}
	}
}
