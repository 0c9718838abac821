package reference

import (
	"cmp"
	"math"
	"slices"

	bm25 "github.com/blevesearch/bleve/v2/search"

	"github.com/touchstone-eval/touchstone/contracts"
)

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

// clause is a search for a term in a field.
type clause struct {
	field   int
	term    string
	holders int
	weight  float64 // of the term, before normalisation over the query
	idf     float64
}

// clauses returns the clauses of a question by field, in the order in which bleve adds
// up their scores: the rarest first, unless there are many.
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

		if len(list) <= 10 {
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
	best := w.find(q, limit)
	ids := make([]contracts.ToolID, len(best))
	for i, h := range best {
		ids[i] = h.id
	}
	return ids
}

// find also returns the scores, before rounding.
func (w *Variant) find(q Question, limit int) []hit {
	if len(q.terms) == 0 || len(w.base.ids) == 0 || limit < 1 {
		return nil
	}

	fields := w.clauses(q)
	squares := 0.0
	for _, list := range fields {
		sum := 0.0
		for _, c := range list {
			sum += c.weight * c.weight
		}

		squares += sum
	}

	norm := 1 / math.Sqrt(squares)
	for _, list := range fields {
		for _, c := range list {
			w.score(c, c.weight*norm)
		}

		terms := float64(len(list))
		w.sums.take(func(tool int, sum float64, count int) { w.totals.add(tool, sum*(float64(count)/terms)) })
	}

	top := newTop(min(limit+extraHits, len(w.base.ids)))
	w.totals.take(func(tool int, sum float64, count int) {
		top.add(hit{w.base.ids[tool], sum * (float64(count) / float64(len(searchFields)))})
	})
	return top.ranked(limit)
}

// score adds a clause's score to each tool that contains its term.
func (w *Variant) score(c clause, weight float64) {
	lengths := w.lengths[c.field]
	add := func(p posting) {
		score := c.idf * (p.tf * bm25.BM25_k1) / (p.tf + lengths[p.tool])
		if weight != 1 {
			score *= weight
		}
		w.sums.add(p.tool, score)
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
