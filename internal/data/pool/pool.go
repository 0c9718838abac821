package pool

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
)

// Query is a query to pool tools for. It need not have labels.
type Query struct {
	ID       string
	Text     string
	Language string
}

// Run is what one retriever found: by query, its results, best first.
type Run struct {
	Name  string
	Found map[string][]contracts.ToolID
	// Whole pools all results, at whatever depth.
	Whole bool
}

// Labels returns the labelled tools of a golden set as a run named labels, so
// that they are judged too.
func Labels(golden contracts.GoldenSet) Run {
	run := Run{Name: "labels", Found: make(map[string][]contracts.ToolID, len(golden.Queries)), Whole: true}
	for _, q := range golden.Queries {
		for _, l := range q.Labels {
			run.Found[q.ID] = append(run.Found[q.ID], l.ToolID)
		}
	}
	return run
}

// shuffle is the seed of the order of a pool's tools.
const shuffle = 1

// Build pools the first depth results of each run. Runs must have distinct names,
// and their results must be tools of the corpus. The order of the tools of a
// query follows from its id and the pooled tools.
func Build(corpus contracts.Corpus, queries []Query, runs []Run, depth int) (contracts.Pool, error) {
	pool := contracts.Pool{CorpusVersion: corpus.Version, Depth: depth, Items: []contracts.PoolItem{}}
	known := make(map[contracts.ToolID]bool, len(corpus.Tools))
	for _, t := range corpus.Tools {
		known[t.ToolID] = true
	}

	for _, r := range runs {
		if slices.Contains(pool.Retrievers, r.Name) {
			return pool, fmt.Errorf("two runs are named %q; give one another name with --run NAME=FILE", r.Name)
		}

		pool.Retrievers = append(pool.Retrievers, r.Name)
	}

	for _, q := range queries {
		item := contracts.PoolItem{ID: q.ID, Query: q.Text, Language: q.Language, Tools: []contracts.ToolID{},
			By: map[string][]contracts.ToolID{}}
		for _, r := range runs {
			found := r.Found[q.ID]
			if !r.Whole {
				found = found[:min(depth, len(found))]
			}

			item.By[r.Name] = append([]contracts.ToolID{}, found...)
			for _, id := range item.By[r.Name] {
				if !known[id] {
					return pool, fmt.Errorf("run %s, query %s: the corpus %s has no tool %q; use a run over this "+
						"corpus", r.Name, q.ID, corpus.Version, id)
				}
			}

			item.Tools = append(item.Tools, item.By[r.Name]...)
		}

		slices.Sort(item.Tools)
		item.Tools = slices.Compact(item.Tools)
		sorted := slices.Clone(item.Tools)
		for i, j := range replay.Order(shuffle, q.ID, len(sorted)) {
			item.Tools[i] = sorted[j]
		}

		pool.Items = append(pool.Items, item)
	}

	return pool, nil
}

// Contribution is what the pool would lack without one retriever.
type Contribution struct {
	Retriever string `json:"retriever"`
	// Pooled counts the pairs of a query and a tool that the retriever found,
	// and Unique those that no other one found.
	Pooled int `json:"pooled"`
	Unique int `json:"unique"`
	// Relevant and UniqueRelevant count those of them that are labelled 1 or 2.
	// They are nil without labels.
	Relevant       *int `json:"relevant,omitempty"`
	UniqueRelevant *int `json:"unique_relevant,omitempty"`
}

// Contributions leaves out one retriever after the other (Zobel, "How reliable
// are the results of large-scale information retrieval experiments?", 1998): a
// retriever with many unique relevant results would look worse had it not been
// in the pool, and so would a future one like it. labels maps a query to the
// relevance of its tools; it is nil without labels.
func Contributions(pool contracts.Pool, labels map[string]map[contracts.ToolID]int) []Contribution {
	list := make([]Contribution, len(pool.Retrievers))
	for i, name := range pool.Retrievers {
		c := Contribution{Retriever: name}
		relevant, unique := 0, 0
		for _, item := range pool.Items {
			for _, id := range item.By[name] {
				alone := true
				for _, other := range pool.Retrievers {
					alone = alone && (other == name || !slices.Contains(item.By[other], id))
				}

				isRelevant := labels[item.ID][id] >= 1
				c.Pooled++
				relevant += count(isRelevant)
				c.Unique += count(alone)
				unique += count(alone && isRelevant)
			}
		}

		if labels != nil {
			c.Relevant, c.UniqueRelevant = &relevant, &unique
		}

		list[i] = c
	}

	return list
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Judged is the share of pooled pairs that have a label.
type Judged struct {
	Pairs  int `json:"pairs"`
	Judged int `json:"judged"`
}

// JudgedOf counts the pooled pairs, and those with a label.
func JudgedOf(pool contracts.Pool, labels map[string]map[contracts.ToolID]int) Judged {
	var j Judged
	for _, item := range pool.Items {
		for _, id := range item.Tools {
			_, is := labels[item.ID][id]
			j.Pairs++
			j.Judged += count(is)
		}
	}
	return j
}
