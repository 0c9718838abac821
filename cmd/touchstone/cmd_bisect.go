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

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/compare"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/render"
)

// bisectFlags are what the command line says.
type bisectFlags struct {
	repo, good, bad, metric string
	stage                   string
	tolerance, threshold    float64
	firstParent, retry      bool
	most                    int
	run                     runFlags
}

// bisectJSON is the shape of bisect --json.
type bisectJSON struct {
	Metric string `json:"metric"`
	// Below is the value below which a revision is bad.
	Below float64 `json:"below"`
	Good  tried   `json:"good"`
	Bad   tried   `json:"bad"`
	// FirstBad is null where revisions that could not be tried leave several
	// to suspect, and where the good revision is the later one: then FirstGood
	// is what is looked for.
	FirstBad  *tried `json:"first_bad"`
	FirstGood *tried `json:"first_good"`
	// Before is what the queries that were lost or won are compared with.
	Before   *tried          `json:"before"`
	Suspects []string        `json:"suspects"`
	Lost     []compare.Query `json:"lost"`
	Won      []compare.Query `json:"won"`
	Tried    []*tried        `json:"tried"` // in the order in which they were

	mended bool // the good revision is the later one
}

// tried is a revision and what came of it. Value is null where it could not be
// tried, which Reason explains.
type tried struct {
	Commit  string   `json:"commit"`
	Subject string   `json:"subject"`
	State   string   `json:"state"`
	Value   *float64 `json:"value"`
	Reason  string   `json:"reason"`

	figures *contracts.Aggregate
}

// States of a revision.
const (
	stateGood    = "good"
	stateBad     = "bad"
	stateSkipped = "skipped"
)

func newBisectCommand(flags *globalFlags) *cobra.Command {
	f := &bisectFlags{}
	cmd := &cobra.Command{
		Use:   "bisect --repo DIR --good REV --bad REV",
		Short: "Find the commit of a proxy that lost queries, or that won them",
		Long: `Halves the history between a good and a bad revision until one commit is left,
and names the queries that it lost. Where the good revision is the later one, it
finds the commit that mended the proxy, and the queries that it won. Each step is a run of the pipeline with
proxy_source set to that revision, so what is unchanged comes from the store, and
a bisection that was interrupted goes on where it was when the same command runs
again. The repository is only read.

A revision is bad when the metric is below --threshold, or more than --tolerance
below the good one; with neither, when it is nearer to the bad one's value than
to the good one's. A revision whose source fails to build or to start is skipped,
and remembered as such.`,
		Example: `  touchstone bisect --repo ../my-proxy --good v1.4.0 --bad HEAD --metric recall_at_5 --var 'proxy_build=["make"]' --var proxy_binary=bin/my-proxy`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(contracts.MetricNames, f.metric) {
				return fmt.Errorf("--metric %q is none: use one of %s", f.metric, strings.Join(contracts.MetricNames, ", "))
			}
			if m, _ := metrics.RankingByName(f.metric); m.LowerIsBetter {
				return fmt.Errorf("--metric %s: a revision is bad when a metric is too low, and a lower %s is better; use another metric", f.metric, m.Label)
			}
			if cmd.Flags().Changed("tolerance") && cmd.Flags().Changed("threshold") {
				return errors.New("--tolerance and --threshold contradict each other: give one of them")
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
	p.StringVar(&f.good, "good", "", "a revision that is good")
	p.StringVar(&f.bad, "bad", "HEAD", "a revision that is bad")
	p.StringVar(&f.metric, "metric", "recall_at_5", "the ranking metric to judge by")
	p.Float64Var(&f.tolerance, "tolerance", 0, "how far below the good revision is still good")
	p.Float64Var(&f.threshold, "threshold", 0, "the value below which a revision is bad")
	p.BoolVar(&f.firstParent, "first-parent", false, "follow only the first parent of merges")
	p.BoolVar(&f.retry, "retry-skipped", false, "try again what an earlier bisection could not build")
	p.IntVar(&f.most, "queries", 20, "how many lost queries are shown")
	p.StringVar(&f.stage, "stage", "aggregate", "the stage whose output holds the figures")
	f.run.add(cmd)
	for _, name := range []string{"repo", "good"} {
		cmd.MarkFlagRequired(name)
	}
	return cmd
}

// bisector is a bisection under way.
type bisector struct {
	*bisectFlags
	flags   *globalFlags
	history *revisions
	stderr  io.Writer
	below   float64
	mended  bool // the good revision is the later one
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
	b := &bisector{bisectFlags: f, flags: flags, history: history, stderr: cmd.ErrOrStderr(), below: math.Inf(-1), tried: map[string]*tried{}}
	if b.skips, err = readSkipped(history.dir, flags, f.retry); err != nil {
		return nil, err
	}
	good, bad, err := b.ends(ctx, cmd)
	if err != nil {
		return nil, err
	}
	found := &bisectJSON{Metric: f.metric, Below: b.below, Good: *good, Bad: *bad, Suspects: []string{}, Lost: []compare.Query{}, Won: []compare.Query{}, mended: b.mended}
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

// ends tries the two revisions that were named and settles what is bad.
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
			return nil, nil, &exitError{exitStageFailed, fmt.Errorf("%s cannot be tried: %s; name another revision with --%s", revision, ends[i].Reason, []string{"good", "bad"}[i])}
		}
	}
	good, bad = ends[0], ends[1]
	if !b.history.isAncestor(ctx, good.Commit, bad.Commit) {
		if b.mended = b.history.isAncestor(ctx, bad.Commit, good.Commit); ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if !b.mended {
			return nil, nil, fmt.Errorf("neither of %s and %s comes after the other, so no commit between them turned one into the other; name a revision that both come from", b.good, b.bad)
		}
	}
	switch {
	case cmd.Flags().Changed("threshold"):
		b.below = b.threshold
	case cmd.Flags().Changed("tolerance"):
		b.below = *good.Value - b.tolerance
	default:
		b.below = (*good.Value + *bad.Value) / 2
	}
	fmt.Fprintf(b.stderr, "a revision is bad when %s is below %.4f; %s has %.4f, %s has %.4f\n", b.metric, b.below, b.good, *good.Value, b.bad, *bad.Value)
	if *good.Value < b.below {
		return nil, nil, fmt.Errorf("%s is bad itself: %s is %.4f, and below %.4f is bad; name another good revision, or another bound", b.good, b.metric, *good.Value, b.below)
	}
	if *bad.Value >= b.below {
		return nil, nil, fmt.Errorf("%s is not bad: %s is %.4f there and %.4f at %s; name another bad revision, or another bound", b.bad, b.metric, *bad.Value, *good.Value, b.good)
	}
	good.State, bad.State = stateGood, stateBad
	return good, bad, nil
}

