// Command verdict checks by simulation what the verdict of the gate and the
// intervals promise: how often the gate finds a drop, how often it fails
// although nothing changed, and how often an interval contains the true value.
// docs/explanation/statistics.md uses the output of this command.
//
//	bench/run verdict [-sets 2000] [-only PART] [-list NAME=BASELINE]...
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

func main() {
	var o options
	flag.IntVar(&o.sets, "sets", 2000, "simulated sets of figures for each line")
	flag.StringVar(&o.dir, "data", "datasets", "the directory of the datasets")
	flag.StringVar(&o.version, "version", "v2", "the version of the datasets, for all parts but lists and detectors")
	flag.StringVar(&o.only, "only", "",
		"print one part: lists, detectors, drops, noise, inferiority, groups, coverage or base-rates")
	flag.Func("list", "the ranked lists of a further proxy for the part lists, NAME=BASELINE (repeatable); those in "+
		"bench/verdict/lists are read without it",
		func(text string) error {
			name, file, _ := strings.Cut(text, "=")
			b, err := contracts.Read[contracts.Baseline](file)
			o.lists = append(o.lists, extraList{name, b})
			return err
		})
	flag.Parse()
	o.measured = "bench/verdict/lists"
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "verdict:", err)
		os.Exit(1)
	}
}

type options struct {
	sets               int
	dir, version, only string
	// measured is a directory of baselines of proxies that cannot run here.
	measured string
	lists    []extraList
}

// readLists reads the baselines in a directory. The name of a file is that of the
// proxy.
func readLists(dir string) ([]extraList, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}

	var lists []extraList
	for _, file := range files {
		b, err := contracts.Read[contracts.Baseline](file)
		if err != nil {
			return nil, err
		}

		lists = append(lists, extraList{strings.TrimSuffix(filepath.Base(file), ".json"), b})
	}

	return lists, nil
}

func run(ctx context.Context, o options) error {
	data, err := readDataset(o.version, o.dir+"/corpus_"+o.version+".json", o.dir+"/golden_"+o.version+".json")
	if err != nil {
		return err
	}

	baseline, err := contracts.Read[contracts.Baseline](o.dir + "/baseline_" + o.version + ".json")
	if err != nil {
		return err
	}

	s, err := newSimulation(o.sets, data, baseline)
	if err != nil {
		return err
	}

	measured, err := readLists(o.measured)
	if err != nil {
		return err
	}

	o.lists = append(measured, o.lists...)
	fmt.Printf("%d queries, %d groups; %d sets for each line\n", len(s.queries), countDistinct(s.groups), o.sets)
	for _, section := range []struct {
		name  string
		print func() error
	}{
		{"lists", func() error { return printCharacteristics(ctx, o.sets, o.dir, o.lists) }},
		{"detectors", func() error { return detectors(o.sets, baseline, o.dir+"/security_"+o.version+".json") }},
		{"drops", s.drops}, {"noise", s.noise}, {"inferiority", s.inferiority},
		{"groups", s.effects}, {"coverage", s.coverage}, {"base-rates", s.baseRates},
	} {
		if o.only != "" && section.name != o.only {
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

func newSimulation(sets int, data dataset, baseline contracts.Baseline) (*simulation, error) {
	lists, ok := extraList{baseline.Version, baseline}.over(&data)
	if !ok {
		return nil, fmt.Errorf("%s has not the queries of the golden set", baseline.Version)
	}

	s := lists.simulation(rand.New(rand.NewPCG(1, 2)))
	s.sets, s.judge = sets, newJudge(baseline, data.groups)
	for _, q := range data.queries {
		s.tools = append(s.tools, rightTools(q.Labels))
	}

	return s, nil
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
