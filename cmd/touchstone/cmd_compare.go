//go:build !containers

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/report/compare"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	repo, metric   string
	format, output string
	query          string
	rounds, most   int
	run            runFlags
}

func newCompareCommand(flags *globalFlags) *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare A B [QUERY]",
		Short: "Compare two proxies, versions, configurations or reports, query by query",
		Long: `Compares B with A, and prints

  each ranking metric, with a paired randomization test and an effect size
  the queries that B wins or loses, with both ranked lists
  the detectors, the unanswerable queries, and the cost of answering

With QUERY, the id of a query, it prints both ranked lists of this query.

` + sideHelp + `

For any side but a PATH, compare runs the pipeline. Results of unchanged stages come from
the cache. The published reports do not change. compare measures the cost each time: it
sends queries to both proxies in turn. See docs/how-to/compare-and-bisect.md.`,
		Example: `  touchstone compare reference mcpproxy --var proxy_source=../mcpproxy-go
  touchstone compare old/reports new/reports --format markdown
  touchstone compare retrieval.search=mcp retrieval.search=rest
  touchstone compare --repo ../my-proxy @v1.4.0 @HEAD --var 'proxy_build.command=["make"]' --var proxy_build.binary=bin/my-proxy`,
		Args: arguments.Between(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 3 {
				f.query = args[2]
			}

			if err := f.check(cmd, flags); err != nil {
				return err
			}

			text, err := f.compare(cmd.Context(), flags, args[:2], cmd.ErrOrStderr())
			if err != nil {
				return err
			}

			return writeWhole(f.output, cmd.OutOrStdout(), text)
		},
	}
	p := cmd.Flags()
	p.StringVar(&f.repo, "repo", "", "the git repository of the proxy, for @REVISION; its working tree is not changed")
	p.StringVar(&f.metric, "metric", "ndcg_at_10", "the metric that decides whether a query is won or lost")
	p.StringVar(&f.format, "format", "table", "table, json, html or markdown")
	outputVar(p, &f.output, "file", "write to this file instead of standard output")
	p.IntVar(&f.rounds, "rounds", 3, "how often each query is sent to measure latency and memory, after one "+
		"warm-up round; 0 measures nothing")
	p.IntVar(&f.most, "limit", 20, "the number of queries in the table")
	f.run.add(cmd)
	return cmd
}

func (f *compareFlags) check(cmd *cobra.Command, flags *globalFlags) error {
	if flags.json {
		if cmd.Flags().Changed("format") && f.format != "json" {
			return fmt.Errorf("--json and --format %s exclude each other: use one of them", f.format)
		}

		f.format = "json"
	}

	if !slices.Contains([]string{"table", "json", "html", "markdown"}, f.format) {
		return fmt.Errorf("unknown --format %q: use table, json, html or markdown", f.format)
	}

	if !slices.Contains(contracts.MetricNames, f.metric) {
		return fmt.Errorf("unknown --metric %q: use one of %s", f.metric, strings.Join(contracts.MetricNames, ", "))
	}

	if f.query != "" && f.format != "table" && f.format != "json" {
		return fmt.Errorf("--format %s does not show a single query: use table or json", f.format)
	}

	if f.rounds < 0 || f.rounds > 1000 {
		return fmt.Errorf("--rounds %d: give 0 to 1000", f.rounds)
	}

	return nil
}

