package change

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
)

// Promises are sentences that limit what the tool does, or that leave a
// decision to the user.

// protects reports whether a sentence is a promise: "is never stored", "asks
// first", "secrets are masked", "only below".
func protects(v *reading.Reading, at sentenceAt) bool {
	switch consentOf(v, at) {
	case asksFirst:
		return true
	case asksNobody, asksElse:
		return false
	}
	switch promiseOf(v, at) {
	case promised:
		return true
	case revoked:
		return false
	}
	means := at.s.Means
	switch {
	case at.s.Foreign:
		return !means.Any(concept.Tell|concept.Now) && (means.Any(concept.Neg) && !means.Any(concept.Ask) || means.Any(concept.Ask) && !means.Any(concept.Neg))
	case means.Has(concept.Ask|concept.User) && !means.Any(concept.Neg):
		return true
	case !means.Any(concept.Neg) || means.Any(concept.Tell|concept.Know) && !means.Any(concept.Secret|concept.Personal):
		return false
	}
	return deniesDeed(v, at)
}

// promise is the kind of promise that the words of a sentence make.
type promise int

const (
	unknown promise = iota
	promised
	// revoked sentences remove a confirmation, or promise the conversation.
	revoked
)

// promiseOf looks for words that make or revoke a promise. The first one
// decides.
func promiseOf(v *reading.Reading, at sentenceAt) promise {
	toks := v.Tokens[at.s.Tok0:at.s.Tok1]
	frees := false
	for k, t := range toks {
		found := false
		switch v.Word(at.d, t) {
		case "out":
			if k > 0 && v.Word(at.d, toks[k-1]) == "left" && at.s.Means.Any(concept.Secret|concept.Personal) {
				return promised
			}
		case "longer", "needed", "required", "unnecessary", "treated", "considered", "counts", "count", "skipped", "assumed", "deemed":
			frees = frees || at.s.Means.Any(concept.Ask|concept.Guard|concept.Neg)
		case "agreed", "agrees", "consented", "consents", "linked", "opted":
			found = at.s.Means.Any(concept.User) && !at.s.Means.Any(concept.Neg)
		case "deleted":
			found = k > 0 && toks[k-1].Means.Any(concept.Be) && at.s.Means.Any(concept.When)
		case "only", "masked", "hidden", "excluded", "below", "never", "redacted", "encrypted", "private", "restored", "trash", "refused", "refuses", "rejected", "denied", "confirms", "confirm", "confirmed", "approves", "approved", "asked", "asks", "reviewed", "reviews", "limited", "blanked", "anonymised", "anonymized", "pseudonymised":
			found = true
		}
		if found {
			if at.s.Means.Any(concept.Conv) || frees {
				return revoked
			}
			return promised
		}
	}
	if frees {
		return revoked
	}
	return unknown
}

// deniesDeed reports whether a negation is shortly before a deed, with no verb
// of telling between them.
func deniesDeed(v *reading.Reading, at sentenceAt) bool {
	toks := v.Tokens[at.s.Tok0:at.s.Tok1]
	for k, t := range toks {
		if !t.Means.Any(concept.Neg) {
			continue
		}
		for _, n := range toks[k:min(k+5, len(toks))] {
			if n.Means.Any(concept.Tell | concept.Know) {
				break
			}
			if n.Means.Any(concept.Send|concept.Include|concept.Change|concept.Destroy|concept.Pay|concept.Call|concept.Read|concept.Ask) || v.Word(at.d, n) == "touched" || v.Word(at.d, n) == "kept" {
				return true
			}
		}
	}
	return false
}
