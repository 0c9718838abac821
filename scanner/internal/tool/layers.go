package tool

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
func (v *View) decode(lex *lexicon.Lexicon) {
	budget := decode.MaxDecoded
	for i := range v.Docs {
		budget += 2 * len(v.Docs[i].Text)
	}
	joined := v.joinedRuns()
	if values := v.joinedValues(); values != "" {
		v.addLayer(lex, Field{Kind: KindJoined, Text: values, Layer: decode.ValuesInSequence}, &budget)
	}
	if joined != "" {
		v.addLayer(lex, Field{Kind: KindJoined, Text: joined, Layer: decode.FieldsInSequence}, &budget)
	}
	for i := 0; i < len(v.Docs); i++ {
		if f := &v.Fields[v.Docs[i].Field]; len(f.Text) < 2*decode.MinDecoded || f.Layer != "" && strings.Count(f.Layer, ">") >= maxLayers-1 {
			continue
		}
		f := v.Fields[v.Docs[i].Field]
		if !f.Plain {
			for _, dec := range decode.RawDecoders {
				if v.addDecoded(lex, f, dec.Name, dec.Find(f.Text), &budget) && decode.Respells(dec.Name) {
					v.Docs[i].Read = true
				}
			}
		}
		for set := decode.Worth(&v.Docs[i]); set != 0; set &= set - 1 {
			text, name := set.First().Decode(&v.Docs[i])
			if text == "" {
				continue
			}
			if v.addDecoded(lex, f, name, text, &budget) && decode.Respells(name) {
				v.Docs[i].Read = true
			}
		}
	}
}

// addDecoded adds a layer; false when there is nothing to add.
func (v *View) addDecoded(lex *lexicon.Lexicon, from Field, name, text string, budget *int) bool {
	if len(text) < decode.MinDecoded || text == from.Text {
		return false
	}
	if from.Layer != "" {
		name = from.Layer + decode.Nested + name
	}
	from.Layer, from.Text = name, text
	return v.addLayer(lex, from, budget)
}

// addLayer adds a field for what was found, as far as the budget goes; false
// when it has to be cut.
func (v *View) addLayer(lex *lexicon.Lexicon, f Field, budget *int) (whole bool) {
	whole = true
	if len(f.Text) > *budget {
		whole = false
		if *budget < decode.MinDecoded {
			return false
		}
		f.Text = strings.ToValidUTF8(f.Text[:*budget], "")
	}
	*budget -= len(f.Text)
	f.Plain = char.PlainASCII(f.Text)
	v.Fields = append(v.Fields, f)
	v.analyzeField(lex, len(v.Fields)-1)
	return whole
}

// Encodes says whether something deliberate was decoded from a field of a kind.
func (v *View) Encodes(kind Kind) bool {
	for i := range v.Fields {
		if f := &v.Fields[i]; f.Kind == kind && f.Layer != "" && decode.Deliberate(f.Layer) {
			return true
		}
	}
	return false
}

// HidesCode says whether something deliberate was decoded from a field as it
// stands, so that not all of it is prose.
func (v *View) HidesCode(i int) bool {
	f := &v.Fields[i]
	if f.Layer != "" {
		return false
	}
	for k := range v.Fields {
		if g := &v.Fields[k]; g.Layer != "" && g.Kind == f.Kind && g.Param == f.Param && decode.Deliberate(g.Layer) {
			return true
		}
	}
	return false
}

// joinedRuns puts texts together that are each a piece of one encoded run,
// split over the fields of a schema; and short texts that make a sentence
// only in sequence.
func (v *View) joinedRuns() string {
	var few [64]int
	words := few[:0]
	var mask concept.Set
	var pieces strings.Builder
	n, total, stops := 0, 0, 0
	for i := range v.Fields {
		f := &v.Fields[i]
		if d := &v.Docs[i]; (d.Stats.LongestWord >= token.MinRun || d.Stats.LongestWord >= 8 && d.Stats.Mixed > 0) && f.Kind != KindName && f.Kind != KindParamName && len(f.Text) <= 1<<16 {
			char.Runs(f.Text, &char.Base64, 8, func(run string) bool {
				if decode.EncodedRun(run) {
					pieces.WriteString(run)
					n++
				}
				return n < 64
			})
		}
		if f.Kind < KindParamName || f.Kind == KindTitle || f.Layer != "" {
			continue
		}
		if len(f.Text) <= 60 && len(words) < 256 {
			words = append(words, i)
			for _, t := range v.Tokens[v.Docs[i].Tok0:v.Docs[i].Tok1] {
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
	}
	return b.String()
}

// joinedValues puts the values of a schema (enum, default, example) in
// sequence when they hold the small words that sentences have and values have
// not.
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
