//go:build !containers

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/data/pool"
)

// Values of --retriever that are no retrievers of the package pool: no retriever at all, and the labels of the
// golden set.
const (
	noRetriever    = "none"
	labelRetriever = "labels"
)

// poolFlags are those of touchstone data pool.
type poolFlags struct {
	corpus, golden, queries, out string
	runs, retrievers             []string
	depth                        int
	embeddings                   embeddingsFlag
}

// poolJSON is the output of data pool --json.
type poolJSON struct {
	File          string              `json:"file"`
	Queries       int                 `json:"queries"`
	Pairs         int                 `json:"pairs"`
	Judged        *int                `json:"judged,omitempty"`
	Contributions []pool.Contribution `json:"contributions"`
}

func newDataPoolCommand() *cobra.Command {
	var f poolFlags
	var about strings.Builder
	for _, r := range pool.Builtins() {
		needs := ""
		if r.NeedsModel {
			needs = " (needs a sentence model)"
		}

		fmt.Fprintf(&about, "  %-10s %s%s\n", r.Name, r.About, needs)
	}

	cmd := &cobra.Command{
		Use:   "pool --corpus FILE (--golden FILE | --queries FILE) -o FILE",
		Short: "List the tools that somebody has to judge for each query",
		Long: `Asks several retrievers every query, and writes the tools that at least one of them found
among its first results: the pool. The tools of a query are in an order that says nothing about
their ranks. A golden set whose labels cover the pool says of every tool that these
retrievers find whether it is right.

Retrievers:
` + about.String() + `
Results of other systems join the pool with --run: a TREC run, or a retrieval report
of score-retrieval.

Prints how many tools each retriever found, and how many no other one found. With --golden it
also prints how many of them are relevant, and how many pairs in the pool have a label.`,
		Example: `  touchstone data pool --corpus corpus.json --queries queries.json -o pool.json
  touchstone data pool --corpus corpus.json --golden golden.json --run theirs=run.txt -o pool.json`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	p := cmd.Flags()
	p.StringVar(&f.corpus, "corpus", "", "the tools to search")
	p.StringVar(&f.golden, "golden", "", "a golden set with the queries")
	p.StringVar(&f.queries, "queries", "", "queries without labels: JSON with id and query, or lines with an id, a "+
		"tab and a text")
	f.searchFlags(p)
	p.IntVar(&f.depth, "depth", 10, "how many results of each retriever to pool")
	outputVar(p, &f.out, "file", "the file to write")
	cmd.MarkFlagRequired("corpus")
	cmd.MarkFlagRequired("output")
	return cmd
}

// searchFlags are those that choose the retrievers.
func (f *poolFlags) searchFlags(p *pflag.FlagSet) {
	p.StringArrayVar(&f.runs, "run", nil, "[NAME=]FILE, the results of another retriever (repeatable)")
	p.StringSliceVar(&f.retrievers, "retriever", nil, "use only these retrievers; "+noRetriever+
		" uses the results of --run alone, "+labelRetriever+" stands for the tools that the golden set labels")
	f.embeddings.flags(p)
}

func (f *poolFlags) run(cmd *cobra.Command) error {
	if f.depth < 1 {
		return fmt.Errorf("--depth %d is out of range: pool at least 1 result", f.depth)
	}

	r, err := f.retrieve(cmd)
	if err != nil {
		return err
	}

	made, err := pool.Build(r.corpus, r.queries, r.runs, f.depth)
	if err != nil {
		return err
	}

	if err := contracts.Write(f.out, made); err != nil {
		return err
	}

	var labels map[string]map[contracts.ToolID]int
	if r.golden != nil {
		labels = r.golden.Relevances()
	}

	facts := poolJSON{File: f.out, Queries: len(made.Items), Contributions: pool.Contributions(made, labels)}
	judged := pool.JudgedOf(made, labels)
	if facts.Pairs = judged.Pairs; r.golden != nil {
		facts.Judged = &judged.Judged
	}

	if asJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), facts)
	}

	return facts.write(cmd.OutOrStdout())
}

// retrieved is what retrievers found for queries. golden is nil if the queries
// have no labels.
type retrieved struct {
	corpus  contracts.Corpus
	queries []pool.Query
	golden  *contracts.GoldenSet
	runs    []pool.Run
}

