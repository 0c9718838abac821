package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about carriers: the tool's own parameters, links and files as
// transport for data that it does not need.

// ownParam returns the token with which the sentence names one of this tool's
// parameters, or mentions a parameter at all. It returns -1 for neither.
func (x *passage) ownParam() int {
	for i := range x.toks {
		t := x.toks[i]
		if t.Means.Any(concept.Param) && t.Flags&token.Ident == 0 && x.isWord(i, "parameter", "parameters", "argument", "arguments", "field", "param", "header", "variable",
			"campo", "parámetro", "paramètre", "champ", "feld", "parâmetro", "поле", "поля", "параметр", "параметре", "参数", "字段", "パラメータ", "引数", "フィールド") {
			return i
		}
		if t.Flags&(token.Quote|token.Code|token.Ident) == 0 && !x.sen.Foreign {
			continue
		}
		word := x.word(i)
		if len(word) < 2 {
			continue
		}
		for k := range min(len(x.v.Fields), 64) {
			f := &x.v.Fields[k]
			if f.Kind == tool.KindParamName && !f.Output && (f.Text == word || strings.HasPrefix(f.Text, word) && t.Flags&token.Ident != 0 && x.identifier(i) == f.Text) {
				return i
			}
		}
	}
	return -1
}

// fills reports whether the sentence names, after token i, a parameter of this
// tool to put things into: "in the text".
func (x *passage) fills(i int) bool {
	for k := i + 1; k < len(x.toks); k++ {
		if !x.isWord(k-1, "the", "your", "its") || !x.isWord(k-2, "in", "into", "to", "as") {
			continue
		}
		for n := range min(len(x.v.Fields), 64) {
			if f := &x.v.Fields[n]; f.Kind == tool.KindParamName && !f.Output && f.Text == x.word(k) {
				return true
			}
		}
	}
	return false
}

// protective reports whether a sentence protects data instead of passing it on:
// access is denied, values are masked, nothing is stored.
func (x *passage) protective(at int) bool {
	if at >= 0 && x.withheld(at) {
		return true
	}
	for i := range x.toks {
		if x.isWord(i, "denied", "refused", "masked", "redacted", "excluded", "blocked", "forbidden", "rejected", "stripped", "encrypted", "skipped", "disallowed", "prohibited", "ignored") {
			return true
		}
		if x.toks[i].Means.Any(concept.Neg) && !x.toks[i].Means.Any(concept.Tell|concept.Know) && (abs(i-at) < 12 || i <= 2 && abs(i-at) < 30) && !x.isWord(i, "without", "no", "nothing", "none", "nor") {
			for k := i + 1; k < min(i+4, len(x.toks)) && !x.sen.Foreign; k++ {
				if x.toks[k].Means.Any(concept.Include|concept.Send|concept.Read|concept.Show|concept.Tell|concept.Ask|concept.Call) && !x.isWord(k, "forget", "omit") || x.isWord(k, "pasted", "put", "leave", "leaves") {
					return true
				}
			}
			if v := x.findAny(concept.Include|concept.Send|concept.Read|concept.Tell|concept.Show, 0, len(x.toks)); x.sen.Foreign && v > i && v-i <= 2 && !x.mask.Any(concept.User) {
				return true // it begins with a denial
			}
			if x.sen.Foreign && x.findAny(concept.Read|concept.Include|concept.Send, i-2, i+3) >= 0 && x.findAny(concept.Tell|concept.Know|concept.User, i-2, i+5) < 0 && !x.mask.Any(concept.Must|concept.Before) {
				return true
			}
		}
	}
	return false
}

// carried reports whether the sentence puts the data at token at into one of
// the tool's parameters, whoever does it.
func (x *passage) carried(at int) bool {
	if x.v.Fields[x.doc.Field].Output || x.kind > tool.KindParamDescription && x.kind != tool.KindTitle || x.protective(at) {
		return false
	}
	if x.kind != tool.KindDescription {
		return false
	}
	p := x.ownParam()
	if p < 0 || abs(p-at) < 2 || x.isWord(p, "parameters", "arguments") && abs(p-at) < 4 {
		return false
	}
	// "the key is read from ~/.ssh unless `identity` names another file"
	for i := range x.toks {
		if x.isWord(i, "unless", "path", "paths", "name", "names", "id", "filter", "default", "defaults", "override", "overrides") && abs(i-p) < 4 {
			return false
		}
	}
	return true
}

// byModel reports whether the sentence makes the model itself handle the data.
func (x *passage) byModel(at int) bool {
	m := x.findAny(concept.Model, 0, len(x.toks))
	return m >= 0 && m != at && x.kind == tool.KindDescription && !x.sen.First && !x.about.Any(concept.Model) && !x.protective(at) &&
		x.mask.Any(concept.Include|concept.Send|concept.Read|concept.Call|concept.Memory)
}

// suggested reports whether the sentence recommends, and does not order, to
// pass on the data.
func (x *passage) suggested(at int) bool {
	return x.mask.Any(concept.Should) && x.mask.Any(concept.Include|concept.Send|concept.Read) && x.kind <= tool.KindParamDescription && !x.protective(at) &&
		!(x.kind == tool.KindDescription && x.sen.First) && x.findAny(concept.Neg, 0, at) < 0
}
