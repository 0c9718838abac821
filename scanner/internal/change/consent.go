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
		"consults", "consulting", "prompt", "prompting", "check", "checks", "checking", "verify", "verifies"}
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
	found := assent(toks, word)
	if found == asksFirst || found == asksNobody {
		return found
	}

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

var (
	assentWords = []string{"agree", "agrees", "agreed", "approve", "approves", "approved", "confirm", "confirms",
		"confirmed", "accept", "accepts", "accepted", "consent", "consents", "consented", "permit", "permits",
		"permitted", "allow", "allows", "allowed", "authorize", "authorizes", "authorized", "authorise", "authorises",
		"authorised", "yes", "ok", "okay", "okays", "okayed", "ahead", "acknowledge", "acknowledges", "acknowledged"}
	conditionWords = []string{"after", "once", "only", "if", "when", "until", "unless", "must", "needs", "need",
		"should", "has", "have", "before", "requires", "require", "required", "provided", "till", "be"}
	untilWords = []string{"until", "unless", "before", "till"}
)

// assent finds the user's own assent as a condition: "after the user has agreed", "the user must approve it", "only
// if the user says yes", "approved by the user". A denial makes it an act without consent: "the user need not
// approve it".
func assent(toks []token.Token, word func(int) string) consent {
	for i := range toks {
		if !toks[i].Means.Any(concept.User) || toks[i].Flags&token.Ident != 0 {
			continue
		}

		at := nearAssent(toks, i, word)
		if at < 0 {
			continue
		}

		denied, condition, until, asked := 0, false, false, false
		for k := max(0, min(i, at)-5); k <= max(i, at); k++ {
			if k < min(i, at) && toks[k+1].Flags&token.Break != 0 && !slices.Contains(conditionWords, word(k+1)) {
				denied, condition, until = 0, false, false
				continue
			}

			until = until || slices.Contains(untilWords, word(k))
			asked = asked || (word(k) == "if" || word(k) == "when") && word(k-1) != "even"
			condition = condition || slices.Contains(conditionWords, word(k))
			if toks[k].Means.Any(concept.Neg) {
				denied++
			}
		}

		switch {
		case until || condition && denied%2 == 0:
			return asksFirst
		case denied%2 == 1 && condition && !asked:
			return asksNobody
		}
	}

	return silent
}

// nearAssent returns the token with which the user at token i assents, or -1.
func nearAssent(toks []token.Token, i int, word func(int) string) int {
	for k := i + 1; k < min(i+6, len(toks)) && toks[k].Flags&token.Break == 0; k++ {
		if slices.Contains(assentWords, word(k)) {
			if k+1 < len(toks) && slices.Contains([]string{"to", "terms", "invitations", "invitation"}, word(k+1)) &&
				strings.HasPrefix(word(k), "allow") {
				return -1 // "the user is allowed to"
			}

			return k
		}
	}

	for k := i - 1; k > max(0, i-4) && toks[k+1].Flags&token.Break == 0; k-- {
		if word(k) == "by" && slices.Contains(assentWords, word(k-1)) {
			return k - 1
		}
	}

	return -1
}

// ofConsent reports whether the verb of asking at token i has the user or
// nothing for an object, and nothing but consent is asked for.
func ofConsent(toks []token.Token, i int, word func(int) string) bool {
	if w := word(i); strings.HasPrefix(w, "check") || strings.HasPrefix(w, "verif") {
		return word(i+1) == "with" && // "check with the user first"
			slices.ContainsFunc(toks[i+1:min(i+5, len(toks))],
				func(t token.Token) bool { return t.Means.Any(concept.User) })
	}

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
