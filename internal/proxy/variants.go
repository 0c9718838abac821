package proxy

import (
	"math"
	"sync"

	bm25 "github.com/blevesearch/bleve/v2/search"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Variants is the reference proxy's search, without servers and quarantine, over
// tools some of whose descriptions vary. For each variant it indexes only what
// differs from the tools it was made with, and gives what a new index of the
// variant's tools gives: it computes the scores that bleve computes, from the
// same figures, and a test holds the two together. It is safe for use by
// several goroutines at once.
type Variants struct {
	ids    []contracts.ToolID
	texts  [][]fieldText // by tool and field
	fields []fieldIndex

	mu    sync.Mutex
	known map[string]fieldText // descriptions that were seen before
}

// mostKnown is how many descriptions are kept.
const mostKnown = 20_000

// descriptionField is the place of the description in searchFields.
const descriptionField = 1

// fieldText is a text as it is indexed.
type fieldText struct {
	terms  map[string]int // how often each stands in it
	length int            // of the text, in terms
}

// fieldIndex tells which tools hold a term in a field, in their order.
type fieldIndex map[string][]posting

// posting is a tool that holds a term.
type posting struct {
	tool int
	tf   float64 // the root of how often
}

func newPosting(tool, times int) posting { return posting{tool, math.Sqrt(float64(times))} }

// NewVariants prepares tools, whose ids are distinct.
func NewVariants(tools []contracts.Tool) *Variants {
	v := &Variants{fields: make([]fieldIndex, len(searchFields))}
	for i := range v.fields {
		v.fields[i] = fieldIndex{}
	}
	for i, t := range tools {
		texts := []fieldText{analyzeText(t.Tool), analyzeText(t.Description), analyzeText(t.Server), analyzeText(schemaText(t.Schema))}
		for field, text := range texts {
			for term, times := range text.terms {
				v.fields[field][term] = append(v.fields[field][term], newPosting(i, times))
			}
		}
		v.ids = append(v.ids, t.ToolID)
		v.texts = append(v.texts, texts)
	}
	return v
}

func analyzeText(text string) fieldText {
	tokens := analyze().Analyze([]byte(text))
	t := fieldText{terms: make(map[string]int, len(tokens)), length: len(tokens)}
	for _, token := range tokens {
		t.terms[string(token.Term)]++
	}
	return t
}

// analyzeOnce keeps what it made, since most variants change few descriptions
// against the ones before.
func (v *Variants) analyzeOnce(description string) fieldText {
	v.mu.Lock()
	text, ok := v.known[description]
	v.mu.Unlock()
	if ok {
		return text
	}
	text = analyzeText(description)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known) >= mostKnown {
		v.known = map[string]fieldText{}
	}
	v.known[description] = text
	return text
}

// Question is a query as the search takes it.
type Question struct{ terms []string }

// NewQuestion prepares a query.
func NewQuestion(text string) Question {
	var q Question
	for _, token := range analyze().Analyze([]byte(text)) {
		q.terms = append(q.terms, string(token.Term))
	}
	return q
}

// Variant is the tools with other descriptions for some. It is for one
// goroutine.
type Variant struct {
	base      *Variants
	changed   map[int]fieldText
	isChanged []bool // by tool
	// added are the postings of the changed descriptions, and gone counts
	// those that they replace.
	added fieldIndex
	gone  map[string]int
	// lengths are, by field and tool, the part of a score's denominator that
	// the length of the text decides.
	lengths [][]float64
	// averages are the average lengths by field, as bleve has them.
	averages []float64
	sums     tally
	totals   tally

	toolsWith map[string]int // what ToolsWith found
}

// With gives the tools other descriptions, by their place in the list that the
// variants were made with.
func (v *Variants) With(descriptions map[int]string) *Variant {
	w := &Variant{
		base: v, changed: map[int]fieldText{}, isChanged: make([]bool, len(v.ids)),
		added: fieldIndex{}, gone: map[string]int{}, toolsWith: map[string]int{},
	}
	distinct := len(v.fields[descriptionField])
	for tool, description := range descriptions {
		for term := range v.texts[tool][descriptionField].terms {
			w.gone[term]++
		}
		text := v.analyzeOnce(description)
		for term, times := range text.terms {
			w.added[term] = append(w.added[term], newPosting(tool, times))
		}
		w.changed[tool], w.isChanged[tool] = text, true
	}
	for term, n := range w.gone {
		if n == len(v.fields[descriptionField][term]) && len(w.added[term]) == 0 {
			distinct--
		}
	}
	for term := range w.added {
		if len(v.fields[descriptionField][term]) == 0 {
			distinct++
		}
	}
	for field := range searchFields {
		terms := len(v.fields[field])
		if field == descriptionField {
			terms = distinct
		}
		// What bleve calls the average is the number of distinct terms for
		// each document.
		average := math.Ceil(float64(terms) / float64(len(v.ids)))
		lengths := make([]float64, len(v.ids))
		for tool := range v.ids {
			norm := float64(float32(1 / math.Sqrt(float64(w.text(tool, field).length))))
			length := 1 / (norm * norm)
			lengths[tool] = bm25.BM25_k1 * (1 - bm25.BM25_b + (bm25.BM25_b * length / average))
		}
		w.averages = append(w.averages, average)
		w.lengths = append(w.lengths, lengths)
	}
	w.sums.scores, w.totals.scores = make([]float64, len(v.ids)), make([]float64, len(v.ids))
	w.sums.counts, w.totals.counts = make([]int, len(v.ids)), make([]int, len(v.ids))
	return w
}

// holders counts the tools that hold a term in a field.
func (w *Variant) holders(field int, term string) int {
	n := len(w.base.fields[field][term])
	if field == descriptionField {
		n += len(w.added[term]) - w.gone[term]
	}
	return n
}

// postings calls yield with each tool that holds a term in a field.
func (w *Variant) postings(field int, term string, yield func(posting)) {
	for _, p := range w.base.fields[field][term] {
		if field == descriptionField && w.isChanged[p.tool] {
			continue
		}
		yield(p)
	}
	if field == descriptionField {
		for _, p := range w.added[term] {
			yield(p)
		}
	}
}

// text is what a tool holds in a field.
func (w *Variant) text(tool, field int) fieldText {
	if field == descriptionField && w.isChanged[tool] {
		return w.changed[tool]
	}
	return w.base.texts[tool][field]
}
