package change

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// consent is what a sentence says about the user's consent.
type consent int

const (
	silent   consent = iota
	asksElse         // "ask for the id"
	asksFirst
	asksNobody
)

var (
	consentWords = []string{"confirmation", "confirmations", "approval", "approvals", "consent", "permission",
		"agreement"}
	askingWords = []string{"ask", "asks", "asking", "asked", "confirm", "confirms", "confirming", "consult",
		"consults", "consulting", "prompt", "prompting"}
	needingWords = []string{"requires", "require", "required", "needs", "need", "wait", "waits", "after", "upon",
		"only", "until", "ask", "asks", "asking", "get", "obtain", "obtains", "seek", "with"}
)

// otherwiseWords make of a denial what happens without consent.
var otherwiseWords = []string{"unless", "until", "if", "fails", "fail", "refuses", "refuse", "error"}

// consentIn reports whether a sentence of a text asks for the user's consent, and whether
// one says that the tool acts without.
func consentIn(text string) (asks, unasked bool) {
	v := reading.Read(&tool.Definition{Description: text})
	v.Analyze()
	for i := range v.Docs {
		d := &v.Docs[i]
		for k := d.Sen0; k < d.Sen1; k++ {
			switch consentOf(v, d, &v.Clauses[k]) {
			case asksFirst:
				asks = true
			case asksNobody:
				unasked = true
			}
		}
	}

	return asks, unasked
}

// consentOf finds a request for consent in a sentence, and whether the words
// before it deny it: "asks first", "without asking the user", "needs no
// confirmation". Two negations are a request: "never without asking".
func consentOf(v *reading.Reading, d *token.Doc, s *token.Sentence) consent {
	toks := v.Tokens[s.Tok0:s.Tok1]
	word := func(i int) string {
		if i < 0 || i >= len(toks) {
			return ""
		}

		return v.Word(d, toks[i])
	}
	found := silent
	for i := range toks {
		noun := slices.Contains(consentWords, word(i)) && ends(toks, i, word(i+1))
		if !noun && !(slices.Contains(askingWords, word(i)) && ofConsent(toks, i, word)) {
			if strings.HasPrefix(word(i), "ask") {
				found = asksElse
			}

			continue
		}

		denials, needed := 0, !noun
		for k := i - 1; k >= max(0, i-8) && toks[k+1].Flags&token.Break == 0; k-- {
			switch {
			case slices.Contains(otherwiseWords, word(k)):
				return asksFirst
			case noun && denials == 0 && toks[k].Means.Any(concept.Send|concept.Show), word(k) == "return",
				word(k) == "returns":
				return found // "sends a confirmation"
			case word(k) == "without" && slices.Contains([]string{"is", "are", "those", "ones", "or"}, word(k-1)):
				return found // "shows those without approval"
			case toks[k].Means.Any(concept.Neg):
				denials++
			case slices.Contains(needingWords, word(k)):
				needed = true
			}
		}

		switch {
		case denials == 1:
			return asksNobody
		case denials > 1 || needed:
			return asksFirst
		}
	}

	return found
}

// ofConsent reports whether the verb of asking at token i has the user or
// nothing for an object, and nothing but consent is asked for.
func ofConsent(toks []token.Token, i int, word func(int) string) bool {
	for k := i + 1; k < min(i+6, len(toks)); k++ {
		switch {
		case word(k) == "again", word(k) == "twice":
			return false
		case word(k) == "for":
			return slices.ContainsFunc([]string{word(k + 1), word(k + 2), word(k + 3)},
				func(w string) bool { return slices.Contains(consentWords, w) })
		case word(k) == "to" && toks[k-1].Means.Any(concept.User):
			return false // "ask the user to sign in"
		}
	}

	return ends(toks, i, word(i+1)) ||
		slices.ContainsFunc(toks[i+1:min(i+4, len(toks))],
			func(t token.Token) bool { return t.Means.Any(concept.User) })
}

// ends reports whether nothing that belongs to it follows token i: "without
// confirmation", but not "without confirmation numbers".
func ends(toks []token.Token, i int, next string) bool {
	return next == "" || toks[i+1].Flags&token.Break != 0 ||
		slices.Contains([]string{"first", "before", "from", "by", "of", "for", "and", "or", "to"}, next)
}
