//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
	"github.com/touchstone-eval/touchstone/internal/report/fitness"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/buildproxy"
)

// newFitnessCommand returns "touchstone fitness [CANDIDATE]", with the subcommands serve and
// parts for optimisers.
func newFitnessCommand(global *globalFlags) *cobra.Command {
	var data fitnessData
	cmd := &cobra.Command{
		Use:   "fitness [CANDIDATE]",
		Short: "Score tool descriptions against a golden set, once or for an optimiser",
		Long: `Scores the tools of a corpus with the descriptions in CANDIDATE, a JSON file
{"id": "name", "descriptions": {"server:tool": "text"}}. Without CANDIDATE it scores the
original descriptions. The search is that of the reference proxy, in this process, or that
of the proxy in --proxy.

The queries of the golden set are divided in three parts. The train part is for improving
descriptions. The validation part is for choosing among candidates; by default it is
empty. The held-out part shows whether the descriptions also improve on other queries.
--part gives a part as a share of the queries, as the word rest, or as a file with the id of
one query a line. A candidate is feasible if the scanner reports nothing that it does not report for the original.

"fitness parts" lists what an optimiser works with, and "fitness serve" scores candidates in
a loop. docs/how-to/optimise-descriptions.md leads to the first generation.`,
		Example: `  touchstone fitness
  touchstone fitness --seed 7 better.json
  touchstone fitness parts --part train=0.5 --part validation=0.25
  touchstone fitness --proxy mine.hcl --proxy-source ../mine better.json
  python3 examples/optimisers/climb.py`,
		Args: arguments.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := data.evaluator(cmd)
			if err != nil {
				return err
			}

			defer data.close()
			original, err := e.ScoreAll(cmd.Context(), contracts.Candidate{ID: "original"})
			if err != nil {
				return err
			}

			candidate := original
			if len(args) == 1 {
				c, err := contracts.Read[contracts.Candidate](args[0])
				if err != nil {
					return err
				}

				if candidate, err = e.ScoreAll(cmd.Context(), c); err != nil {
					return fmt.Errorf("%s: %w", args[0], err)
				}
			}

			if global.json {
				return printJSON(cmd.OutOrStdout(), candidate)
			}

			return printFitness(cmd.OutOrStdout(), original, candidate, len(args) == 1)
		},
	}
	data.flags(cmd)
	cmd.AddCommand(newFitnessServeCommand(), newFitnessPartsCommand(global))
	return cmd
}

func newFitnessServeCommand() *cobra.Command {
	var data fitnessData
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Score candidates from standard input: one JSON line in, one out",
		Long: `Reads one candidate per line from standard input and answers each, in order, with one
line: the figures on the train and the validation part, the score of each query, the
findings of the scanner, and for every train query whose best tool is not first, which
tools rank before it and for which words, as data and as text. With "queries", a list of
ids, a candidate is scored on these alone, as an optimiser with minibatches does.

An answer never contains the held-out part. A line that cannot be scored is answered with
"error", and the command continues until the input ends. To keep all processors busy, send
several lines before reading. With --proxy, the proxies of the last candidates stay running,
so that the next queries for one of them start no proxy.
docs/how-to/optimise-descriptions.md describes the formats.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := data.evaluator(cmd)
			if err != nil {
				return err
			}

			defer data.close()
			return e.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	data.flags(cmd)
	return cmd
}

// fitnessPartsJSON is the output of fitness parts --json.
type fitnessPartsJSON struct {
	Metric       string                      `json:"metric"`
	Sizes        fitness.Sizes               `json:"sizes"`
	Queries      []fitness.VisibleQuery      `json:"queries"`
	Descriptions map[contracts.ToolID]string `json:"descriptions"`
}

func newFitnessPartsCommand(global *globalFlags) *cobra.Command {
	var data fitnessData
	cmd := &cobra.Command{
		Use:   "parts",
		Short: "List the queries that an optimiser sees, by part, and the descriptions that it may change",
		Long: `Lists the queries of the train and the validation part: id, part, expected tool and text.
With --json it also prints the original descriptions of all tools, so that an optimiser
needs no other file. Queries that are held out are counted, and not listed. It takes the
options of fitness serve, and starts no proxy.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := data.divided(cmd, nil)
			if err != nil {
				return err
			}

			if global.json {
				return printJSON(cmd.OutOrStdout(), fitnessPartsJSON{data.opts.Metric, e.Sizes(), e.Queries(),
					e.Descriptions()})
			}

			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, q := range e.Queries() {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", q.ID, q.Part, strings.Join(q.Expected[:min(1, len(q.Expected))], ""),
					wording.Plain(q.Query))
			}

			return t.Flush()
		},
	}
	data.flags(cmd)
	return cmd
}

