package capability

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Effects that the description of a tool states.

// deniedEffect finds, in the description of a tool that claims to be harmless,
// a verb for an effect of the tool.
func deniedEffect(v *tool.View, readOnly, harmless bool) (evidence string, weight float64) {
	if !readOnly && !harmless {
		return "", 0
	}

	for i := range v.Docs {
		d := &v.Docs[i]
		if v.Fields[d.Field].Kind != tool.KindDescription || v.Fields[d.Field].Layer != "" {
			continue
		}

		// After "Searches notes." the base form in "Delete old ones." addresses the reader.
		// Not every verb is in the lexicon, but their third persons end alike.
		advises := d.Tok0 < d.Tok1 && strings.HasSuffix(v.Word(d, v.Tokens[d.Tok0]), "s")
		for s := d.Sen0; s < d.Sen1; s++ {
			sen := &v.Clauses[s]
			toks := v.Tokens[sen.Tok0:sen.Tok1]
			for k, t := range toks {
				if !t.Means.Any(concept.Destroy|concept.Pay) &&
					!(readOnly && t.Means.Any(concept.Send) && t.Form == lexicon.ThirdPerson) ||
					t.Means.Any(concept.Disable|concept.Ask) || t.Flags&token.Ident != 0 {
					continue
				}

				lead := k == 0 || t.Flags&token.Break != 0 || toks[k-1].Means.Any(concept.And|concept.Sub|concept.Adv)
				if !lead || isNoun(v, d, toks, k) || t.Form != lexicon.ThirdPerson &&
					(t.Form != lexicon.BaseForm || k > 0 || advises && s > d.Sen0) || negated(toks, k) {
					continue
				}

				if t.Means.Any(concept.Send) &&
					(sen.Means.Any(concept.Meta) ||
						!sen.Means.Any(concept.Link|concept.Outside|concept.User|concept.Pay)) {
					continue
				}

				w := 1.5
				if !readOnly && !t.Means.Any(concept.Destroy) {
					w = 0.7
				}

				return strings.TrimSpace(d.Text[sen.Start:sen.End]), w
			}
		}
	}

	return "", 0
}

// isNoun reports whether token k is a noun or an element of a list and no verb, although it has
// the form of one: "deletes are refused", "its posts", "traffic, shares".
func isNoun(v *tool.View, d *token.Doc, toks []token.Token, k int) bool {
	if k > 0 && k+1 == len(toks) {
		return true // a verb has an object
	}
	if toks[k].Form != lexicon.ThirdPerson {
		return false
	}
	if k+1 < len(toks) && toks[k+1].Means.Any(concept.Be) {
		return true
	}
	return k > 0 && (isListed(v, d, toks, k) || isDeterminer(v.Word(d, toks[k-1])))
}

func isDeterminer(word string) bool {
	switch word {
	case "its", "their", "your", "his", "her", "my", "our", "the":
		return true
	}
	return false
}

// negated reports whether the verb at token k or its object is negated: "never
// deletes", "deletes nothing", "deletes no file".
func negated(toks []token.Token, k int) bool {
	return k > 0 && toks[k-1].Means.Any(concept.Neg) ||
		k+1 < len(toks) && toks[k+1].Flags&token.Break == 0 && toks[k+1].Means.Any(concept.Neg)
}

// isListed reports whether token k is an element of a list, alone between punctuation.
func isListed(v *tool.View, d *token.Doc, toks []token.Token, k int) bool {
	if toks[k].Flags&token.Break == 0 {
		return false
	}
	if k+1 == len(toks) || toks[k+1].Flags&token.Break != 0 {
		return true
	}
	next := v.Word(d, toks[k+1])
	return next == "or" || next == "and"
}
