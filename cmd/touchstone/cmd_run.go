package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/progress"
	"github.com/touchstone-eval/touchstone/internal/engine/remote"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

// runFlags are the flags of the commands that execute stages.
type runFlags struct {
	selection engine.Selection
	force     bool
	keepGoing bool
	check     bool // of run alone
	jobs      int
	progress  string
	quiet     bool
	events    string
	workDir   string
}

func (f *runFlags) add(cmd *cobra.Command) {
	p := cmd.Flags()
	p.BoolVar(&f.force, "force", false, "execute stages even if their results are cached")
	p.BoolVar(&f.keepGoing, "keep-going", false,
		"after a failure, continue with the stages that do not depend on the failed one")
	p.VarP((*atLeastOne)(&f.jobs), "jobs", "j",
		"how many stages run at once (default: the number of processors; at least 8 with --executor dagger)")
	oneOfVar(p, &f.progress, "progress", "auto", "how to show progress: auto, tty, plain, json or quiet",
		progress.Modes...)
	p.BoolVarP(&f.quiet, "quiet", "q", false, "print one line: the result")
	p.StringVar(&f.events, "events", "", "write the event log to this file, one JSON object per line")
	p.StringVar(&f.workDir, "work-dir", "", "the directory in which stages run (default: in the cache directory)")
}

// selects reports whether the flags name stages. Otherwise the whole pipeline runs.
func (f *runFlags) selects() bool {
	return len(f.selection.Only)+len(f.selection.From)+len(f.selection.Until) > 0
}

// runJSON is the output of run --json and, within gateJSON, of gate --json.
type runJSON struct {
	Selected   int        `json:"selected"`
	Hits       int        `json:"hits"`
	Executed   int        `json:"executed"`
	Failures   int        `json:"failures"`
	DurationMS int64      `json:"duration_ms"`
	Stages     []runStage `json:"stages"`
	// Remote is nil without a remote cache.
	Remote *remote.Stats `json:"remote,omitempty"`
}

type runStage struct {
	Stage      string   `json:"stage"`
	Instance   string   `json:"instance"`
	Status     string   `json:"status"`
	Key        string   `json:"key,omitempty"`
	Reasons    []string `json:"reasons"`
	DurationMS int64    `json:"duration_ms"`
	// Origin is nil for a result that this machine made.
	Origin *cache.Origin `json:"origin,omitempty"`
	Error  string        `json:"error,omitempty"`
	Cause  string        `json:"cause,omitempty"`
	// Differences describe the outputs that --check found to differ.
	Differences []string `json:"differences,omitempty"`
	// Problems are the reasons of a failure.
	Problems []contracts.Reason `json:"problems,omitempty"`
}