// fitnessData selects the data that candidates are scored on, and the search.
type fitnessData struct {
	corpus, golden, server string
	parts                  []string
	opts                   fitness.Options

	proxy, proxySource string
	proxyOptions       []string
	proxies            fitness.ProxyOptions
	built              string // a temporary directory, or empty
}

func (d *fitnessData) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.corpus, "corpus", "datasets/corpus_v2.json",
		"the tools: a corpus, or the answer of a server to tools/list")
	f.StringVar(&d.server, "server", "", serverHelp)
	f.StringVar(&d.golden, "golden", "datasets/golden_v2.json", "the labelled queries for the tools")
	f.Uint64Var(&d.opts.Seed, "seed", 1, "the seed for dividing the queries by shares")
	f.StringArrayVar(&d.parts, "part", nil, "NAME=SIZE, where NAME is train, validation or held-out, and SIZE is a "+
		"share of the queries, rest, or a file with the id of one query a line (repeatable; default train=0.6, "+
		"validation=0 and held-out=rest)")
	f.StringVar(&d.opts.Metric, "metric", "recall_at_5", "the metric of the fitness: "+
		strings.Join(contracts.MetricNames, ", "))
	f.StringVar(&d.proxy, "proxy", "", "the proxy that searches: an adapter's file or name, or a directory that "+
		"touchstone stage build-proxy wrote (default: the search of the reference proxy, in this process)")
	f.StringVar(&d.proxySource, "proxy-source", "", "the directory with the source of the adapter's proxy")
	f.StringArrayVar(&d.proxyOptions, "proxy-option", nil, "NAME=VALUE, a setting of the adapter (repeatable)")
	f.StringVar(&d.proxies.Search, "search", contracts.SearchMCP, "with --proxy: the search path to use, mcp or rest")
}

// evaluator reads the data, and builds the proxy if one is chosen. The caller closes d.
func (d *fitnessData) evaluator(cmd *cobra.Command) (*fitness.Evaluator, error) {
	e, err := d.divided(cmd, d.startProxies)
	if err != nil {
		d.close()
	}
	return e, err
}

// divided reads the data, and tells the user how many queries each part has. start comes
// once the data could be read; nil means that nothing is searched.
func (d *fitnessData) divided(cmd *cobra.Command, start func(*cobra.Command) error) (*fitness.Evaluator, error) {
	if err := d.readParts(); err != nil {
		return nil, err
	}

	golden, err := contracts.Read[contracts.GoldenSet](d.golden)
	if err != nil {
		return nil, ofFlag("golden", err)
	}

	corpus, listed, err := readTools(d.corpus, d.server)
	if err != nil {
		return nil, ofFlag("corpus", err)
	}

	if listed {
		// The labels say whether the two belong together.
		for _, q := range golden.Queries {
			for _, l := range q.Labels {
				if !slices.ContainsFunc(corpus.Tools, func(t contracts.Tool) bool { return t.ToolID == l.ToolID }) {
					return nil, fmt.Errorf("%s: query %s has a label for %s, which is not in %s; give the tools "+
						"that the queries are labelled for, and the name of their server with --server", d.golden, q.ID,
						l.ToolID, d.corpus)
				}
			}
		}

		corpus.Version = golden.CorpusVersion
	}

	if start != nil {
		if err := start(cmd); err != nil {
			return nil, err
		}
	}

	e, err := fitness.New(corpus, golden, d.opts)
	if err != nil {
		if errors.As(err, new(*fitness.PartsError)) {
			return nil, err
		}
		return nil, fmt.Errorf("%s and %s: %w", d.corpus, d.golden, err)
	}

	fmt.Fprintln(cmd.ErrOrStderr(), sizesText(e.Sizes()))
	return e, nil
}

