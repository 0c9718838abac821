package tool

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Texts that have a meaning only when joined.

// maxShort is the maximum length of the short texts that are joined.
const maxShort = 60

// joinedRuns joins texts that are each a piece of one encoded run, split over
// the fields of a schema, and short texts that form a sentence only when
// joined. It returns "" if there is neither.
func (v *View) joinedRuns() string {
	if pieces, n := v.encodedPieces(); n > 1 && decode.IsEncoded(pieces) {
		return pieces
	}
	var few [64]int
	words := v.shortTexts(few[:0])
	if len(words) < 3 || !v.orders(words) {
		return ""
	}
	var b strings.Builder
	last := KindName
	for _, i := range words {
		f := &v.Fields[i]
		if f.Kind == KindParamName && len(f.Text) < 16 && last != KindParamName && len(words) > 6 {
			continue
		}
		last = f.Kind
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f.Text)
	}
	return b.String()
}

// encodedPieces joins the runs of the fields that may be pieces of an encoded text.
func (v *View) encodedPieces() (pieces string, n int) {
	var b strings.Builder
	for i := range v.Fields {
		f := &v.Fields[i]
		st := &v.Docs[i].Stats
		if st.LongestWord < token.MinRun && (st.LongestWord < 8 || st.Mixed == 0) || f.Kind == KindName || f.Kind == KindParamName || len(f.Text) > 1<<16 {
			continue
		}
		char.Runs(f.Text, &char.Base64, 8, func(run string) bool {
			if decode.EncodedRun(run) {
				b.WriteString(run)
				n++
			}
			return n < 64
		})
	}
	return b.String(), n
}

// shortTexts lists the fields of a schema with short texts other than prose.
func (v *View) shortTexts(list []int) []int {
	for i := range v.Fields {
		f := &v.Fields[i]
		if f.Kind >= KindParamName && f.Kind != KindTitle && f.Layer == "" && len(f.Text) <= maxShort && len(list) < 256 {
			list = append(list, i)
		}
	}
	return list
}

// orders reports whether some fields together may form an order. An order that
// was split into words needs an object that orders are about.
func (v *View) orders(fields []int) bool {
	var mask concept.Set
	total, stops := 0, 0
	for _, i := range fields {
		for _, t := range v.Tokens[v.Docs[i].Tok0:v.Docs[i].Tok1] {
			mask |= t.Means
			total++
			if t.Means.Any(concept.Stop) {
				stops++
			}
		}
	}
	switch {
	case total >= 8 && stops*5 >= total && mask.Any(concept.Deeds|concept.Ignore|concept.Tell),
		mask.Any(concept.Ignore) && mask.Any(concept.Instr),
		mask.Has(concept.Neg | concept.Tell | concept.User),
		mask.Any(concept.Deeds) && mask.Any(concept.CredPath|concept.Secret) && mask.Any(concept.Send|concept.Include|concept.Read) && mask.Any(concept.Stop),
		mask.Has(concept.System | concept.Instr):
		return true
	}
	return false
}

// joinedValues joins the values of a schema (enum, default, example) if they
// contain function words, which sentences have and values do not.
func (v *View) joinedValues() string {
	total, stops := 0, 0
	var list []int
	for i := range v.Fields {
		switch f := &v.Fields[i]; f.Kind {
		case KindEnum, KindDefault, KindExample:
			if f.Layer == "" && len(f.Text) <= 60 && len(list) < 256 {
				list = append(list, i)
				for _, t := range v.Tokens[v.Docs[i].Tok0:v.Docs[i].Tok1] {
					total++
					if t.Means.Any(concept.Stop) {
						stops++
					}
				}
			}
		}
	}
	if len(list) < 3 || total < 6 || stops*6 < total {
		return ""
	}
	var b strings.Builder
	for _, i := range list {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(v.Fields[i].Text)
	}
	return b.String()
}