func (f *compareFlags) compare(ctx context.Context, flags *globalFlags, args []string,
	stderr io.Writer) ([]byte, error) {
	var sides [2]side
	for i, arg := range args {
		s, err := parseSide(arg)
		if err != nil {
			return nil, err
		}

		if s.revision != "" && f.repo == "" {
			return nil, fmt.Errorf("%s is a revision of a repository: name the repository with --repo", arg)
		}

		sides[i] = s
	}

	var history *revisions
	if sides[0].revision+sides[1].revision != "" {
		var err error
		if history, err = openRevisions(ctx, flags, f.repo); err != nil {
			return nil, err
		}

		defer history.close()
	}

	parts, err := os.MkdirTemp("", "touchstone-compare-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for the comparison: %w", err)
	}

	defer os.RemoveAll(parts)
	var runs [2]*sideRun
	for i := range sides {
		s := &sides[i]
		if s.report != "" {
			runs[i], err = readReport(s.report)
		} else {
			where := ""
			if f.rounds > 0 && f.query == "" && sides[1-i].report == "" {
				where = filepath.Join(parts, fmt.Sprint(i))
			}

			runs[i], err = f.runSide(ctx, flags, []string{"A", "B"}[i], s, history, where, stderr)
		}

		if err != nil {
			return nil, err
		}
	}

	if f.query != "" {
		return f.writtenQuery(runs)
	}

	c, err := compare.Reports(sides[0].name, runs[0].figures, sides[1].name, runs[1].figures,
		compare.Options{By: f.metric})
	if err != nil {
		return nil, err
	}

	if runs[0].parts == "" || runs[1].parts == "" {
		return f.written(c)
	}

	fmt.Fprintf(stderr, "measuring the cost: %d rounds\n", f.rounds)
	c.Cost, err = measureApart(ctx,
		compare.MeasureOptions{A: runs[0].measured(), B: runs[1].measured(), Rounds: f.rounds})
	switch {
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%w; --rounds 0 skips the measurement", err)
	case err != nil:
		return nil, err
	}

	return f.written(c)
}

// runSide runs the pipeline for one side, A or B.
func (f *compareFlags) runSide(ctx context.Context, flags *globalFlags, letter string, s *side, history *revisions,
	parts string, stderr io.Writer) (*sideRun, error) {
	own := flags.with(s.vars, s.varFiles)
	// JSON is printed at the end. Progress is shown as in other commands.
	own.json = flags.json || f.format == "json" && f.output == ""
	if s.revision != "" {
		commit, err := history.resolve(ctx, s.revision)
		if err != nil {
			return nil, err
		}

		s.name = history.subject(ctx, commit)
		dir, err := history.checkOut(ctx, commit)
		if err != nil {
			return nil, err
		}

		own = own.with([]string{"proxy_source=" + dir}, nil)
	}

	run, err := runSide(ctx, own, f.run, sideOptions{parts: parts, heading: letter + ": " + s.name},
		stderr)
	if err != nil && ctx.Err() == nil {
		err = wrapSide(s.name, err)
	}

	return run, err
}

// wrapSide adds the name of the side to an error, unless the error has already been
// printed.
func wrapSide(name string, err error) error {
	var known *exitError
	if errors.As(err, &known) && known.err == nil {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (r *sideRun) measured() compare.MeasureSide {
	a := r.figures
	return compare.MeasureSide{
		Proxy: filepath.Join(r.parts, partProxy), Corpus: filepath.Join(r.parts, partCorpus),
		Golden: filepath.Join(r.parts, partGolden),
		Search: a.SearchPath, Degrade: a.Degraded, Secret: r.secret,
	}
}

// writtenQuery returns both ranked lists of one query.
func (f *compareFlags) writtenQuery(runs [2]*sideRun) ([]byte, error) {
	q, err := compare.SidesOf(runs[0].figures, runs[1].figures, f.query)
	if err != nil {
		return nil, err
	}

	var b bytes.Buffer
	if f.format == "json" {
		err = printJSON(&b, q)
	} else {
		err = q.Write(&b)
	}

	return b.Bytes(), err
}

// written returns the comparison in the selected format.
func (f *compareFlags) written(c *compare.Comparison) ([]byte, error) {
	var b bytes.Buffer
	switch f.format {
	case "json":
		err := printJSON(&b, c)
		return b.Bytes(), err
	case "html":
		return compare.HTML(c)
	case "markdown":
		return compare.Markdown(c), nil
	}

	err := compare.Write(&b, c, f.most)
	return b.Bytes(), err
}
