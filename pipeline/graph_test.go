package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCycles(t *testing.T) {
	for name, tt := range map[string]struct {
		edges [][]int
		want  string
	}{
		"none":          {[][]int{{1, 2}, {2}, {}}, "[]"},
		"self":          {[][]int{{0}}, "[[0]]"},
		"ring":          {[][]int{{1}, {2}, {0}}, "[[0 1 2]]"},
		"two apart":     {[][]int{{1}, {0}, {3}, {2}}, "[[0 1] [2 3]]"},
		"two, one node": {[][]int{{1, 2}, {0}, {0}}, "[[0 1] [0 2]]"},
		"behind":        {[][]int{{1}, {2}, {1}}, "[[1 2]]"},
		"nested":        {[][]int{{1}, {2, 0}, {0}}, "[[0 1] [0 1 2]]"},
	} {
		if got := fmt.Sprint(cycles(tt.edges)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestGraphProperties checks on random graphs that every listed path is a cycle, that
// each is listed once, that every edge on a cycle is listed within the limits, and that
// order respects all edges between nodes that are not on a cycle and do not depend on
// one.
func TestGraphProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + r.IntN(7)
		edges := make([][]int, n)
		for u := range edges {
			for v := range n {
				if r.IntN(5) == 0 {
					edges[u] = append(edges[u], v)
				}
			}
		}
		reach := make([][]bool, n) // by at least one edge
		for u := range reach {
			reach[u] = make([]bool, n)
			for _, v := range edges[u] {
				reach[u][v] = true
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		covered := map[[2]int]bool{}
		seen := map[string]bool{}
		for _, c := range cycles(edges) {
			if seen[fmt.Sprint(c)] || c[0] != slices.Min(c) {
				t.Fatalf("%v: %v is listed twice or turned", edges, c)
			}
			seen[fmt.Sprint(c)] = true
			for i, u := range c {
				v := c[(i+1)%len(c)]
				if !slices.Contains(edges[u], v) {
					t.Fatalf("%v: %v is no cycle", edges, c)
				}
				covered[[2]int{u, v}] = true
			}
		}
		sorted := order(edges)
		if len(sorted) != n {
			t.Fatalf("%v: order has %d nodes", edges, len(sorted))
		}
		for u := range edges {
			tangled := false
			for v := range n {
				tangled = tangled || reach[v][v] && (u == v || reach[u][v])
			}
			for _, v := range edges[u] {
				if (reach[v][u] || u == v) && !covered[[2]int{u, v}] {
					t.Fatalf("%v: the edge %d -> %d is on a cycle that is not listed", edges, u, v)
				}
				if !tangled && slices.Index(sorted, v) > slices.Index(sorted, u) {
					t.Fatalf("%v: %d comes after %d in %v", edges, v, u, sorted)
				}
			}
		}
	}
}

// Long chains and large strongly connected components need neither much time nor a
// deep stack.
func TestLargeGraphs(t *testing.T) {
	const n = 50_000
	ring := make([][]int, n)
	for i := range ring {
		ring[i] = []int{(i + 1) % n}
	}
	if got := cycles(ring); len(got) != 1 || len(got[0]) != n {
		t.Errorf("%d cycles", len(got))
	}
	ring[n-1] = nil
	if got := cycles(ring); len(got) != 0 {
		t.Errorf("%d cycles of a chain", len(got))
	}
	if got := order(ring); got[0] != n-1 || got[n-1] != 0 {
		t.Error("the chain is out of order")
	}
	full := make([][]int, 60)
	for i := range full {
		for j := range full {
			full[i] = append(full[i], j)
		}
	}
	if got := cycles(full); len(got) != maxCycles {
		t.Errorf("%d cycles, want %d", len(got), maxCycles)
	}
}
