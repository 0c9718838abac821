package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
)

// characteristics prints how often the gate fails for several kinds of changes,
// from the ranked lists of real searches. Each list is the baseline once, with
// derived tolerances.
func characteristics(sets int, list []system) error {
	fmt.Printf("\nHow often the gate fails, for ranked lists of real searches, %d sets each\n", sets)
	fmt.Println("data          search                       Recall@5  live queries  unchanged  equal replacement  " +
		"worst pair  10% lost  plain test  groups  15% lost  noisy: verdict  gate")
	rows, errs := make([]string, len(list)), make([]error, len(list))
	var wg sync.WaitGroup
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	for n, s := range list {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			rows[n], errs[n] = characterize(s, list, sets, rand.New(rand.NewPCG(3, uint64(n))))
		})
	}

	wg.Wait()
	for n, row := range rows {
		if errs[n] != nil {
			return errs[n]
		}

		fmt.Println(row)
	}

	fmt.Println("equal replacement: the differences from each other search of similar Recall@5, with signs flipped " +
		"by group. " +
		"lost: that share of Recall@5, by tools that the\nproxy no longer finds. plain test: the share of those " +
		"with 10% lost that a one-sided test of Recall@5 alone finds at .05.\ngroups: the median number of groups " +
		"in which they change Recall@5; the plain test needs five. noisy: each query moves in .3 of the\nruns; the " +
		"verdict is a loss (nominal .02), 5 runs in the baseline and 3 now")
	return nil
}

func characterize(s system, list []system, sets int, random *rand.Rand) (string, error) {
	j := newJudge(contracts.Baseline{Version: s.name}, s.data.groups)
	for _, m := range []string{"recall_at_5", "mrr", "ndcg_at_10"} {
		j.baseline.Thresholds.Retrieval = append(j.baseline.Thresholds.Retrieval,
			significance.Replaceable(m, s.column(m), s.data.groups))
	}

	count := func(n int, draw func() (before, after [][]float64)) (failed, worse int, err error) {
		for range n {
			o, err := j.of(draw())
			if err != nil {
				return 0, 0, err
			}

			if o.gate {
				failed++
			}

			if o.worse {
				worse++
			}
		}

		return failed, worse, nil
	}

	unchanged, _, err := count(1, func() (before, after [][]float64) { return s.columns, s.columns })
	if err != nil {
		return "", err
	}

	replaced, pairs, worst := 0, 0, 0
	for _, other := range list {
		if !s.similar(other) {
			continue
		}

		failed, _, err := count(sets, func() (before, after [][]float64) { return s.columns, s.flipped(other, random) })
		if err != nil {
			return "", err
		}

		replaced, pairs, worst = replaced+failed, pairs+1, max(worst, failed)
	}

	var lost [2]int
	var plain int
	var groups []int
	losses := max(1, sets/4)
	for i, part := range []float64{0.10, 0.15} {
		if lost[i], _, err = count(losses, func() (before, after [][]float64) {
			after = columnsOf(s.data, s.without(part, random))
			if i == 0 {
				found, differ := plainTest(s, after)
				groups = append(groups, differ)
				if found {
					plain++
				}
			}

			return s.columns, after
		}); err != nil {
			return "", err
		}
	}

	slices.Sort(groups)

	noisy := s.simulation(random)
	failed, worse, err := count(sets, func() (before, after [][]float64) {
		return noisy.figures(change{}, 0.3, 5), noisy.figures(change{}, 0.3, 3)
	})
	if err != nil {
		return "", err
	}

	equal, worstPair := "no pair", "no pair"
	if pairs > 0 {
		equal, worstPair = share(replaced, sets*pairs), share(worst, sets)
	}

	return fmt.Sprintf("%-12s  %-27s  %.3f     %-12s  %-9s  %-17s  %-10s  %-8s  %-10s  %-6d  %-8s  %-14s  %s",
		s.data.name, s.name, s.value("recall_at_5"), fmt.Sprintf("%d of %d", s.live(), len(s.data.queries)),
		share(unchanged, 1), equal, worstPair, share(lost[0], losses), share(plain, losses), groups[len(groups)/2],
		share(lost[1], losses), share(worse, sets), share(failed, sets)), nil
}

// plainTest reports whether the one-sided randomization test of Recall@5 alone
// finds a loss at .05, and the number of groups in which Recall@5 differs. Only n
// groups that are all worse have a p-value of 1/2^n, so it finds nothing below
// five of them. The gate shares its error between seven metrics and two
// directions, and sees losses that Recall@5 does not.
func plainTest(s system, after [][]float64) (found bool, differ int) {
	before, now := s.column("recall_at_5"), after[slices.Index(contracts.MetricNames, "recall_at_5")]
	differences := make([]float64, len(now))
	sums := make(map[string]float64)
	for i := range now {
		differences[i] = now[i] - before[i]
		sums[s.data.groups[i]] += differences[i]
	}

	for _, sum := range sums {
		if math.Abs(sum) > 1e-9 {
			differ++
		}
	}

	// Of the two sides of the test, the loss has half of the p-value.
	return metrics.Mean(differences) < 0 && metrics.RandomizationTest(differences, s.data.groups)/2 <= 0.05, differ
}