func newRunCommand(flags *globalFlags) *cobra.Command {
	rf := &runFlags{}
	var out string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the stages whose inputs changed",
		Long: `Runs each stage that has no cached result for its present inputs. It prints no verdict; gate
does. Without a selection, it covers the whole pipeline. Select with X: a stage, one of its
instances such as 'score-retrieval[run=1]', or the name of an include block:

  --only X    X alone; the results that X reads must be in the cache
  --from X    X and the stages that depend on X; other results must be in the cache
  --until X   X and the stages that X depends on

Each flag may be repeated. Flags combine: --from A --until B selects the stages between A and B.
A manual stage runs only if a flag names it. A stage with caching off keeps no
result, so it runs whenever a selected stage reads it. A stage whose condition is false cannot
be selected.

--check runs each selected stage twice with the same inputs. It prints each output that differs,
with the first different byte or entry, and then exits with 3.

-o writes the outputs of the last selected stage to a directory. If the stage has several
instances, each gets a subdirectory.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openSession(cmd.Context(), flags, cmd.ErrOrStderr())
			if err != nil {
				if !rf.selects() {
					withoutPlan(cmd.Context(), flags, err)
				}

				return err
			}

			defer s.close()
			outcomes, sum, err := s.run(cmd.Context(), rf, flags.json, cmd.ErrOrStderr(),
				func(outcomes []*engine.Outcome) error {
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
				err = s.explainFailure(cmd.ErrOrStderr(), outcomes, err)
				if !flags.json && len(s.pages) > 0 {
					printNoVerdict(cmd.OutOrStdout(), flags, s.ended, s.pages)
				}

				return err
			}

			if !flags.json && (rf.progress != "quiet" || rf.quiet) {
				fmt.Fprintln(cmd.OutOrStdout(), s.summaryLine(outcomes, sum))
				if rf.check {
					fmt.Fprintln(cmd.OutOrStdout(), "all outputs were the same in two runs of each stage")
				}
			}

			return nil
		},
	}
	p := cmd.Flags()
	p.StringArrayVar(&rf.selection.Only, "only", nil, "run only this stage, instance or include")
	p.StringArrayVar(&rf.selection.From, "from", nil, "run this stage or instance and everything that depends on it")
	p.StringArrayVar(&rf.selection.Until, "until", nil, "run this stage or instance and everything that it depends on")
	p.BoolVar(&rf.check, "check", false,
		"execute the selected stages twice, even if their results are cached, and print the outputs that differ")
	outputVar(p, &out, "directory", "write the outputs of the last selected stage to this directory")
	rf.add(cmd)
	return cmd
}

// maxRepairs limits the number of reruns after damage: it is far more than the number of
// published outputs.
const maxRepairs = 32

// maxOtherOutputs limits the number of reruns after a stage wrote other outputs than those that
// could not be fetched. Each rerun finds one stage or more.
const maxOtherOutputs = 8

// run executes the plan with progress and events, publishes outputs, and calls use with the
// outcomes. If it returns an error, the published reports give the reason.
func (s *session) run(ctx context.Context, rf *runFlags, quiet bool, stderr io.Writer,
	use func([]*engine.Outcome) error) ([]*engine.Outcome, engine.Summary, error) {
	outcomes, sum, err := s.runPlan(ctx, rf, quiet, stderr, use)
	var unpublished *publishError
	named := outcomes == nil && rf.selects() // no stage of that name, for example
	if err != nil && !named && !errors.As(err, &unpublished) {
		s.endWithoutVerdict(ctx, outcomes, err)
	}
	return outcomes, sum, err
}

// publishError is the error of a run whose results could not be published.
type publishError struct{ error }

func (e *publishError) Unwrap() error { return e.error }

func (s *session) runPlan(ctx context.Context, rf *runFlags, quiet bool, stderr io.Writer,
	use func([]*engine.Outcome) error) ([]*engine.Outcome, engine.Summary, error) {
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

	screen, _ := terminal(stderr)
	mode := rf.progress
	if rf.quiet {
		mode = "quiet"
	}

	show, err := progress.New(mode, quiet, stderr, screen)
	if err != nil {
		return nil, engine.Summary{}, err
	}

	sinks := []func(engine.Event){show.Event}
	log := &progress.Log{}
	if rf.events != "" {
		f, err := os.Create(rf.events)
		if err != nil {
			return nil, engine.Summary{}, fmt.Errorf("opening the event log: %w; name another file with --events", err)
		}

		defer f.Close()
		log.To = f
		sinks = append(sinks, log.Event)
	}

	s.engine.OmitHits = rf.events == "" && rf.progress != "json"
	s.engine.Events = func(e engine.Event) {
		for _, sink := range sinks {
			sink(e)
		}
	}
	defer s.remote.print(stderr) // after the progress
	defer show.Close()
	sinks = append(sinks, s.markUnfinished(ctx, rf))
	opts := engine.RunOptions{Selection: rf.selection, Force: rf.force, KeepGoing: rf.keepGoing,
		Check: rf.check}
	outcomes, sum, err := s.engine.Run(ctx, s.plan, opts)
	// What a server has lost is no failure of the stages that need it.
	for range maxOtherOutputs {
		if !errors.Is(err, engine.ErrOtherOutputs) || s.remote == nil {
			break
		}

		opts.Force, opts.Check = false, false
		outcomes, sum, err = s.engine.Run(ctx, s.plan, opts)
	}

	// Damage is detected when content is read, and the damaged content is then
	// removed from the store. Another run computes it again, and may detect the
	// next damage. The limit stops this on a disk that damages new content.
	for more := maxRepairs; err == nil; more-- {
		err = s.hand(ctx, outcomes, sum, use)
		if !cache.Damaged(err) || more == 0 {
			break
		}

		opts.Force, opts.Check = false, false
		executed := sum.Executed
		outcomes, sum, err = s.engine.Run(ctx, s.plan, opts)
		sum.Executed, sum.Hits = sum.Executed+executed, max(0, sum.Hits-executed)
	}

	for _, c := range sum.Changed {
		used := "its earlier version"
		if c.How == engine.Added {
			used = "the earlier version"
		}

		name := safetext.Path(filepath.ToSlash(c.Name))
		fmt.Fprintf(stderr, "warning: %s %s during the run, which used %s; run again\n", name, c.How, used)
	}

	warnOfReread(stderr, sum.Reread)

	if err == nil && log.Err != nil {
		err = fmt.Errorf("the run succeeded, but its event log is incomplete: %w; name another file with --events",
			log.Err)
	}

	return outcomes, sum, err
}

// warnOfReread names files that are no inputs and that changed during the run: an update may change thousands.
func warnOfReread(w io.Writer, changes []engine.SourceChange) {
	const named = 3
	for _, c := range changes[:min(named, len(changes))] {
		fmt.Fprintf(w, "warning: %s %s during the run, and the stages that read it may have used different versions; "+
			"run again\n", safetext.Path(c.Name), c.How)
	}
	if more := len(changes) - named; more > 0 {
		fmt.Fprintf(w, "warning: files that stages read and that changed during the run: %d more\n", more)
	}
}

// hand passes the results of a run to use, and publishes them.
func (s *session) hand(ctx context.Context, outcomes []*engine.Outcome, sum engine.Summary,
	use func([]*engine.Outcome) error) error {
	// Publish last: a tree that is not writable must not prevent the verdict.
	if err := use(outcomes); err != nil {
		return err
	}

	rewrite, mark := s.addRunInfo(outcomes, func() contracts.RunSummary {
		summary := s.runSummary(outcomes, sum)
		summary.Changed = s.changedSince(ctx)
		summary.History = s.figureHistory(ctx)
		return summary
	})
	if err := s.engine.Publish(ctx, s.plan, outcomes,
		engine.Publication{Fresh: sum.Executed > 0, Rewrite: rewrite, Mark: mark}); err != nil {
		return &publishError{err}
	}

	return nil
}

// explainFailure prints the end of the log of each failed or interrupted stage, with the paths that the user knows,
// and returns the error.
func (s *session) explainFailure(w io.Writer, outcomes []*engine.Outcome, err error) error {
	if errors.Is(err, context.Canceled) {
		for _, o := range outcomes {
			if o.Interrupted() {
				s.printTail(w, outcomes, o)
				fmt.Fprintf(w, "%s was interrupted after %s; %s logs %s prints its log\n", o.Instance,
					progress.Took(o.Duration), toolName, input.QuoteWord(o.Instance.String()))
			}
		}

		ended := errors.New("interrupted; the results of finished stages are cached")
		var differ *engine.DifferError
		if errors.As(err, &differ) {
			ended = errors.Join(differ, ended)
		}

		return &exitError{exitInterrupted, ended}
	}

	var failed *engine.StageError
	if !errors.As(err, &failed) {
		return err
	}

	for _, o := range outcomes {
		if o.State != engine.Failed {
			continue
		}

		names := s.printTail(w, outcomes, o)
		if len(o.Failed.Outputs) > 0 && s.refusedData(o, names) == nil {
			fmt.Fprintf(w, "kept the outputs of %s: %s; %s logs %s -o DIR copies them\n", o.Instance,
				failedNames(o.Failed), toolName, input.QuoteWord(o.Instance.String()))
		}
	}

	return err
}

// printTail prints the end of the log of an instance, with the paths that the user knows, which it returns.
func (s *session) printTail(w io.Writer, outcomes []*engine.Outcome, o *engine.Outcome) sourceNames {
	names := s.sourceNames(outcomes, o)
	for _, line := range s.lastLines(o, names) {
		fmt.Fprintf(w, "%s | %s\n", o.Instance, line)
	}

	if s.printed(o.Stderr) && s.printed(o.Stdout) {
		fmt.Fprintf(w, "%s | (this is its standard error; %s logs %s also prints its standard output)\n", o.Instance,
			toolName, input.QuoteWord(o.Instance.String()))
	}

	return names
}

// printed reports whether a stored stream is known and not empty.
func (s *session) printed(stream cache.Digest) bool {
	if stream.IsZero() {
		return false
	}
	size, err := s.store.Size(stream)
	return err == nil && size > 0
}

// tail returns the last n lines. If it leaves out lines, the first line says how many. before is the number of lines
// that log does not contain.
func tail(log string, n, before int) []string {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	if len(lines) <= n && before == 0 {
		if len(lines) == 1 && lines[0] == "" {
			return nil
		}
		return lines
	}
	left := max(0, len(lines)-n)
	return append([]string{fmt.Sprintf("(%d lines omitted; see %s logs for all)", before+left, toolName)},
		lines[left:]...)
}

// copyLast writes the outputs of the last selected stage to a directory, each at its path
// relative to out/. If the stage has several instances, each gets a subdirectory.
func (s *session) copyLast(outcomes []*engine.Outcome, dir string) error {
	last := ""
	for _, o := range outcomes {
		if o.State == engine.Hit || o.State == engine.Ran {
			last = o.Instance.Stage
		}
	}

	var copies []engine.Copy
	for _, o := range outcomes {
		if o.Instance.Stage == last {
			copies = append(copies, copiesOf(o.Instance.Name(), o.Outputs)...)
		}
	}

	return s.engine.CopyOutputs(copies, dir)
}

// copiesOf says where the outputs of an instance are copied to: a directory with its name.
func copiesOf(instance string, outputs []cache.RecordOutput) []engine.Copy {
	var copies []engine.Copy
	for _, out := range outputs {
		copies = append(copies, engine.Copy{Output: out,
			Path: path.Join(instance, strings.TrimPrefix(out.Path, "out/"))})
	}
	return copies
}

func (s *session) runFacts(outcomes []*engine.Outcome, sum engine.Summary) runJSON {
	facts := runJSON{
		Selected: sum.Selected, Hits: sum.Hits, Executed: sum.Executed, Failures: sum.Failures,
		DurationMS: time.Since(s.began).Milliseconds(), Stages: []runStage{},
	}
	if s.remote != nil {
		s.remote.Finish(s.ctx)
		stats := s.remote.Stats()
		facts.Remote = &stats
	}

	for _, o := range outcomes {
		st := runStage{
			Stage: o.Instance.Stage, Instance: o.Instance.Name(), Status: string(o.State),
			Reasons: o.Reasons, DurationMS: o.Duration.Milliseconds(), Origin: o.Origin, Cause: o.Cause,
			Differences: o.Differences,
		}
		if st.Reasons == nil {
			st.Reasons = []string{}
		}

		if !o.Key.IsZero() {
			st.Key = o.Key.String()
		}

		if o.Err != nil {
			st.Problems, _ = s.failureReasons(outcomes, o)
			if st.Error = st.Problems[0].Message; !strings.Contains(st.Error, o.Err.Error()) {
				st.Error = fmt.Sprintf("%v: %s", o.Err, st.Error)
			}
		}

		facts.Stages = append(facts.Stages, st)
	}

	return facts
}

// runSummary returns the description of the run for report.html.
func (s *session) runSummary(outcomes []*engine.Outcome, sum engine.Summary) contracts.RunSummary {
	r := contracts.RunSummary{
		Started: s.began.UTC().Format(time.RFC3339), DurationMS: time.Since(s.began).Milliseconds(),
		Hits: sum.Hits, Executed: sum.Executed, Instances: []contracts.RunInstance{}, Command: s.again,
		MadeElsewhere: remoteResults(outcomes),
	}
	for _, o := range outcomes {
		if o.Instance.OnDemand && o.State == engine.Skipped {
			continue // not part of this run
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

// summaryLine says what a run executed.
func (s *session) summaryLine(outcomes []*engine.Outcome, sum engine.Summary) string {
	took := s.fetched() + progress.Took(time.Since(s.began))
	if n := len(remoteResults(outcomes)); n > 0 {
		took = fmt.Sprintf("%d made elsewhere, %s", n, took)
	}
	if sum.Executed == 0 {
		return fmt.Sprintf("nothing to do: %s up to date (%s)", english.Plural(sum.Selected, "stage is", "stages are"),
			took)
	}
	return fmt.Sprintf("%d executed, %d up to date (%s)", sum.Executed, sum.Hits, took)
}
