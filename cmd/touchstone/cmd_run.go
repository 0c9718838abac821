package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/toollist"
	"github.com/touchstone-eval/touchstone/stages/render"
)

// runFlags are shared by the verbs that execute stages.
type runFlags struct {
	selection engine.Selection
	force     bool
	keepGoing bool
	jobs      int
	progress  string
	events    string
	workDir   string
}

func (f *runFlags) add(cmd *cobra.Command) {
	p := cmd.Flags()
	p.BoolVar(&f.force, "force", false, "execute the selected stages even where they are hits")
	p.BoolVar(&f.keepGoing, "keep-going", false, "after a failure, run what does not depend on it")
	p.IntVarP(&f.jobs, "jobs", "j", 0, "how many stages run at once (default: the number of processors; at least 8 with --executor dagger)")
	p.StringVar(&f.progress, "progress", "auto", "auto, tty, plain, json or quiet")
	p.StringVar(&f.events, "events", "", "write the event log, one JSON object a line, to this file")
	p.StringVar(&f.workDir, "work-dir", "", "where stages run (default: in the store's directory)")
}

// runJSON is the shape of run --json and, within gateJSON, of gate --json.
type runJSON struct {
	Selected   int        `json:"selected"`
	Hits       int        `json:"hits"`
	Executed   int        `json:"executed"`
	Failures   int        `json:"failures"`
	DurationMS int64      `json:"duration_ms"`
	Stages     []runStage `json:"stages"`
}

type runStage struct {
	Stage      string   `json:"stage"`
	Instance   string   `json:"instance"`
	Status     string   `json:"status"`
	Key        string   `json:"key,omitempty"`
	Reasons    []string `json:"reasons"`
	DurationMS int64    `json:"duration_ms"`
	Error      string   `json:"error,omitempty"`
	Cause      string   `json:"cause,omitempty"`
}