// similar reports whether other is about as good as s: whether the lower Recall@5
// is at least two thirds of the higher. A replacement that answers three times as
// many queries changes far more of them than one that is equally good.
func (s system) similar(other system) bool {
	a, b := s.value("recall_at_5"), other.value("recall_at_5")
	return other.data == s.data && other.name != s.name && min(a, b) >= max(a, b)*2/3
}

// flipped are the figures of an equally good replacement of s: real differences
// from another search, of which each group of queries has a random sign.
func (s system) flipped(other system, random *rand.Rand) [][]float64 {
	signs := make(map[string]float64)
	for _, g := range s.data.groups {
		if _, known := signs[g]; !known {
			signs[g] = float64(2*random.IntN(2) - 1)
		}
	}

	columns := make([][]float64, len(s.columns))
	for m, column := range s.columns {
		columns[m] = make([]float64, len(column))
		for i, v := range column {
			columns[m][i] = v + signs[s.data.groups[i]]*(other.columns[m][i]-v)
		}
	}

	return columns
}

// without are ranked lists from which tools are missing, so many that about the
// given share of Recall@5 is lost. A tool by which far more would be lost stays.
func (s system) without(part float64, random *rand.Rand) [][]contracts.ToolID {
	// gain is what a tool adds to the sum of Recall@5. Those that follow it in a
	// list move up, so the loss is a little smaller than its gain.
	gain, sum := make(map[contracts.ToolID]float64), 0.0
	var tools []contracts.ToolID
	for i, list := range s.ranked {
		right := rightTools(s.data.queries[i].Labels)
		for rank, tool := range list {
			if !slices.Contains(right, tool) {
				continue
			}

			if _, known := gain[tool]; !known {
				tools = append(tools, tool)
				gain[tool] = 0
			}

			if rank < 5 {
				gain[tool] += 1 / float64(len(right))
				sum += 1 / float64(len(right))
			}
		}
	}

	random.Shuffle(len(tools), func(a, b int) { tools[a], tools[b] = tools[b], tools[a] })
	gone, lost := make(map[contracts.ToolID]bool), 0.0
	for _, tool := range tools {
		if lost+gain[tool] <= part*sum+0.5 {
			gone[tool] = true
			lost += gain[tool]
		}

		if lost >= part*sum {
			break
		}
	}

	ranked := make([][]contracts.ToolID, len(s.ranked))
	for i, list := range s.ranked {
		ranked[i] = slices.DeleteFunc(slices.Clone(list), func(t contracts.ToolID) bool { return gone[t] })
	}

	return ranked
}

// simulation moves the right tools of the lists of s.
func (s system) simulation(random *rand.Rand) *simulation {
	made := &simulation{random: random, groups: s.data.groups, judge: judge{names: contracts.MetricNames}}
	for i, q := range s.data.queries {
		made.queries = append(made.queries, newQuery(q, s.ranked[i]))
	}
	return made
}

// printCharacteristics reads the two datasets and searches them.
func printCharacteristics(ctx context.Context, sets int, dir string, extra []extraList) error {
	var data []dataset
	for _, v := range []string{"v2", "v1"} {
		d, err := readDataset(v, dir+"/corpus_"+v+".json", dir+"/golden_"+v+".json")
		if err != nil {
			return err
		}

		data = append(data, d)
	}

	// A golden set whose queries say what their tools say: Recall@5 is about .8.
	data = append(data, data[1].sharing(1))
	var list []system
	for i := range data {
		d := &data[i]
		found, err := systems(ctx, d)
		if err != nil {
			return err
		}

		for _, e := range extra {
			if s, ok := e.over(d); ok {
				found = append(found, s)
			}
		}

		list = append(list, found...)
	}

	for _, e := range extra {
		if !slices.ContainsFunc(list, func(s system) bool { return s.name == e.name }) {
			return fmt.Errorf("%s has not the queries of any dataset in %s", e.name, dir)
		}
	}

	if err := characteristics(sets, list); err != nil {
		return err
	}

	return nil
}

// extraList is the ranked lists of a measured proxy, from its baseline.
type extraList struct {
	name     string
	baseline contracts.Baseline
}

// over returns the lists as a system of the dataset, if they have all its queries.
func (e extraList) over(d *dataset) (system, bool) {
	ranked := make(map[string][]contracts.ToolID)
	for _, q := range e.baseline.PerQuery {
		ranked[q.ID] = q.Ranked
	}

	lists := make([][]contracts.ToolID, len(d.queries))
	for i, q := range d.queries {
		list, ok := ranked[q.ID]
		if !ok {
			return system{}, false
		}

		lists[i] = list
	}

	return newSystem(e.name, d, lists), true
}
