package reading

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// risk is something that sentences of attacks are about.
type risk struct {
	Means concept.Set // that a sentence has together
	What  string      // as a noun
}

var risks = []risk{
	{concept.CredPath, "files with credentials"},
	{concept.Secret, "secrets"},
	{concept.Secret | concept.Send, "sending secrets"},
	{concept.Conv | concept.History, "the conversation"},
	{concept.Conv | concept.Whole, "the whole conversation"},
	{concept.Conv | concept.Send, "sending the conversation"},
	{concept.Conv | concept.Include, "attaching the conversation"},
	{concept.Secretly, "secrecy"},
	{concept.Neg | concept.Tell, "withholding"},
	{concept.Shell, "commands"},
	{concept.Destroy, "deletion"},
	{concept.Pay, "payment"},
	{concept.Pay | concept.Urgent, "payment at once"},
	{concept.Send | concept.Outside, "sending outside"},
	{concept.Include | concept.Outside, "keeping outside"},
	{concept.Send, "sending"},
	{concept.Ignore, "overriding"},
	{concept.Model, "the model"},
	{concept.Model | concept.Instr, "instructions to the model"},
	{concept.Other | concept.Tool, "other tools"},
	{concept.Other | concept.Tool | concept.Before, "a place before other tools"},
	{concept.Must | concept.Call, "an order to call"},
	{concept.Personal, "personal data"},
	{concept.Personal | concept.Include, "passing personal data"},
	{concept.Personal | concept.Send, "sending personal data"},
	{concept.Must | concept.Before, "precedence"},
	{concept.Prefer | concept.Must, "preference"},
	{concept.Personal | concept.Outside, "personal data for outsiders"},
	{concept.Deceive, "deception"},
	{concept.Now | concept.Other, "a standing order"},
	{concept.Allow | concept.Destroy, "leave to delete"},
}

// About says in words which risks a sentence is about, the most specific ones,
// at most three, or returns "". The words of names such as send_email do not count.
func (v *Reading) About(s *token.Sentence) string {
	var have []risk
	means := concept.Set(0)
	for _, t := range v.Tokens[s.Tok0:s.Tok1] {
		if t.Flags&token.Ident == 0 {
			means |= t.Means
		}
	}

	for _, r := range risks {
		if !means.Has(r.Means) {
			continue
		}

		kept := have[:0]
		covered := false
		for _, h := range have {
			covered = covered || h.Means.Has(r.Means)
			if !r.Means.Has(h.Means) {
				kept = append(kept, h)
			}
		}

		have = kept
		if !covered {
			have = append(have, r)
		}
	}

	var what []string
	for _, r := range have[:min(len(have), 3)] {
		what = append(what, r.What)
	}

	return strings.Join(what, ", ")
}
