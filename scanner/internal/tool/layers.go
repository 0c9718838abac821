package tool

import (
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// maxLayers bounds how deep encodings may be nested.
const maxLayers = 4

// decode appends a field and its analysis for each text hidden in the docs, and
// then searches the new fields.
func (v *View) decode(lex *lexicon.Lexicon) {
	budget := decode.MaxDecoded
	for i := range v.Docs {
		budget += 2 * len(v.Docs[i].Text)
	}

	if pieces, n := v.encodedPieces(); n > 1 && decode.IsEncoded(pieces) {
		v.addLayer(lex, Field{Kind: KindJoined, Origin: -1, Text: pieces, Layer: decode.FieldsInSequence}, &budget)
	}

	for i := 0; i < len(v.Docs); i++ {
		if f := &v.Fields[v.Docs[i].Field]; len(f.Text) < 2*decode.MinDecoded {
			continue
		} else if f.Layer != "" && strings.Count(f.Layer, ">") >= maxLayers-1 {
			v.deeper(i)
			continue
		}

		f := v.Fields[v.Docs[i].Field]
		if !f.Plain {
			for _, dec := range decode.RawDecoders(v.without) {
				if v.addDecoded(lex, f, dec.Name, dec.Find(f.Text), &budget) && decode.Respells(dec.Name) {
					v.Docs[i].Read = true
				}
			}
		}

		for set := decode.Worth(&v.Docs[i]) &^ v.without; set != 0; set &= set - 1 {
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

// deeper records that a text of the last layer is encoded once more.
func (v *View) deeper(doc int) {
	if !decode.Deliberate(v.Fields[v.Docs[doc].Field].Layer) {
		return
	}
	for set := decode.Worth(&v.Docs[doc]) &^ v.without; set != 0; set &= set - 1 {
		if text, name := set.First().Decode(&v.Docs[doc]); len(text) >= decode.MinDecoded && decode.Deliberate(name) {
			v.unread("text in more than " + strconv.Itoa(maxLayers) + " layers of encoding")
			return
		}
	}
}

// addDecoded adds a layer. It returns false if there is nothing to add.
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

// addLayer adds a field for decoded text, as far as the budget allows. It
// returns false if the text was cut.
func (v *View) addLayer(lex *lexicon.Lexicon, f Field, budget *int) (whole bool) {
	whole = true
	if len(f.Text) > *budget {
		whole = false
		v.unread("decoded text of more than twice the size of the definition")
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