// readParts reads --part, and gives the other parts their default sizes.
func (d *fitnessData) readParts() error {
	parts := map[string]*fitness.Part{"train": &d.opts.Train, "validation": &d.opts.Validation,
		"held-out": &d.opts.HeldOut}
	sizes := map[string]string{"train": "0.6", "validation": "0", "held-out": "rest"}
	given := map[string]bool{}
	for _, word := range d.parts {
		name, size, ok := strings.Cut(word, "=")
		switch {
		case !ok || parts[name] == nil:
			return fmt.Errorf("--part %q is not NAME=SIZE with the name train, validation or held-out", word)
		case given[name]:
			return fmt.Errorf("--part gives the part %s twice", name)
		}

		given[name], sizes[name] = true, size
	}

	for name, size := range sizes {
		var err error
		if *parts[name], err = fitness.ReadPart(size); err != nil {
			return fmt.Errorf("--part %s: %w", name, err)
		}
	}

	return nil
}

// sizesText says how the queries are divided.
func sizesText(s fitness.Sizes) string {
	text := fmt.Sprintf("scoring on %d queries", s.Train)
	if s.Validation > 0 {
		text += fmt.Sprintf(", %d for validation", s.Validation)
	}

	text += fmt.Sprintf(", %d held out", s.HeldOut)
	if s.Unused > 0 {
		text += fmt.Sprintf(", %d in no part", s.Unused)
	}

	if s.HeldOut == 0 {
		text += "; no figure will show whether a gain applies to other queries"
	}

	return text
}

// The number of candidates that may have a running proxy: two, so that an optimiser can go to and fro between
// two candidates, or as many as there are processors, but not so many that their memory counts.
const (
	minFitnessProxies = 2
	maxFitnessProxies = 4
)

// startProxies builds the proxy, if one is chosen. Its processes start with the first
// candidate.
func (d *fitnessData) startProxies(cmd *cobra.Command) error {
	if d.proxy == "" {
		for _, name := range []string{"proxy-source", "proxy-option", "search"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s has no effect without --proxy; give the proxy, or leave it out", name)
			}
		}
		return nil
	}

	if d.proxies.Search != contracts.SearchMCP && d.proxies.Search != contracts.SearchREST {
		return fmt.Errorf("--search %q is unknown; use %s or %s", d.proxies.Search, contracts.SearchMCP,
			contracts.SearchREST)
	}

	d.proxies.Running = max(minFitnessProxies, min(maxFitnessProxies, runtime.GOMAXPROCS(0)))
	d.proxies.Progress = func(message string) { fmt.Fprintln(cmd.ErrOrStderr(), message) }
	var err error
	if d.proxies.Dir, err = d.buildProxy(cmd); err == nil {
		d.opts.Proxies, err = fitness.NewProxies(d.proxies)
	}

	if err != nil {
		return fmt.Errorf("--proxy: %w", err)
	}

	return nil
}

// buildProxy returns the directory of the proxy, in the form of build-proxy. It builds
// what an adapter describes.
func (d *fitnessData) buildProxy(cmd *cobra.Command) (string, error) {
	if _, err := os.Stat(filepath.Join(d.proxy, undertest.ManifestFile)); err == nil {
		if d.proxySource != "" || len(d.proxyOptions) > 0 {
			return "", fmt.Errorf("%s is built already; leave out --proxy-source and --proxy-option", d.proxy)
		}
		return d.proxy, nil
	}

	var err error
	if d.built, err = os.MkdirTemp("", "touchstone-fitness-"); err != nil {
		return "", err
	}

	options := buildproxy.Options{Out: filepath.Join(d.built, "proxy"), Source: d.proxySource}
	if options.Adapter, err = d.adapterFile(); err != nil {
		return "", err
	}

	if options.OptionValues, err = buildproxy.ParseOptions(d.proxyOptions); err != nil {
		return "", err
	}

	return options.Out, buildproxy.Run(cmd.Context(), options)
}

