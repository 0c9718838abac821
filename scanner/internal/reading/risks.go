package reading

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Risk is something that sentences of attacks are about.
type Risk struct {
	Means concept.Set // that a sentence has together
	// Weight is that of an update whose text gains it: 1 is worth a review.
	Weight float64
	What   string // as a noun
}

// Risks lists what sentences of attacks are about.
var Risks = []Risk{
	{concept.CredPath, 1.5, "files with credentials"},
	{concept.Secret, 0.6, "secrets"},
	{concept.Secret | concept.Send, 0.5, "sending secrets"},
	{concept.Conv | concept.History, 0.8, "the conversation"},
	{concept.Conv | concept.Whole, 0.9, "the whole conversation"},
	{concept.Conv | concept.Send, 0.7, "sending the conversation"},
	{concept.Conv | concept.Include, 0.9, "attaching the conversation"},
	{concept.Secretly, 0.8, "secrecy"},
	{concept.Neg | concept.Tell, 0.6, "withholding"},
	{concept.Shell, 0.7, "commands"},
	{concept.Destroy, 0.6, "deletion"},
	{concept.Pay, 0.6, "payment"},
	{concept.Pay | concept.Urgent, 0.5, "payment at once"},
	{concept.Send | concept.Outside, 1.4, "sending outside"},
	{concept.Include | concept.Outside, 1, "keeping outside"},
	{concept.Send, 0.4, "sending"},
	{concept.Ignore, 0.5, "overriding"},
	{concept.Model, 0.6, "the model"},
	{concept.Model | concept.Instr, 0.8, "instructions to the model"},
	{concept.Other | concept.Tool, 0.8, "other tools"},
	{concept.Other | concept.Tool | concept.Before, 0.4, "a place before other tools"},
	{concept.Must | concept.Call, 0.5, "an order to call"},
	{concept.Personal, 0.7, "personal data"},
	{concept.Personal | concept.Include, 0.5, "passing personal data"},
	{concept.Personal | concept.Send, 0.5, "sending personal data"},
	{concept.Must | concept.Before, 0.5, "precedence"},
	{concept.Prefer | concept.Must, 0.5, "preference"},
	{concept.Personal | concept.Outside, 0.6, "personal data for outsiders"},
	{concept.Deceive, 0.8, "deception"},
	{concept.Now | concept.Other, 0.6, "a standing order"},
	{concept.Allow | concept.Destroy, 0.6, "leave to delete"},
}

// About says in words which risks a sentence is about, the most specific ones,
// at most three, or returns "". The words of names such as send_email do not count.
func (v *Reading) About(s *token.Sentence) string {
	var have []Risk
	means := concept.Set(0)
	for _, t := range v.Tokens[s.Tok0:s.Tok1] {
		if t.Flags&token.Ident == 0 {
			means |= t.Means
		}
	}
	for _, r := range Risks {
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
