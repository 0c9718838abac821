// Command verdict checks by simulation what the verdict of the gate and the
// intervals promise: how often the gate finds a drop, how often it fails
// although nothing changed, and how often an interval contains the true value.
// docs/explanation/statistics.md uses the output of this command.
//
//	bench/run verdict [-sets 2000]
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
)

func main() {
	sets := flag.Int("sets", 2000, "simulated sets of figures for each line")
	golden := flag.String("golden", "datasets/golden_v1.json", "the golden set, for its groups of queries")
	baseline := flag.String("baseline", "datasets/baseline_v1.json", "the baseline, for its ranked lists")
	only := flag.String("only", "", "print one part: drops, noise, inferiority, groups, coverage or base-rates")
	flag.Parse()
	if err := run(*sets, *golden, *baseline, *only); err != nil {
		fmt.Fprintln(os.Stderr, "verdict:", err)
		os.Exit(1)
	}
}

func run(sets int, goldenFile, baselineFile, only string) error {
	golden, err := contracts.Read[contracts.GoldenSet](goldenFile)
	if err != nil {
		return err
	}

	baseline, err := contracts.Read[contracts.Baseline](baselineFile)
	if err != nil {
		return err
	}

	s := newSimulation(sets, golden, baseline)
	fmt.Printf("%d queries, %d groups; %d sets for each line\n", len(s.queries), countDistinct(s.groups), sets)
	for _, section := range []struct {
		name  string
		print func() error
	}{
		{"drops", s.drops}, {"noise", s.noise}, {"inferiority", s.inferiority},
		{"groups", s.effects}, {"coverage", s.coverage}, {"base-rates", s.baseRates},
	} {
		if only != "" && section.name != only {
			continue
		}

		if err := section.print(); err != nil {
			return err
		}
	}

	return nil
}

// simulation draws changes of a proxy whose ranked lists are those of the
// baseline.
type simulation struct {
	sets    int
	random  *rand.Rand
	queries []query
	groups  []string
	// tools holds the right tools of each query, the most relevant first.
	tools [][]string
	judge judge
}

func newSimulation(sets int, golden contracts.GoldenSet, baseline contracts.Baseline) *simulation {
	s := &simulation{sets: sets, random: rand.New(rand.NewPCG(1, 2))}
	ranked := make(map[string][]contracts.ToolID)
	for _, q := range baseline.PerQuery {
		ranked[q.ID] = q.Ranked
	}

	var summaries []contracts.QuerySummary
	for _, q := range golden.Queries {
		s.queries = append(s.queries, newQuery(q, ranked[q.ID]))
		s.tools = append(s.tools, rightTools(q.Labels))
		summaries = append(summaries, contracts.QuerySummary{ID: q.ID, Labels: q.Labels})
	}

	s.groups = significance.Groups(summaries)
	s.judge = newJudge(baseline, s.groups)
	return s
}

// rightTools lists the right tools, the most relevant first and equal ones by
// id.
func rightTools(labels []contracts.Label) []string {
	right := slices.DeleteFunc(slices.Clone(labels), func(l contracts.Label) bool { return l.Relevance <= 0 })
	slices.SortFunc(right, func(a, b contracts.Label) int {
		return cmp.Or(cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(a.ToolID, b.ToolID))
	})
	tools := make([]string, len(right))
	for i, l := range right {
		tools[i] = l.ToolID
	}
	return tools
}

func countDistinct(names []string) int {
	distinct := make(map[string]bool)
	for _, name := range names {
		distinct[name] = true
	}
	return len(distinct)
}

func share(count, of int) string { return fmt.Sprintf("%.3f", float64(count)/float64(of)) }
