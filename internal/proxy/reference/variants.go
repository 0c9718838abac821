package reference

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Variants is the search of the reference proxy over tools with varying descriptions. For each
// variant it only indexes what differs from the original tools, and returns the results of a new
// index of the variant's tools. It is safe for concurrent use.
type Variants struct {
	ids    []contracts.ToolID
	texts  [][]fieldText // by tool and field
	fields []fieldIndex
	pool   sync.Pool // of *sums

	mu    sync.Mutex
	known map[string]fieldText // analysed descriptions
}

// maxAnalyzed is the maximum number of descriptions in Variants.known.
const maxAnalyzed = 20_000

// fieldText is an analysed text.
type fieldText struct {
	terms  []termCount // sorted by term
	length int         // number of words
}

// termCount is a term and the number of its occurrences.
type termCount struct {
	term  string
	times int
}

func (t fieldText) contains(term string) bool {
	_, found := slices.BinarySearchFunc(t.terms, term, func(c termCount, term string) int {
		return strings.Compare(c.term, term)
	})
	return found
}

// fieldIndex maps a term to the tools that contain it in a field, in their order.
type fieldIndex map[string][]posting

// posting is a tool that contains a term.
type posting struct {
	tool int
	tf   float64 // square root of the number of occurrences
}

func newPosting(tool, times int) posting { return posting{tool, math.Sqrt(float64(times))} }

// NewVariants prepares tools, which must have distinct ids.
func NewVariants(tools []contracts.Tool) *Variants { return newVariants(records(tools)) }

func newVariants(tools []*toolRecord) *Variants {
	v := &Variants{fields: make([]fieldIndex, len(searchFields))}
	v.pool.New = func() any { return newSums(len(tools)) }
	for i := range v.fields {
		v.fields[i] = fieldIndex{}
	}

	for i, t := range tools {
		texts := make([]fieldText, len(searchFields))
		for field, text := range fieldTexts(t) {
			texts[field] = analyzeText(text)
		}

		for field, text := range texts {
			for _, c := range text.terms {
				v.fields[field][c.term] = append(v.fields[field][c.term], newPosting(i, c.times))
			}
		}

		v.ids = append(v.ids, t.id)
		v.texts = append(v.texts, texts)
	}

	return v
}

func analyzeText(text string) fieldText {
	words := analyze(text)
	t := fieldText{length: len(words)}
	slices.Sort(words)
	for i, term := range words {
		if i == 0 || term != words[i-1] {
			t.terms = append(t.terms, termCount{term: term})
		}
		t.terms[len(t.terms)-1].times++
	}
	t.terms = slices.Clip(t.terms)
	return t
}

// analyzeOnce caches its results, because most variants share most descriptions with
// earlier ones.
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
	if v.known == nil || len(v.known) >= maxAnalyzed {
		v.known = map[string]fieldText{}
	}

	v.known[description] = text
	return text
}

// Question is a query, prepared for the search.
type Question struct{ terms []string }

// NewQuestion prepares a query.
func NewQuestion(text string) Question { return Question{analyze(text)} }

// Variant is the set of tools with some descriptions replaced. Its search is safe for
// concurrent use; ToolsWith is not.
type Variant struct {
	base      *Variants
	changed   map[int]fieldText
	isChanged []bool // by tool
	// added holds the postings of the changed descriptions. gone counts the
	// postings that they replace.
	added fieldIndex
	gone  map[string]int
	// lengths holds, by field and tool, the part of a score's denominator that
	// depends on the length of the text.
	lengths  [][]float64
	averages []float64 // average lengths by field

	toolsWith map[string]int // cached results of ToolsWith
}

// With returns a variant with other descriptions. The keys are indexes of tools in the
// list that the variants were made from.
func (v *Variants) With(descriptions map[int]string) *Variant {
	w := &Variant{
		base: v, changed: map[int]fieldText{}, isChanged: make([]bool, len(v.ids)),
		added: fieldIndex{}, gone: map[string]int{}, toolsWith: map[string]int{},
	}
	distinct := len(v.fields[descriptionField])
	for tool, description := range descriptions {
		for _, c := range v.texts[tool][descriptionField].terms {
			w.gone[c.term]++
		}

		text := v.analyzeOnce(description)
		for _, c := range text.terms {
			w.added[c.term] = append(w.added[c.term], newPosting(tool, c.times))
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

		average := math.Ceil(float64(terms) / float64(len(v.ids)))
		lengths := make([]float64, len(v.ids))
		for tool := range v.ids {
			norm := float64(float32(1 / math.Sqrt(float64(w.text(tool, field).length))))
			length := 1 / (norm * norm)
			lengths[tool] = k1 * (1 - b + (b * length / average))
		}

		w.averages = append(w.averages, average)
		w.lengths = append(w.lengths, lengths)
	}

	return w
}

// holders returns the number of tools that contain a term in a field.
func (w *Variant) holders(field int, term string) int {
	n := len(w.base.fields[field][term])
	if field == descriptionField {
		n += len(w.added[term]) - w.gone[term]
	}
	return n
}

// postings calls yield with each tool that contains a term in a field.
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

// text returns the text of a tool in a field.
func (w *Variant) text(tool, field int) fieldText {
	if field == descriptionField && w.isChanged[tool] {
		return w.changed[tool]
	}
	return w.base.texts[tool][field]
}
