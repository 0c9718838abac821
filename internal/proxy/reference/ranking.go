package reference

import (
	"cmp"
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The parameters of BM25, with the defaults of most implementations.
const (
	k1 = 1.2
	b  = 0.75
)

// A score is computed as the search library bleve does for a boolean query over several fields; see
// docs/decisions/2026-11-29-one-search-of-the-reference-proxy.md. It is BM25 with the square root of the number
// of occurrences, and with the average of distinct terms instead of the average length. The scores of
// a query are normalized and multiplied by the share of its terms that a field contains.
// Conversions to float64 keep processors from fusing a product and a sum, which changes the last bit.

// tally sums scores by tool.
type tally struct {
	scores []float64
	counts []int
	tools  []int // that have a count
}

func (t *tally) add(tool int, score float64) {
	if t.counts[tool] == 0 {
		t.tools = append(t.tools, tool)
	}
	t.counts[tool]++
	t.scores[tool] += score
}

// take calls yield with the sum and count of each tool, and resets the tally.
func (t *tally) take(yield func(tool int, sum float64, count int)) {
	for _, tool := range t.tools {
		yield(tool, t.scores[tool], t.counts[tool])
		t.scores[tool], t.counts[tool] = 0, 0
	}
	t.tools = t.tools[:0]
}

// sums are the tallies of one query. A pool keeps them, because they hold every tool.
type sums struct {
	field tally // of one field
	total tally
}

func newSums(tools int) *sums {
	tally := func() tally { return tally{scores: make([]float64, tools), counts: make([]int, tools)} }
	return &sums{tally(), tally()}
}

// clause is a search for a term in a field.
type clause struct {
	field   int
	term    string
	holders int
	weight  float64 // of the term, before normalisation over the query
	idf     float64
}

// mostSorted is the number of clauses up to which they are added up in the order of their rarity.
const mostSorted = 10

// clauses returns the clauses of a question by field, in the order in which their scores are added up:
// the rarest first, unless there are many.
func (w *Variant) clauses(q Question) [][]clause {
	tools := float64(len(w.base.ids))
	var all [][]clause
	for field, f := range searchFields {
		var list []clause
		for _, term := range q.terms {
			c := clause{field: field, term: term, holders: w.holders(field, term)}
			if n := float64(c.holders); w.averages[field] > 0 {
				c.idf = math.Log(1 + (tools-n+0.5)/(n+0.5))
			} else {
				c.idf = 1 + math.Log(tools/(n+1))
			}

			c.weight = f.boost * c.idf
			list = append(list, c)
		}

		if len(list) <= mostSorted {
			slices.SortStableFunc(list, func(a, b clause) int { return cmp.Compare(a.holders, b.holders) })
		}

		all = append(all, list)
	}

	slices.SortStableFunc(all, func(a, b []clause) int { return cmp.Compare(countHolders(a), countHolders(b)) })
	return all
}

func countHolders(list []clause) (n int) {
	for _, c := range list {
		n += c.holders
	}
	return n
}

// Find returns the ids of at most limit tools, the best first.
func (w *Variant) Find(q Question, limit int) []contracts.ToolID {
	best, _ := w.find(q, limit)
	return ids(best)
}

// find also returns the scores, before rounding, and the number of tools that contain a term.
func (w *Variant) find(q Question, limit int) ([]hit, int) {
	if len(q.terms) == 0 || len(w.base.ids) == 0 || limit < 1 {
		return nil, 0
	}

	fields := w.clauses(q)
	squares := 0.0
	for _, list := range fields {
		sum := 0.0
		for _, c := range list {
			sum += float64(c.weight * c.weight)
		}

		squares += sum
	}

	s := w.base.pool.Get().(*sums)
	defer w.base.pool.Put(s)
	norm := 1 / math.Sqrt(squares)
	for _, list := range fields {
		for _, c := range list {
			w.score(&s.field, c, c.weight*norm)
		}

		terms := float64(len(list))
		s.field.take(func(tool int, sum float64, count int) { s.total.add(tool, sum*(float64(count)/terms)) })
	}

	found := len(s.total.tools)
	top := newTop(min(limit+extraHits, len(w.base.ids)))
	s.total.take(func(tool int, sum float64, count int) {
		top.add(hit{w.base.ids[tool], sum * (float64(count) / float64(len(searchFields)))})
	})
	return top.ranked(limit), found
}

// extraHits is the number of tools kept beyond the limit, because tools may tie across it after rounding.
const extraHits = 20

// score adds a clause's score to each tool that contains its term.
func (w *Variant) score(to *tally, c clause, weight float64) {
	lengths := w.lengths[c.field]
	add := func(p posting) {
		score := c.idf * (p.tf * k1) / (p.tf + lengths[p.tool])
		to.add(p.tool, float64(score*weight))
	}
	w.postings(c.field, c.term, add)
}

// top keeps the best hits.
type top struct {
	hits []hit
	most int
}

func newTop(most int) *top { return &top{make([]hit, 0, most+1), most} }

func (t *top) add(h hit) {
	if len(t.hits) == t.most && compareHits(h, t.hits[t.most-1]) > 0 {
		return
	}
	t.hits = append(t.hits, h)
	for i := len(t.hits) - 1; i > 0 && compareHits(t.hits[i], t.hits[i-1]) < 0; i-- {
		t.hits[i], t.hits[i-1] = t.hits[i-1], t.hits[i]
	}
	t.hits = t.hits[:min(len(t.hits), t.most)]
}

// ranked returns at most limit hits in the order of the proxy: hits with the same
// rounded score are sorted by id. It only rounds scores that are close to each other,
// because rounding costs more than computing the scores.
func (t *top) ranked(limit int) []hit {
	for from := 0; from < min(limit, len(t.hits)); {
		to := from + 1
		for to < len(t.hits) && sameRounded(t.hits[from].score, t.hits[to].score) {
			to++
		}
		slices.SortFunc(t.hits[from:to], func(a, b hit) int { return cmp.Compare(a.id, b.id) })
		from = to
	}
	return t.hits[:min(limit, len(t.hits))]
}

// sameRounded reports whether two scores are equal after rounding. Scores with equal
// rounding to six digits never differ by more than a hundred-thousandth.
func sameRounded(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 2e-5*math.Abs(a) && roundScore(a) == roundScore(b)
}