func newRunCommand(flags *globalFlags) *cobra.Command {
	rf := &runFlags{}
	var out string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Bring stages up to date; executes only what changed",
		Long: `Brings every stage, or the selected ones, up to date.

  --only X    X alone; what it reads has to be up to date
  --from X    X and all that depends on it; what they read besides has to be up to date
  --until X   X and all that it needs

A stage that is off cannot be named, and one that runs on demand only runs when it
is named. A stage whose cache is off has no result to read, so it runs along where another
needs it. X is a stage's name or one instance, 'score-retrieval[run=1]'; each flag may be
repeated, and flags combine: --from A --until B is what lies between.
With -o the outputs of the last selected stage are written to a directory, those
of a stage with a matrix below the names of its instances.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openSession(flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer s.close()
			outcomes, sum, err := s.run(cmd.Context(), rf, flags.json, cmd.ErrOrStderr(), func(outcomes []*engine.Outcome) error {
				if out == "" {
					return nil
				}
				return s.copyLast(outcomes, out)
			})
			if outcomes != nil && flags.json {
				if err := printJSON(cmd.OutOrStdout(), s.runFacts(outcomes, sum)); err != nil {
					return err
				}
			}
			if err != nil {
				return s.explainFailure(cmd.ErrOrStderr(), outcomes, err)
			}
			if !flags.json && rf.progress != "quiet" {
				fmt.Fprintln(cmd.OutOrStdout(), s.summaryLine(sum))
			}
			return nil
		},
	}
	p := cmd.Flags()
	p.StringArrayVar(&rf.selection.Only, "only", nil, "run this stage or instance and nothing else")
	p.StringArrayVar(&rf.selection.From, "from", nil, "run this stage or instance and all that depends on it")
	p.StringArrayVar(&rf.selection.Until, "until", nil, "run this stage or instance and all that it needs")
	p.StringVarP(&out, "output", "o", "", "write the outputs of the last selected stage to this directory")
	rf.add(cmd)
	return cmd
}

// maxRepairs bounds the runs that follow on damage: far more than there are
// published outputs.
const maxRepairs = 32

// run executes the plan with progress and events, publishes, and lets use read
// what it wants of the results.
func (s *session) run(ctx context.Context, rf *runFlags, quiet bool, stderr io.Writer, use func([]*engine.Outcome) error) ([]*engine.Outcome, engine.Summary, error) {
	if rf.jobs < 0 {
		return nil, engine.Summary{}, fmt.Errorf("-j %d: give 1 or more", rf.jobs)
	}
	if rf.jobs > 0 {
		s.engine.Jobs = rf.jobs
	}
	if rf.workDir != "" {
		dir, err := filepath.Abs(rf.workDir)
		if err != nil {
			return nil, engine.Summary{}, err
		}
		s.engine.WorkDir = dir
	}
	if err := s.reachExecutor(ctx); err != nil {
		return nil, engine.Summary{}, err
	}
	if err := s.hitsOnly(ctx); err != nil {
		return nil, engine.Summary{}, err
	}
	show, err := newProgress(rf.progress, quiet, stderr)
	if err != nil {
		return nil, engine.Summary{}, err
	}
	sinks := []func(engine.Event){show.event}
	log := &eventLog{}
	if rf.events != "" {
		f, err := os.Create(rf.events)
		if err != nil {
			return nil, engine.Summary{}, fmt.Errorf("opening the event log: %w; name another file with --events", err)
		}
		defer f.Close()
		log.w = f
		sinks = append(sinks, log.event)
	}
	s.engine.Events = func(e engine.Event) {
		for _, sink := range sinks {
			sink(e)
		}
	}
	defer show.close()
	opts := engine.RunOptions{Selection: rf.selection, Force: rf.force, KeepGoing: rf.keepGoing}
	outcomes, sum, err := s.engine.Run(ctx, s.plan, opts)
	// Damage is found when content is read. Then it is out of the store, and
	// another run makes it again, to find the next. A disk that damages what
	// was just written must not keep this going.
	for more := maxRepairs; err == nil; more-- {
		err = s.hand(ctx, outcomes, sum, use)
		if !cache.Damaged(err) || more == 0 {
			break
		}
		opts.Force = false
		executed := sum.Executed
		outcomes, sum, err = s.engine.Run(ctx, s.plan, opts)
		sum.Executed, sum.Hits = sum.Executed+executed, max(0, sum.Hits-executed)
	}
	if err == nil && log.err != nil {
		err = fmt.Errorf("the run has ended well, and its event log is not whole: %w; name another file with --events", log.err)
	}
	return outcomes, sum, err
}

// hand gives the results of a run to whoever asked for them.
func (s *session) hand(ctx context.Context, outcomes []*engine.Outcome, sum engine.Summary, use func([]*engine.Outcome) error) error {
	// Publishing is last: a tree that cannot be written to is no reason to
	// keep the verdict back.
	if err := use(outcomes); err != nil {
		return err
	}
	facts := s.runSummary(outcomes, sum)
	return s.engine.Publish(ctx, s.plan, outcomes, sum.Executed > 0, func(path string, content []byte) ([]byte, error) {
		if path != reportPage {
			return content, nil
		}
		return render.WithRun(content, facts)
	})
}

// eventLog writes events as JSON, one a line, until that fails.
type eventLog struct {
	w   io.Writer
	err error
}

func (l *eventLog) event(e engine.Event) {
	if l.err == nil {
		l.err = json.NewEncoder(l.w).Encode(e)
	}
}

// explainFailure prints the end of a failed stage's log, with paths as the
// user knows them, and passes the error on.
func (s *session) explainFailure(w io.Writer, outcomes []*engine.Outcome, err error) error {
	if errors.Is(err, context.Canceled) {
		return &exitError{exitInterrupted, errors.New("interrupted; finished stages are kept and will be hits")}
	}
	var failed *engine.StageError
	if !errors.As(err, &failed) {
		return err
	}
	for _, o := range outcomes {
		if o.State != engine.Failed {
			continue
		}
		if len(o.Failed.Outputs) > 0 {
			fmt.Fprintf(w, "%s | kept what it wrote: %s; %s logs %s -o DIR copies it\n", o.Instance, failedNames(o.Failed), toolName, toollist.QuoteWord(o.Instance.String()))
		}
		log, readErr := s.store.Bytes(o.Stderr)
		if readErr != nil || len(log) == 0 {
			log, _ = s.store.Bytes(o.Stdout) // without a log there is nothing to print of it
		}
		for _, line := range tail(s.sourceNames(o, string(log)), 40) {
			fmt.Fprintf(w, "%s | %s\n", o.Instance, line)
		}
	}
	return err
}

// sourceNames puts the names of source files in the place of the names that
// inputs have inside a stage's directory.
func (s *session) sourceNames(o *engine.Outcome, log string) string {
	var pairs []string
	for _, input := range o.Instance.Inputs {
		source := s.sourceOf(&input)
		if source != "" {
			pairs = append(pairs, input.Path, source)
		}
	}
	return strings.NewReplacer(pairs...).Replace(log)
}

// tail returns the last n lines, with a first line that says what was left
// out.
func tail(log string, n int) []string {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	if len(lines) <= n {
		if len(lines) == 1 && lines[0] == "" {
			return nil
		}
		return lines
	}
	left := len(lines) - n
	return append([]string{fmt.Sprintf("(%d lines before; %s logs shows all)", left, toolName)}, lines[left:]...)
}

// copyLast writes the outputs of the last selected stage to a directory, each
// at its path below out/, below the instance's name when it has several.
func (s *session) copyLast(outcomes []*engine.Outcome, dir string) error {
	last := ""
	for _, o := range outcomes {
		if o.State == engine.Hit || o.State == engine.Ran {
			last = o.Instance.Stage
		}
	}
	for _, o := range outcomes {
		if o.Instance.Stage != last {
			continue
		}
		for _, out := range o.Outputs {
			to := filepath.Join(dir, o.Instance.Name(), filepath.FromSlash(strings.TrimPrefix(out.Path, "out/")))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if err := s.engine.CopyOutput(out, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *session) runFacts(outcomes []*engine.Outcome, sum engine.Summary) runJSON {
	facts := runJSON{
		Selected: sum.Selected, Hits: sum.Hits, Executed: sum.Executed, Failures: sum.Failures,
		DurationMS: time.Since(s.began).Milliseconds(), Stages: []runStage{},
	}
	for _, o := range outcomes {
		st := runStage{
			Stage: o.Instance.Stage, Instance: o.Instance.Name(), Status: string(o.State),
			Reasons: o.Reasons, DurationMS: o.Duration.Milliseconds(), Cause: o.Cause,
		}
		if st.Reasons == nil {
			st.Reasons = []string{}
		}
		if !o.Key.IsZero() {
			st.Key = o.Key.String()
		}
		if o.Err != nil {
			st.Error = o.Err.Error()
		}
		facts.Stages = append(facts.Stages, st)
	}
	return facts
}

// runSummary is what report.html shows of the run.
func (s *session) runSummary(outcomes []*engine.Outcome, sum engine.Summary) contracts.RunSummary {
	r := contracts.RunSummary{
		Started: s.began.UTC().Format(time.RFC3339), DurationMS: time.Since(s.began).Milliseconds(),
		Hits: sum.Hits, Executed: sum.Executed, Instances: []contracts.RunInstance{},
	}
	for _, o := range outcomes {
		if o.Instance.OnDemand && o.State == engine.Skipped {
			continue // no part of this run
		}
		in := contracts.RunInstance{
			Stage: o.Instance.Stage, Instance: o.Instance.Name(), Status: strings.ToLower(string(o.State)),
			Reason: o.Instance.Off, DurationMS: o.Duration.Milliseconds(), After: []string{},
		}
		for _, u := range slices.Concat(o.Instance.Upstream, o.Instance.After) {
			name := s.plan.Instances[u].Stage
			if n := len(in.After); n == 0 || in.After[n-1] != name {
				in.After = append(in.After, name)
			}
		}
		r.Instances = append(r.Instances, in)
	}
	return r
}

// summaryLine says what a run did, and that it did nothing when so.
func (s *session) summaryLine(sum engine.Summary) string {
	took := seconds(time.Since(s.began))
	if sum.Executed == 0 {
		return fmt.Sprintf("nothing to do: %s up to date (%s)", counted(sum.Selected, "stage is", "stages are"), took)
	}
	return fmt.Sprintf("%d executed, %d up to date (%s)", sum.Executed, sum.Hits, took)
}

// seconds prints a duration as people read it.
func seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}
