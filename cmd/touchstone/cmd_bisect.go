//go:build !containers

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/report/compare"
	"github.com/touchstone-eval/touchstone/metrics"
)

// bisectFlags are the flags of bisect.
type bisectFlags struct {
	repo, good, bad, metric string
	threshold               float64
	most                    int
	run                     runFlags
}

// bisectJSON is the output of bisect --json.
type bisectJSON struct {
	Metric string `json:"metric"`
	// Below is the value below which a revision is bad.
	Below float64 `json:"below"`
	Good  tried   `json:"good"`
	Bad   tried   `json:"bad"`
	// FirstBad is the result, unless revisions that could not be tested leave
	// several suspects, when it is null. If the good revision is the later one,
	// FirstBad is null too, and FirstGood is the result.
	FirstBad  *tried `json:"first_bad"`
	FirstGood *tried `json:"first_good"`
	// Before is the revision with which lost and won queries are compared.
	Before   *tried          `json:"before"`
	Suspects []string        `json:"suspects"`
	Lost     []compare.Query `json:"lost"`
	Won      []compare.Query `json:"won"`
	Tried    []*tried        `json:"tried"` // in the order in which they were tested

	mended bool // whether the good revision is the later one
}

// tried is a revision and its result. Value is null if the revision could not be
// tested, for the reason in Reason.
type tried struct {
	Commit  string   `json:"commit"`
	Subject string   `json:"subject"`
	State   string   `json:"state"`
	Value   *float64 `json:"value"`
	Reason  string   `json:"reason"`

	figures *contracts.Aggregate
}

// The states of a revision.
const (
	stateGood    = "good"
	stateBad     = "bad"
	stateSkipped = "skipped"
)

func newBisectCommand(flags *globalFlags) *cobra.Command {
	f := &bisectFlags{}
	cmd := &cobra.Command{
		Use:   "bisect GOOD [BAD] --repo DIR",
		Short: "Find the commit of a proxy that lost or won queries",
		Long: `Bisects the history between a good and a bad revision (by default HEAD) until one commit is
left, and lists the queries that this commit lost. If the good revision is the later one,
it finds the commit that fixed the proxy, and lists the queries that it won.

Each step runs the pipeline with proxy_source set to a revision. Results are cached,
so unchanged stages are not repeated, and the same command continues an interrupted
bisection. The repository is only read.

A revision is bad if the metric is below --threshold. Without this flag, it is bad if its
value is closer to that of the bad revision than to that of the good one. A revision that
cannot be built or started is skipped, also by later bisections, unless --force is given.`,
		Example: `  touchstone bisect v1.4.0 HEAD --repo ../my-proxy --metric recall_at_5 --var 'proxy_build.command=["make"]' --var proxy_build.binary=bin/my-proxy`,
		Args:    arguments.Between(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.good, f.bad = args[0], "HEAD"
			if len(args) == 2 {
				f.bad = args[1]
			}

			if !slices.Contains(contracts.MetricNames, f.metric) {
				return fmt.Errorf("unknown --metric %q: use one of %s", f.metric,
					strings.Join(contracts.MetricNames, ", "))
			}

			if m, _ := metrics.RankingByName(f.metric); m.LowerIsBetter {
				return fmt.Errorf("--metric %s: a revision is bad when a metric is too low, and a lower %s is "+
					"better; use another metric", f.metric, m.Label)
			}

			found, err := f.bisect(cmd, flags)
			if err != nil {
				return err
			}

			if flags.json {
				err = printJSON(cmd.OutOrStdout(), found)
			} else {
				f.print(cmd.OutOrStdout(), found)
			}

			if err == nil && found.first() == nil {
				return &exitError{code: exitStageFailed}
			}

			return err
		},
	}
	p := cmd.Flags()
	p.StringVar(&f.repo, "repo", "", "the git repository of the proxy, or a directory in it")
	p.StringVar(&f.metric, "metric", "recall_at_5", "the ranking metric that decides")
	p.Float64Var(&f.threshold, "threshold", 0, "the value below which a revision is bad")
	p.IntVar(&f.most, "limit", 20, "the number of lost or won queries to show")
	f.run.add(cmd)
	cmd.MarkFlagRequired("repo")
	return cmd
}

// bisector is a running bisection.
type bisector struct {
	*bisectFlags
	flags   *globalFlags
	history *revisions
	stderr  io.Writer
	below   float64
	mended  bool // whether the good revision is the later one
	tried   map[string]*tried
	order   []*tried
	skips   skipped
}

