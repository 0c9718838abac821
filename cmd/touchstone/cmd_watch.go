package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/compare"
	"github.com/touchstone-eval/touchstone/internal/engine"
)

// watchJSON is a line of watch --json: what a run after a change gave. Passed
// is null where there is no verdict, Run where the pipeline could not be read;
// Lost and Won are queries against the run before, by nDCG@10.
type watchJSON struct {
	Changed []string           `json:"changed"`
	Error   string             `json:"error"`
	Passed  *bool              `json:"passed"`
	Metrics map[string]float64 `json:"metrics"`
	Lost    []string           `json:"lost"`
	Won     []string           `json:"won"`
	Run     *runJSON           `json:"run"`
}

func newWatchCommand(flags *globalFlags) *cobra.Command {
	w := &watch{flags: flags}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Run again whenever a dataset, the pipeline or the proxy's source is edited",
		Long: `Brings the pipeline up to date, shows a summary, and does so again after every
edit of a file that a stage reads: only what depends on the edit runs. An edit
during a run ends that run, and what had finished is kept. What is wrong with a
file that is half saved is shown, and waited out. An interrupt ends it, and is no
failure.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.out, w.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if f, ok := w.out.(interface{ Fd() uintptr }); ok && !flags.json {
				w.terminal = term.IsTerminal(int(f.Fd()))
			}
			return w.watch(cmd.Context())
		},
	}
	p := cmd.Flags()
	p.StringArrayVar(&w.run.selection.Until, "until", nil, "run this stage or instance and all that it needs, and nothing else")
	p.StringVar(&w.stage, "stage", "aggregate", "the stage whose output holds the figures to show, where there is one")
	p.DurationVar(&w.quiet, "quiet", 200*time.Millisecond, "how long files have to be left alone before a run")
	w.run.add(cmd)
	return cmd
}

// watch is a watch under way.
type watch struct {
	flags       *globalFlags
	run         runFlags
	stage       string
	quiet       time.Duration
	out, stderr io.Writer
	terminal    bool

	files *watched
	// settled is what the last run worked with, by instance: an event that
	// changes no key of it, and brings and takes no instance, is nobody's
	// business.
	settled map[string]settled
	// complaint is what was last said about a pipeline that cannot be read.
	complaint string
	before    *contracts.Aggregate
}

// settled is an instance in a run that has ended.
type settled struct {
	key    cache.Key // zero where it could not be keyed
	passed bool      // over: not selected, or behind one that failed
}

func (w *watch) watch(ctx context.Context) error {
	// A file that is gone for a moment is waited for; one that never was there
	// is a wrong directory.
	if err := pipelineThere(w.flags); err != nil {
		return err
	}
	files, err := newWatched(w.flags.sources())
	if err != nil {
		return err
	}
	defer files.close()
	w.files = files
	var changed []string
	for {
		if err := w.once(ctx, changed); err != nil && ctx.Err() == nil {
			return err
		}
		if changed, err = files.wait(ctx, w.quiet); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
}

// once brings the pipeline up to date and shows what came of it.
func (w *watch) once(ctx context.Context, changed []string) error {
	var said bytes.Buffer
	s, err := openSession(w.flags, &said)
	if err != nil {
		var known *exitError
		if !errors.As(err, &known) || known.err != nil {
			fmt.Fprintln(&said, "touchstone:", err)
		}
		if err := w.files.keep(w.flags.sources()); err != nil {
			return err
		}
		if text := said.String(); text != w.complaint {
			w.complaint, w.settled = text, nil
			return w.show(watchJSON{Changed: changed, Error: text}, strings.Split(strings.TrimRight(text, "\n"), "\n"))
		}
		return nil
	}
	defer s.close()
	if err := w.files.always(append(slices.Clone(s.plan.Files), w.flags.varFiles...)); err != nil {
		return err
	}
	if err := w.files.follow(s.plan); err != nil {
		return err
	}
	if w.complaint == "" && w.isSettled(ctx, s) {
		return nil
	}
	w.complaint = ""
	running, cancel := w.files.untilEdited(ctx)
	defer cancel()
	facts, lines := watchJSON{Changed: changed}, []string{}
	outcomes, sum, err := s.run(running, &w.run, w.flags.json, w.stderr, func(outcomes []*engine.Outcome) error {
		lines, err = w.summary(s, outcomes, &facts)
		return err
	})
	if ctx.Err() != nil || running.Err() != nil {
		return nil // the next round, if there is one, starts from what is kept
	}
	if outcomes != nil {
		w.settle(outcomes)
		run := s.runFacts(outcomes, sum)
		facts.Run = &run
	}
	if err != nil {
		err = s.explainFailure(&said, outcomes, err)
		facts.Error = err.Error()
		lines = append(strings.Split(strings.TrimRight(said.String(), "\n"), "\n"), "touchstone: "+err.Error())
	} else {
		lines = append(lines, s.summaryLine(sum))
	}
	return w.show(facts, lines)
}

// isSettled tells whether nothing that the last run read has changed.
func (w *watch) isSettled(ctx context.Context, s *session) bool {
	if w.settled == nil {
		return false
	}
	outcomes, err := s.engine.Evaluate(ctx, s.plan)
	if err != nil {
		return ctx.Err() != nil
	}
	for _, o := range outcomes {
		before, known := w.settled[o.Instance.String()]
		if !known || !before.passed && before.key != o.Key {
			return false
		}
	}
	return len(outcomes) == len(w.settled)
}

// settle notes the keys that a run has worked with.
func (w *watch) settle(outcomes []*engine.Outcome) {
	w.settled = make(map[string]settled, len(outcomes))
	for _, o := range outcomes {
		w.settled[o.Instance.String()] = settled{o.Key, o.State == engine.Skipped}
	}
}

// summary is what a run gave: the verdict where there is one, and the figures
// beside those of the run before.
func (w *watch) summary(s *session, outcomes []*engine.Outcome, facts *watchJSON) ([]string, error) {
	var lines []string
	if ref := s.plan.Verdict; ref != nil {
		if _, ok := outcomes[ref.Instance].Output(ref.Output); ok {
			v, err := s.verdict(outcomes)
			if err != nil {
				return nil, err
			}
			facts.Passed = &v.Passed
			lines = v.lines()
		}
	}
	figures, err := s.aggregate(outcomes, w.stage)
	if err != nil {
		return lines, nil // a pipeline may well have none
	}
	facts.Metrics = map[string]float64{}
	for _, m := range figures.Retrieval.Metrics {
		facts.Metrics[m.Metric] = m.Mean
	}
	lines = append(lines, w.moved(&figures, facts)...)
	w.before = &figures
	return lines, nil
}

// mostMoved is how many queries the summary names.
const mostMoved = 8

// moved sets the figures beside those of the run before.
func (w *watch) moved(now *contracts.Aggregate, facts *watchJSON) []string {
	var c *compare.Comparison
	if w.before != nil {
		c, _ = compare.Reports("before", w.before, "now", now, compare.Options{}) // nil for another golden set
	}
	var lines []string
	for _, m := range now.Retrieval.Metrics {
		line := fmt.Sprintf("  %-12s %.4f", m.Metric, m.Mean)
		if c != nil {
			for _, compared := range c.Metrics {
				if compared.Metric == m.Metric && compared.Delta != 0 {
					line += fmt.Sprintf("  %+.4f", compared.Delta)
				}
			}
		}
		lines = append(lines, line)
	}
	if c == nil {
		return lines
	}
	for _, q := range c.Queries {
		switch q.Outcome {
		case compare.Loss:
			facts.Lost = append(facts.Lost, q.ID)
		case compare.Win:
			facts.Won = append(facts.Won, q.ID)
		}
	}
	for _, x := range []struct {
		what string
		ids  []string
	}{{"lost", facts.Lost}, {"won", facts.Won}} {
		if n := len(x.ids); n > 0 {
			more := ""
			if n > mostMoved {
				more = fmt.Sprintf(" and %d more", n-mostMoved)
			}
			lines = append(lines, fmt.Sprintf("  %s since the last run: %s%s", x.what, strings.Join(x.ids[:min(n, mostMoved)], ", "), more))
		}
	}
	return lines
}

// show draws the summary anew on a terminal, and appends it elsewhere.
func (w *watch) show(facts watchJSON, lines []string) error {
	if w.flags.json {
		for _, list := range []*[]string{&facts.Changed, &facts.Lost, &facts.Won} {
			*list = append([]string{}, *list...)
		}
		if facts.Metrics == nil {
			facts.Metrics = map[string]float64{}
		}
		return json.NewEncoder(w.out).Encode(facts)
	}
	var b strings.Builder
	if w.terminal {
		b.WriteString("\x1b[H\x1b[2J\x1b[3J")
	}
	head := "watching; interrupt to end"
	if len(facts.Changed) > 0 {
		shown := slices.Clone(facts.Changed[:min(len(facts.Changed), 3)])
		if n := len(facts.Changed) - len(shown); n > 0 {
			shown = append(shown, fmt.Sprintf("%d more", n))
		}
		head = "changed: " + strings.Join(shown, ", ")
	}
	fmt.Fprintf(&b, "── %s ── %s\n", time.Now().Format(time.TimeOnly), head)
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w.out, b.String())
	return err
}