// retrieve reads the corpus and the queries, and returns what the retrievers
// find.
func (f *poolFlags) retrieve(cmd *cobra.Command) (r retrieved, err error) {
	if r.corpus, err = contracts.Read[contracts.Corpus](f.corpus); err != nil {
		return r, ofFlag("corpus", err)
	}
	if r.queries, r.golden, err = f.readQueries(r.corpus); err != nil {
		return r, err
	}
	r.runs, err = f.search(cmd, r)
	return r, err
}

// readQueries reads the queries. golden is nil if they have no labels.
func (f *poolFlags) readQueries(corpus contracts.Corpus) (queries []pool.Query, golden *contracts.GoldenSet,
	err error) {
	switch {
	case (f.golden == "") == (f.queries == ""):
		return nil, nil, errors.New("give the queries from one place: --golden or --queries")
	case f.queries != "" && slices.Contains(f.retrievers, labelRetriever):
		return nil, nil, fmt.Errorf("--retriever %s needs --golden", labelRetriever)
	case f.queries != "":
		data, err := contracts.ReadBytes(f.queries)
		if err != nil {
			return nil, nil, ofFlag("queries", err)
		}

		queries, err = pool.ReadQueries(f.queries, data)
		return queries, nil, err
	}

	set, err := contracts.Read[contracts.GoldenSet](f.golden)
	if err != nil {
		return nil, nil, ofFlag("golden", err)
	}

	if set.CorpusVersion != corpus.Version {
		return nil, nil, fmt.Errorf("golden set %s is for corpus version %q, but %s has version %q: use the corpus "+
			"of the golden set", f.golden, set.CorpusVersion, f.corpus, corpus.Version)
	}

	for _, q := range set.Queries {
		queries = append(queries, pool.Query{ID: q.ID, Text: q.Query, Language: q.Language})
	}

	return queries, &set, nil
}

// search returns the results of the retrievers and those in files.
func (f *poolFlags) search(cmd *cobra.Command, r retrieved) ([]pool.Run, error) {
	var runs []pool.Run
	withLabels := slices.Contains(f.retrievers, labelRetriever)
	names := slices.DeleteFunc(slices.Clone(f.retrievers), func(name string) bool { return name == labelRetriever })
	runsOnly := slices.Equal(names, []string{noRetriever})
	if runsOnly && len(f.runs) == 0 {
		return nil, fmt.Errorf("--retriever %s needs the results of others: give them with --run", noRetriever)
	}

	if !runsOnly && (len(names) > 0 || !withLabels) {
		model, err := f.embeddings.open()
		if err != nil {
			return nil, err
		}

		if runs, err = pool.Search(cmd.Context(), r.corpus, r.queries, names, f.depth, model); err != nil {
			return nil, err
		}
	}

	for _, word := range f.runs {
		run, err := readRun(word)
		if err != nil {
			return nil, err
		}

		runs = append(runs, run)
	}

	if withLabels {
		runs = append(runs, pool.Labels(*r.golden))
	}

	return runs, nil
}

// readRun reads a value of --run, which is [NAME=]FILE.
func readRun(word string) (pool.Run, error) {
	name, file, named := strings.Cut(word, "=")
	if !named {
		name, file = strings.TrimSuffix(filepath.Base(word), filepath.Ext(word)), word
	}

	data, err := contracts.ReadBytes(file)
	if err != nil {
		return pool.Run{}, ofFlag("run", err)
	}

	return pool.ReadRun(cmp.Or(name, file), file, data)
}

func (p poolJSON) write(w io.Writer) error {
	fmt.Fprintf(w, "wrote %s: %d queries, %d pairs to judge", p.File, p.Queries, p.Pairs)
	if p.Judged != nil {
		fmt.Fprintf(w, ", %d of them judged", *p.Judged)
	}

	fmt.Fprint(w, "\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "RETRIEVER\tFOUND\tONLY IT FOUND"
	if p.Judged != nil {
		head += "\tRELEVANT\tONLY IT FOUND"
	}

	fmt.Fprintln(table, head)
	for _, c := range p.Contributions {
		fmt.Fprintf(table, "%s\t%d\t%d", c.Retriever, c.Pooled, c.Unique)
		if c.Relevant != nil {
			fmt.Fprintf(table, "\t%d\t%d", *c.Relevant, *c.UniqueRelevant)
		}

		fmt.Fprintln(table)
	}

	return table.Flush()
}
