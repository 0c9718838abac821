package similarity

import (
	"cmp"
	"slices"
)

// tree is the result of hierarchical clustering.
type tree struct {
	n      int
	merges []merge // the highest similarity first
}

// merge joins the groups of the tools a and b, a < b, at their average
// similarity. Each is the smallest tool of its group.
type merge struct {
	a, b       int
	similarity float64
}

// cluster groups tools by average linkage (UPGMA, Sokal and Michener 1958). It
// follows chains of nearest neighbours (Murtagh 1983), in O(n²) time and 4
// bytes a pair. Ties go to the tool with the smaller number, so that the tree
// depends only on the scores.
func cluster(m *Matrix) *tree {
	d := &Matrix{m.n, slices.Clone(m.cells)}
	size := make([]int, m.n)
	for i := range size {
		size[i] = 1
	}

	t := &tree{n: m.n}
	var chain []int
	for len(t.merges) < m.n-1 {
		if len(chain) == 0 {
			chain = append(chain, slices.IndexFunc(size, func(s int) bool { return s > 0 }))
		}

		last := chain[len(chain)-1]
		before := -1
		if len(chain) > 1 {
			before = chain[len(chain)-2]
		}

		next := nearest(d, size, last, before)
		if next != before {
			chain = append(chain, next)
			continue
		}

		chain = chain[:len(chain)-2]
		a, b := min(last, next), max(last, next)
		t.merges = append(t.merges, merge{a, b, d.At(a, b)})
		join(d, size, a, b)
	}

	// The chain finds merges out of order. A stable sort puts each merge behind
	// those that it depends on, because average linkage has no inversions.
	slices.SortStableFunc(t.merges, func(x, y merge) int { return cmp.Compare(y.similarity, x.similarity) })
	return t
}

// nearest returns the group that is most similar to i. before wins ties, which
// ends the chain.
func nearest(d *Matrix, size []int, i, before int) int {
	best, score := -1, -1.0
	if before >= 0 {
		best, score = before, d.At(i, before)
	}

	for j := range size {
		if j == i || size[j] == 0 {
			continue
		}

		if s := d.At(i, j); s > score {
			best, score = j, s
		}
	}

	return best
}

// join merges the group of b into that of a.
func join(d *Matrix, size []int, a, b int) {
	for k := range size {
		if k == a || k == b || size[k] == 0 {
			continue
		}
		average := (float64(size[a])*d.At(a, k) + float64(size[b])*d.At(b, k)) / float64(size[a]+size[b])
		i, j := max(a, k), min(a, k)
		d.cells[i*(i-1)/2+j] = float32(average)
	}
	size[a], size[b] = size[a]+size[b], 0
}

// order returns the tools so that early merges are neighbours.
func (t *tree) order() []int {
	groups := make([][]int, t.n)
	for i := range groups {
		groups[i] = []int{i}
	}
	t.each(-1, groups)
	if t.n == 0 {
		return nil
	}
	return groups[0]
}

// groups returns the groups of at least two tools that merged at or above the
// threshold, in the order of their smallest tool.
func (t *tree) groups(threshold float64) [][]int {
	groups := make([][]int, t.n)
	for i := range groups {
		groups[i] = []int{i}
	}

	t.each(threshold, groups)
	var list [][]int
	for _, g := range groups {
		if len(g) > 1 {
			slices.Sort(g)
			list = append(list, g)
		}
	}

	return list
}

// each applies the merges down to a similarity. A group is stored at the index
// of its smallest tool.
func (t *tree) each(threshold float64, groups [][]int) {
	root := make([]int, t.n)
	for i := range root {
		root[i] = i
	}

	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}

		return i
	}
	for _, m := range t.merges {
		if m.similarity < threshold {
			return
		}

		a, b := find(m.a), find(m.b)
		a, b = min(a, b), max(a, b)
		groups[a] = append(groups[a], groups[b]...)
		groups[b], root[b] = nil, a
	}
}