// adapterFile returns the file of the adapter: a path that ends in .hcl, or that of a name
// in adapters/, here or in this program.
func (d *fitnessData) adapterFile() (string, error) {
	if strings.HasSuffix(d.proxy, ".hcl") {
		return d.proxy, nil
	}

	name := "adapters/" + d.proxy + ".hcl"
	if _, err := os.Stat(filepath.FromSlash(name)); err == nil {
		return filepath.FromSlash(name), nil
	}

	text, err := touchstone.Template.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither a directory that build-proxy wrote, nor a file that ends in .hcl, nor "+
			"one of the adapters %s; give one of these", d.proxy, strings.Join(adapterNames(), ", "))
	}

	file := filepath.Join(d.built, d.proxy+".hcl")
	return file, os.WriteFile(file, text, 0o600)
}

// close stops the proxies and removes what was built.
func (d *fitnessData) close() {
	if d.opts.Proxies != nil {
		d.opts.Proxies.Close()
	}
	if d.built != "" {
		_ = os.RemoveAll(d.built)
	}
}

// printFitness writes a table: a row for each metric, and columns for each part that has a
// query.
func printFitness(w io.Writer, original, candidate contracts.Fitness, compared bool) error {
	type column struct {
		name             string
		figures, earlier *contracts.SplitMetrics
	}
	columns := slices.DeleteFunc([]column{
		{"train", candidate.Train, original.Train},
		{"validation", candidate.Validation, original.Validation},
		{"held out", candidate.HeldOut, original.HeldOut},
	}, func(c column) bool { return c.figures == nil })

	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := ""
	for _, c := range columns {
		head += fmt.Sprintf("\t%s (%d)\t95%% interval", c.name, c.figures.Queries)
		if compared {
			head += "\tbefore"
		}
	}

	fmt.Fprintln(t, head+"\t")
	for _, m := range metrics.Ranking() {
		if m.Shown&metrics.InTables == 0 {
			continue
		}

		row := m.Name
		for _, c := range columns {
			row += fmt.Sprintf("\t%.4f\t%s", c.figures.Metrics[m.Name], intervalOf(c.figures, m.Name))
			if compared {
				row += fmt.Sprintf("\t%.4f", c.earlier.Metrics[m.Name])
			}
		}

		fmt.Fprintln(t, row+"\t")
	}

	if err := t.Flush(); err != nil {
		return err
	}

	if candidate.Train != nil {
		fmt.Fprintf(w, "\nFor %d train queries the best tool is not first.\n", len(candidate.Feedback))
	}

	for _, c := range columns {
		if c.figures.Failed > 0 {
			fmt.Fprintf(w, "%s: %d of %d queries have no answer and count as missed\n", c.name, c.figures.Failed,
				c.figures.Queries)
		}
	}

	if i := slices.IndexFunc(candidate.Scores, func(q contracts.QueryScore) bool { return q.Error != "" }); i >= 0 {
		fmt.Fprintf(w, "query %s: %s\n", candidate.Scores[i].QueryID, wording.Plain(candidate.Scores[i].Error))
	}

	if candidate.Feasible {
		fmt.Fprintln(w, "feasible: the scanner reports nothing new")
		return nil
	}

	fmt.Fprintln(w, "not feasible: the scanner reports")
	for _, f := range candidate.Findings {
		fmt.Fprintf(w, "  %s: %s (%s): %s\n", f.ToolID, f.Severity, strings.Join(f.Signals, ", "), f.Evidence)
	}

	return nil
}

// intervalOf formats the 95% interval of a metric.
func intervalOf(s *contracts.SplitMetrics, metric string) string {
	for _, i := range s.Intervals {
		if i.Metric == metric {
			return fmt.Sprintf("%.4f to %.4f", i.Low, i.High)
		}
	}
	return ""
}
