package pipeline

import (
	"container/heap"
	"fmt"
	"slices"
)

// maxCycles limits the reported cycles of one strongly connected component, maxCycleSearches the
// number of its edges that are searched.
const (
	maxCycles        = 20
	maxCycleSearches = 500
)

// cycles lists cycles of a graph, given as the successors of each node. Every edge on a cycle is on
// a listed cycle. Each cycle is listed once and starts with its smallest node, and the cycles are
// sorted by these nodes. Removing all listed cycles removes nearly all others too. It does not list
// all elementary cycles, because their number is exponential.
func cycles(edges [][]int) [][]int {
	component := components(edges)
	var found [][]int
	perComponent, searches := map[int]int{}, map[int]int{}
	seen, covered := map[string]bool{}, map[[2]int]bool{}
	for u := range edges {
		for _, v := range edges[u] {
			if component[u] != component[v] || covered[[2]int{u, v}] || perComponent[component[u]] >= maxCycles {
				continue
			}

			if searches[component[u]]++; searches[component[u]] > maxCycleSearches {
				continue
			}

			path := shortest(edges, component, v, u)
			if path == nil {
				continue
			}

			// Rotate the cycle so that the smallest node is first.
			least := slices.Index(path, slices.Min(path))
			path = append(slices.Clone(path[least:]), path[:least]...)
			if id := fmt.Sprint(path); !seen[id] {
				seen[id] = true
				perComponent[component[u]]++
				found = append(found, path)
				for i, w := range path {
					covered[[2]int{w, path[(i+1)%len(path)]}] = true
				}
			}
		}
	}

	slices.SortFunc(found, func(a, b []int) int { return slices.Compare(a, b) })
	return found
}

// shortest returns a shortest path between two nodes of one component, including both.
func shortest(edges [][]int, component []int, from, to int) []int {
	before := map[int]int{from: -1}
	queue := []int{from}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		if u == to {
			var path []int
			for ; u != -1; u = before[u] {
				path = append(path, u)
			}

			slices.Reverse(path)
			return path
		}

		for _, v := range edges[u] {
			if _, ok := before[v]; !ok && component[v] == component[from] {
				before[v] = u
				queue = append(queue, v)
			}
		}
	}

	return nil
}

// components numbers the strongly connected components (Tarjan 1972). It uses an explicit stack,
// because a chain of stages may be longer than the program's stack.
func components(edges [][]int) []int {
	const unseen = -1
	n := len(edges)
	index, low, component := make([]int, n), make([]int, n), make([]int, n)
	next := make([]int, n) // which successor to look at
	for i := range n {
		index[i], component[i] = unseen, unseen
	}

	var stack, path []int
	counter, count := 0, 0
	enter := func(u int) {
		index[u], low[u] = counter, counter
		counter++
		stack, path = append(stack, u), append(path, u)
	}
	for start := range n {
		if index[start] != unseen {
			continue
		}

		enter(start)
		for len(path) > 0 {
			u := path[len(path)-1]
			if next[u] < len(edges[u]) {
				v := edges[u][next[u]]
				next[u]++
				switch {
				case index[v] == unseen:
					enter(v)
				case component[v] == unseen:
					low[u] = min(low[u], index[v])
				}

				continue
			}

			path = path[:len(path)-1]
			if len(path) > 0 {
				parent := path[len(path)-1]
				low[parent] = min(low[parent], low[u])
			}

			if low[u] == index[u] {
				for {
					v := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					component[v] = count
					if v == u {
						break
					}
				}

				count++
			}
		}
	}

	return component
}

// order lists the nodes so that each comes after its successors, and otherwise in numerical order.
// Nodes on cycles, and nodes that depend on them, come last.
func order(edges [][]int) []int {
	waits := make([]int, len(edges))
	users := make([][]int, len(edges))
	ready := &intHeap{}
	for u, vs := range edges {
		waits[u] = len(vs)
		for _, v := range vs {
			users[v] = append(users[v], u)
		}

		if len(vs) == 0 {
			ready.Push(u) // ascending already: a heap
		}
	}

	sorted := make([]int, 0, len(edges))
	for ready.Len() > 0 {
		u := heap.Pop(ready).(int)
		sorted = append(sorted, u)
		for _, v := range users[u] {
			if waits[v]--; waits[v] == 0 {
				heap.Push(ready, v)
			}
		}
	}

	for u := range edges {
		if waits[u] > 0 {
			sorted = append(sorted, u)
		}
	}

	return sorted
}

type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