func (f *bisectFlags) bisect(cmd *cobra.Command, flags *globalFlags) (*bisectJSON, error) {
	ctx := cmd.Context()
	history, err := openRevisions(ctx, flags, f.repo)
	if err != nil {
		return nil, err
	}

	defer history.close()
	b := &bisector{bisectFlags: f, flags: flags, history: history, stderr: cmd.ErrOrStderr(), below: math.Inf(-1),
		tried: map[string]*tried{}}
	if b.skips, err = readSkipped(history.dir, flags, f.run.force); err != nil {
		return nil, err
	}

	good, bad, err := b.ends(ctx, cmd)
	if err != nil {
		return nil, err
	}

	found := &bisectJSON{Metric: f.metric, Below: b.below, Good: *good, Bad: *bad, Suspects: []string{},
		Lost: []compare.Query{}, Won: []compare.Query{}, mended: b.mended}
	earlier, later := good, bad
	if b.mended {
		earlier, later = bad, good
	}

	first, suspects, err := b.halve(ctx, earlier, later)
	if err != nil {
		return nil, err
	}

	for _, commit := range suspects {
		found.Suspects = append(found.Suspects, history.subject(ctx, commit))
	}

	if first != nil {
		if found.Before, err = b.before(ctx, first, earlier); err != nil {
			return nil, err
		}

		if found.Lost, found.Won, err = compare.Changed(found.Before.figures, first.figures, f.metric); err != nil {
			return nil, err
		}

		if b.mended {
			found.FirstGood = first
		} else {
			found.FirstBad = first
		}
	}

	found.Tried = b.order
	return found, nil
}

// ends tests the two given revisions and determines the threshold.
func (b *bisector) ends(ctx context.Context, cmd *cobra.Command) (good, bad *tried, err error) {
	var ends [2]*tried
	for i, revision := range []string{b.good, b.bad} {
		commit, err := b.history.resolve(ctx, revision)
		if err != nil {
			return nil, nil, err
		}

		if ends[i], err = b.try(ctx, commit); err != nil {
			return nil, nil, err
		}

		if ends[i].Value == nil {
			return nil, nil, &exitError{exitStageFailed,
				fmt.Errorf("%s cannot be tested: %s; name another revision with --%s", revision, ends[i].Reason,
					[]string{"good", "bad"}[i])}
		}
	}

	good, bad = ends[0], ends[1]
	if !b.history.isAncestor(ctx, good.Commit, bad.Commit) {
		if b.mended = b.history.isAncestor(ctx, bad.Commit, good.Commit); ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}

		if !b.mended {
			return nil, nil, fmt.Errorf("neither %s nor %s is an ancestor of the other, so there is no history to "+
				"bisect; name a common ancestor as one of them", b.good, b.bad)
		}
	}

	switch {
	case cmd.Flags().Changed("threshold"):
		b.below = b.threshold
	default:
		b.below = (*good.Value + *bad.Value) / 2
	}

	fmt.Fprintf(b.stderr, "a revision is bad if %s is below %.4f; %s has %.4f, %s has %.4f\n", b.metric, b.below,
		b.good, *good.Value, b.bad, *bad.Value)
	if *good.Value < b.below {
		return nil, nil, fmt.Errorf("%s is itself bad: its %s is %.4f, and values below %.4f are bad; name another "+
			"good revision, or another limit", b.good, b.metric, *good.Value, b.below)
	}

	if *bad.Value >= b.below {
		return nil, nil, fmt.Errorf("%s is not bad: its %s is %.4f, compared with %.4f at %s; name another bad "+
			"revision, or another limit", b.bad, b.metric, *bad.Value, *good.Value, b.good)
	}

	good.State, bad.State = stateGood, stateBad
	return good, bad, nil
}

// halve bisects the history until one commit is left, or until only suspects that
// cannot be tested are left.
func (b *bisector) halve(ctx context.Context, earlier, later *tried) (first *tried, suspects []string, err error) {
	last, before := later.Commit, []string{earlier.Commit}
	for {
		left, err := b.between(ctx, last, before)
		if err != nil {
			return nil, nil, err
		}

		next := ""
		for _, commit := range left {
			if t := b.tried[commit]; commit != last && (t == nil || t.State != stateSkipped) {
				next = commit
				break
			}
		}

		switch {
		case next == "" && len(left) <= 1:
			return b.tried[last], nil, nil
		case next == "":
			return nil, left, nil
		}

		fmt.Fprintf(b.stderr, "%d revisions left, about %s: testing %s\n", len(left),
			english.Plural(bits.Len(uint(len(left)-1)), "step", ""), b.history.subject(ctx, next))
		t, err := b.try(ctx, next)
		if err != nil {
			return nil, nil, err
		}

		switch t.State {
		case later.State:
			last = next
		case earlier.State:
			before = append(before, next)
		}

		what := t.State
		if t.Value != nil {
			what += fmt.Sprintf(", %s %.4f", b.metric, *t.Value)
		} else {
			what += ": " + t.Reason
		}

		fmt.Fprintln(b.stderr, " ", what)
	}
}