// halve narrows the history down. Either one commit is left, or those that
// could not be tried leave several suspects.
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
		fmt.Fprintf(b.stderr, "%d revisions left, about %s: trying %s\n", len(left), counted(bits.Len(uint(len(left)-1)), "step", "steps"), b.history.subject(ctx, next))
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

// between lists the commits that may be the first of the later kind, those
// first that halve them best.
func (b *bisector) between(ctx context.Context, last string, before []string) ([]string, error) {
	args := []string{"rev-list", "--bisect-all"}
	if b.firstParent {
		args = append(args, "--first-parent")
	}
	args = append(args, last)
	for _, commit := range before {
		args = append(args, "^"+commit)
	}
	text, err := b.history.git(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("list the revisions between: %w", err)
	}
	var commits []string
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 0 {
			commits = append(commits, fields[0])
		}
	}
	return commits, nil
}

// before is the revision that the first of the later kind is compared with: its
// parent, or the earlier end where that cannot be tried.
func (b *bisector) before(ctx context.Context, first, earlier *tried) (*tried, error) {
	parent, err := b.history.resolve(ctx, first.Commit+"^")
	if err != nil {
		return earlier, nil // it has none
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

// try runs the pipeline over a revision. An error ends the bisection; what is
// wrong with the revision is in the result.
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
	run, err := runSide(ctx, own, b.run, sideOptions{stage: b.stage, source: source}, b.stderr)
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
		return fmt.Errorf("stage %s has no %s; name another --metric", b.stage, b.metric)
	}
	t.State = stateGood
	if *t.Value < b.below {
		t.State = stateBad
	}
	return nil
}

// skip notes a revision that cannot be tried, for this bisection and the next.
func (b *bisector) skip(t *tried, reason string) error {
	t.Reason = reason
	b.skips.Reasons[t.Commit] = reason
	return b.skips.write()
}

// first is the commit that was looked for; nil where it is not certain.
func (found *bisectJSON) first() *tried { return cmp.Or(found.FirstBad, found.FirstGood) }

// print says what was found.
func (f *bisectFlags) print(w io.Writer, found *bisectJSON) {
	kind := stateBad
	if found.mended {
		kind = stateGood
	}
	t := found.first()
	if t == nil {
		fmt.Fprintf(w, "the first %s commit is one of these %d; all but the last could not be tried:\n", kind, len(found.Suspects))
		for _, s := range found.Suspects {
			fmt.Fprintln(w, " ", s)
		}
		return
	}
	fmt.Fprintf(w, "%s is the first %s commit\n  %s\n", t.Commit, kind, t.Subject)
	fmt.Fprintf(w, "%s: %.4f, and %.4f at %s; below %.4f is bad\n", found.Metric, *t.Value, *found.Before.Value, cmp.Or(found.Before.Subject, found.Before.Commit), found.Below)
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
		fmt.Fprintf(w, "it %s %s:\n", c.verb, counted(len(c.queries), "query", "queries"))
		render.WriteComparedQueries(w, c.queries, f.most)
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
