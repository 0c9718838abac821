//go:build !containers

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/filewatch"
	"github.com/touchstone-eval/touchstone/internal/report/compare"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// watchJSON is a line of watch --json: the result of a run after a change. Passed is null if
// there is no verdict. Run is null if the pipeline could not be read. Lost and Won are
// queries compared with the previous run, by nDCG@10.
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
		Short: "Run again whenever a dataset, the pipeline or the proxy's source changes",
		Long: `Brings the pipeline up to date, shows a summary, and repeats this after every change of a
file that a stage reads. Only stages that depend on the change run. A change during a run
stops that run; the results of finished stages are kept. Errors in a partially saved file
are shown until it is complete. An interrupt ends the command with success.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.out, w.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if f, ok := w.out.(interface{ Fd() uintptr }); ok && !flags.json {
				w.terminal = term.IsTerminal(int(f.Fd()))
			}

			return w.watch(cmd.Context())
		},
	}
	p := cmd.Flags()
	p.StringArrayVar(&w.run.selection.Until, "until", nil,
		"run only this stage or instance and everything that it depends on")
	w.run.add(cmd)
	return cmd
}

// settleTime is how long files must be unchanged before a run starts: an editor writes a file in several steps.
const settleTime = 200 * time.Millisecond

// watch is the state of the command.
type watch struct {
	flags       *globalFlags
	run         runFlags
	out, stderr io.Writer
	terminal    bool

	files *filewatch.Watcher
	// settled holds the instances of the last run. An event that changes none of
	// their keys, and adds or removes no instance, is ignored.
	settled map[string]settled
	// complaint is the last message about a pipeline that cannot be read.
	complaint string
	before    *contracts.Aggregate
}

// settled is an instance of a run that has ended.
type settled struct {
	key    cache.Key // zero if it has no key
	passed bool      // whether it did not run: not selected, or after a failure
}

func (w *watch) watch(ctx context.Context) error {
	// Later, a missing file is waited for. But if it is missing at the start,
	// the directory is wrong.
	if err := checkPipelineExists(w.flags); err != nil {
		return err
	}

	files, err := filewatch.New(w.flags.sources())
	if err != nil {
		return err
	}

	defer files.Close()
	w.files = files
	var changed []string
	for {
		if err := w.once(ctx, changed); err != nil && ctx.Err() == nil {
			return err
		}

		if changed, err = files.Wait(ctx, settleTime); err != nil {
			if ctx.Err() != nil {
				return nil
			}

			return err
		}
	}
}

// once brings the pipeline up to date and shows the result.
func (w *watch) once(ctx context.Context, changed []string) error {
	var said bytes.Buffer
	s, err := openSession(ctx, w.flags, &said)
	if err != nil {
		var known *exitError
		if !errors.As(err, &known) || known.err != nil {
			fmt.Fprintln(&said, "touchstone:", err)
		}

		if err := w.files.Keep(w.flags.sources()); err != nil {
			return err
		}

		if text := said.String(); text != w.complaint {
			w.complaint, w.settled = text, nil
			return w.show(watchJSON{Changed: changed, Error: text}, strings.Split(strings.TrimRight(text, "\n"), "\n"))
		}

		return nil
	}

	defer s.close()
	if err := w.files.Always(append(slices.Clone(s.plan.Files), w.flags.varFiles...)); err != nil {
		return err
	}

	if err := w.files.Follow(s.plan); err != nil {
		return err
	}

	if w.complaint == "" && w.isSettled(ctx, s) {
		return nil
	}

	w.complaint = ""
	running, cancel := w.files.UntilEdited(ctx)
	defer cancel()
	facts, lines := watchJSON{Changed: changed}, []string{}
	outcomes, sum, err := s.run(running, &w.run, w.flags.json, w.stderr, func(outcomes []*engine.Outcome) error {
		lines, err = w.summary(s, outcomes, &facts)
		return err
	})
	if ctx.Err() != nil || running.Err() != nil {
		return nil // the next round uses the cached results
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
		lines = append(lines, s.summaryLine(outcomes, sum))
	}

	return w.show(facts, lines)
}

// isSettled reports whether nothing that the last run read has changed.
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

// settle records the keys of a run.
func (w *watch) settle(outcomes []*engine.Outcome) {
	w.settled = make(map[string]settled, len(outcomes))
	for _, o := range outcomes {
		w.settled[o.Instance.String()] = settled{o.Key, o.State == engine.Skipped}
	}
}

// summary describes the result of a run: the verdict, if there is one, and the figures
// compared with those of the previous run.
func (w *watch) summary(s *session, outcomes []*engine.Outcome, facts *watchJSON) ([]string, error) {
	var lines []string
	if ref := s.plan.Verdict; ref != nil {
		if _, ok := outcomes[ref.Instance].Output(ref.Output); ok {
			v, err := s.verdict(outcomes)
			if err != nil {
				return nil, err
			}

			if !v.None {
				facts.Passed = &v.Passed
			}

			lines = v.lines()
		}
	}

	figures, err := s.aggregate(outcomes)
	if err != nil {
		return lines, nil // a pipeline need not have this stage
	}

	facts.Metrics = map[string]float64{}
	for _, m := range figures.Retrieval.Metrics {
		facts.Metrics[m.Metric] = m.Mean
	}

	lines = append(lines, w.moved(&figures, facts)...)
	w.before = &figures
	return lines, nil
}

// mostMoved is the number of queries that the summary lists.
const mostMoved = 8

// moved returns the figures with their changes since the previous run.
func (w *watch) moved(now *contracts.Aggregate, facts *watchJSON) []string {
	var c *compare.Comparison
	if w.before != nil {
		c, _ = compare.Reports("before", w.before, "now", now, compare.Options{}) // nil for another golden set
	}

	var lines []string
	if now.Degraded != "" {
		lines = append(lines, "  the index is degraded on purpose: "+safetext.Visible(now.Degraded))
	}

	for _, m := range now.Retrieval.Metrics {
		line := fmt.Sprintf("  %-12s %.4f", m.Metric, m.Mean)
		if c != nil {
			for _, compared := range c.Metrics {
				if compared.Metric == m.Metric && compared.Delta != 0 {
					line += fmt.Sprintf("  %+.4f (95%% interval %+.4f to %+.4f)", compared.Delta,
						compared.DeltaInterval.Low, compared.DeltaInterval.High)
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

			lines = append(lines, fmt.Sprintf("  %s since the last run: %s%s", x.what,
				strings.Join(x.ids[:min(n, mostMoved)], ", "), more))
		}
	}

	return lines
}

// show redraws the summary on a terminal, and appends it to other outputs.
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

	head := "watching; interrupt to stop"
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

// sources lists the files of the pipeline that are known. It also works for an invalid
// pipeline.
func (f *globalFlags) sources() []string {
	list := append([]string{pipeline.MainFileOf(f.file)}, f.varFiles...)
	_, _, files := pipeline.Load(f.options())
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