// between lists the commits that may be the first of the later kind, ordered by how
// well they bisect the history.
func (b *bisector) between(ctx context.Context, last string, before []string) ([]string, error) {
	args := []string{"rev-list", "--bisect-all"}
	args = append(args, last)
	for _, commit := range before {
		args = append(args, "^"+commit)
	}

	text, err := b.history.git(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("list the revisions in between: %w", err)
	}

	var commits []string
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 0 {
			commits = append(commits, fields[0])
		}
	}

	return commits, nil
}

// before returns the revision to compare the found commit with: its parent, or the
// earlier end if the parent cannot be tested.
func (b *bisector) before(ctx context.Context, first, earlier *tried) (*tried, error) {
	parent, err := b.history.resolve(ctx, first.Commit+"^")
	if err != nil {
		return earlier, nil // first has no parent
	}

	t, err := b.try(ctx, parent)
	if err != nil {
		return nil, err
	}

	if t.Value == nil {
		return earlier, nil
	}

	return t, nil
}

// try runs the pipeline on a revision. An error ends the bisection. A failure caused by
// the revision itself is part of the result.
func (b *bisector) try(ctx context.Context, commit string) (*tried, error) {
	if t := b.tried[commit]; t != nil {
		return t, nil
	}

	t := &tried{Commit: commit, Subject: b.history.subject(ctx, commit), State: stateSkipped}
	if reason, ok := b.skips.Reasons[commit]; ok {
		t.Reason = reason
	} else if err := b.measure(ctx, t); err != nil {
		return nil, err
	}

	b.tried[commit] = t
	b.order = append(b.order, t)
	return t, nil
}

func (b *bisector) measure(ctx context.Context, t *tried) error {
	source, err := b.history.checkOut(ctx, t.Commit)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}

		return b.skip(t, err.Error())
	}

	own := b.flags.with([]string{"proxy_source=" + source}, nil)
	own.json = b.flags.json
	run, err := runSide(ctx, own, b.run, sideOptions{source: source}, b.stderr)
	var broken *sourceError
	switch {
	case errors.As(err, &broken):
		return b.skip(t, broken.Error())
	case err != nil:
		return err
	}

	t.figures = run.figures
	for _, m := range run.figures.Retrieval.Metrics {
		if m.Metric == b.metric {
			value := m.Mean
			t.Value = &value
		}
	}

	if t.Value == nil {
		return fmt.Errorf("stage %s has no %s; name another --metric", aggregateStage, b.metric)
	}

	t.State = stateGood
	if *t.Value < b.below {
		t.State = stateBad
	}

	return nil
}

// skip records a revision that cannot be tested, for this bisection and later ones.
func (b *bisector) skip(t *tried, reason string) error {
	t.Reason = reason
	b.skips.Reasons[t.Commit] = reason
	return b.skips.write()
}

// first returns the commit that was found, or nil if it is not certain.
func (found *bisectJSON) first() *tried { return cmp.Or(found.FirstBad, found.FirstGood) }

// print prints the result.
func (f *bisectFlags) print(w io.Writer, found *bisectJSON) {
	kind := stateBad
	if found.mended {
		kind = stateGood
	}

	t := found.first()
	if t == nil {
		fmt.Fprintf(w, "the first %s commit is one of these %d; all but the last could not be tested:\n", kind,
			len(found.Suspects))
		for _, s := range found.Suspects {
			fmt.Fprintln(w, " ", s)
		}

		return
	}

	fmt.Fprintf(w, "%s is the first %s commit\n  %s\n", t.Commit, kind, t.Subject)
	fmt.Fprintf(w, "%s: %.4f, compared with %.4f at %s; values below %.4f are bad\n", found.Metric, *t.Value,
		*found.Before.Value, cmp.Or(found.Before.Subject, found.Before.Commit), found.Below)
	changed := []struct {
		verb    string
		queries []compare.Query
	}{{"lost", found.Lost}, {"won", found.Won}}
	if found.mended {
		slices.Reverse(changed)
	}

	for i, c := range changed {
		if i > 0 && len(c.queries) == 0 {
			continue
		}

		fmt.Fprintf(w, "it %s %s:\n", c.verb, english.Plural(len(c.queries), "query", ""))
		compare.WriteQueries(w, c.queries, f.most)
	}
}
