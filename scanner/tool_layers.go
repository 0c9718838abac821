package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// maxLayers bounds how deep encodings may be nested.
const maxLayers = 4

// decode appends a field and its analysis for each text that hides in the
// docs from..to, and goes on with what it found.
func (v *view) decode(lex *lexicon.Lexicon) {
	budget := decode.MaxDecoded
	for i := range v.docs {
		budget += 2 * len(v.docs[i].Text)
	}
	joined := v.joinedRuns()
	if values := v.joinedValues(); values != "" {
		v.addLayer(lex, field{kind: kindJoined, text: values, layer: decode.ValuesInSequence}, &budget)
	}
	if joined != "" {
		v.addLayer(lex, field{kind: kindJoined, text: joined, layer: decode.FieldsInSequence}, &budget)
	}
	for i := 0; i < len(v.docs); i++ {
		if f := &v.fields[v.docs[i].Field]; len(f.text) < 2*decode.MinDecoded || f.layer != "" && strings.Count(f.layer, ">") >= maxLayers-1 {
			continue
		}
		f := v.fields[v.docs[i].Field]
		if !f.plain {
			for _, dec := range decode.RawDecoders {
				if v.addDecoded(lex, f, dec.Name, dec.Find(f.text), &budget) && decode.Respells(dec.Name) {
					v.docs[i].Read = true
				}
			}
		}
		for set := decode.Worth(&v.docs[i]); set != 0; set &= set - 1 {
			text, name := set.First().Decode(&v.docs[i])
			if text == "" {
				continue
			}
			if v.addDecoded(lex, f, name, text, &budget) && decode.Respells(name) {
				v.docs[i].Read = true
			}
		}
	}
}

// addDecoded adds a layer; false when there is nothing to add.
func (v *view) addDecoded(lex *lexicon.Lexicon, from field, name, text string, budget *int) bool {
	if len(text) < decode.MinDecoded || text == from.text {
		return false
	}
	if from.layer != "" {
		name = from.layer + decode.Nested + name
	}
	from.layer, from.text = name, text
	return v.addLayer(lex, from, budget)
}

// addLayer adds a field for what was found, as far as the budget goes; false
// when it has to be cut.
func (v *view) addLayer(lex *lexicon.Lexicon, f field, budget *int) (whole bool) {
	whole = true
	if len(f.text) > *budget {
		whole = false
		if *budget < decode.MinDecoded {
			return false
		}
		f.text = strings.ToValidUTF8(f.text[:*budget], "")
	}
	*budget -= len(f.text)
	f.plain = char.PlainASCII(f.text)
	v.fields = append(v.fields, f)
	v.analyzeField(lex, len(v.fields)-1)
	return whole
}

// encodes says whether something deliberate was decoded from a field of a kind.
func (v *view) encodes(kind fieldKind) bool {
	for i := range v.fields {
		if f := &v.fields[i]; f.kind == kind && f.layer != "" && decode.Deliberate(f.layer) {
			return true
		}
	}
	return false
}

// hidesCode says whether something deliberate was decoded from a field as it
// stands, so that not all of it is prose.
func (v *view) hidesCode(i int) bool {
	f := &v.fields[i]
	if f.layer != "" {
		return false
	}
	for k := range v.fields {
		if g := &v.fields[k]; g.layer != "" && g.kind == f.kind && g.param == f.param && decode.Deliberate(g.layer) {
			return true
		}
	}
	return false
}

// joinedRuns puts texts together that are each a piece of one encoded run,
// split over the fields of a schema; and short texts that make a sentence
// only in sequence.
func (v *view) joinedRuns() string {
	var few [64]int
	words := few[:0]
	var mask concept.Set
	var pieces strings.Builder
	n, total, stops := 0, 0, 0
	for i := range v.fields {
		f := &v.fields[i]
		if d := &v.docs[i]; (d.Stats.LongestWord >= token.MinRun || d.Stats.LongestWord >= 8 && d.Stats.Mixed > 0) && f.kind != kindName && f.kind != kindParamName && len(f.text) <= 1<<16 {
			char.Runs(f.text, &char.Base64, 8, func(run string) bool {
				if decode.EncodedRun(run) {
					pieces.WriteString(run)
					n++
				}
				return n < 64
			})
		}
		if f.kind < kindParamName || f.kind == kindTitle || f.layer != "" {
			continue
		}
		if len(f.text) <= 60 && len(words) < 256 {
			words = append(words, i)
			for _, t := range v.tokens[v.docs[i].Tok0:v.docs[i].Tok1] {
				mask |= t.Means
				total++
				if t.Means.Any(concept.Stop) {
					stops++
				}
			}
		}
	}
	var b strings.Builder
	if n > 1 {
		if text := pieces.String(); decode.IsEncoded(text) {
			return text
		}
	}
	// An order cut into words needs an object that orders are about.
	if len(words) > 2 && (total >= 8 && stops*5 >= total && mask.Any(concept.Deeds|concept.Ignore|concept.Tell) || mask.Any(concept.Ignore) && mask.Any(concept.Instr) || mask.Has(concept.Neg|concept.Tell|concept.User) ||
		mask.Any(concept.Deeds) && mask.Any(concept.CredPath|concept.Secret) && mask.Any(concept.Send|concept.Include|concept.Read) && mask.Any(concept.Stop) || mask.Has(concept.System|concept.Instr)) {
		last := kindName
		for _, i := range words {
			f := &v.fields[i]
			if f.kind == kindParamName && len(f.text) < 16 && last != kindParamName && len(words) > 6 {
				continue
			}
			last = f.kind
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(f.text)
		}
	}
	return b.String()
}

// joinedValues puts the values of a schema (enum, default, example) in
// sequence when they hold the small words that sentences have and values have
// not.
func (v *view) joinedValues() string {
	total, stops := 0, 0
	var list []int
	for i := range v.fields {
		switch f := &v.fields[i]; f.kind {
		case kindEnum, kindDefault, kindExample:
			if f.layer == "" && len(f.text) <= 60 && len(list) < 256 {
				list = append(list, i)
				for _, t := range v.tokens[v.docs[i].Tok0:v.docs[i].Tok1] {
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
		b.WriteString(v.fields[i].text)
	}
	return b.String()
}
