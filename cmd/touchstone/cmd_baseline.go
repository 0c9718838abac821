package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/pipeline"
	"github.com/touchstone-eval/touchstone/stages/gate"
)

func newBaselineCommand(flags *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Show the committed baseline, update it, or accept single results",
		Args:  arguments.None,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(flags.on(pipelineFlags, newBaselineShowCommand(flags))...)
	cmd.AddCommand(flags.on(sessionFlags, newBaselineUpdateCommand(flags))...)
	cmd.AddCommand(flags.on(sessionFlags, newBaselineAcceptCommand(flags))...)
	return cmd
}

// defaultBaseline is the baseline file if the pipeline names none.
const defaultBaseline = "datasets/baseline_v1.json"

// baselineHelp is the description of the flag that names another file.
const baselineHelp = "the baseline file (default: the one that the pipeline names, or " + defaultBaseline + ")"

// baselineFile returns the path of the pipeline's baseline, relative to the
// current directory or absolute.
func (f *globalFlags) baselineFile(plan *pipeline.Plan) string {
	return f.beside(cmp.Or(plan.Baseline, defaultBaseline))
}

// beside returns a path that is relative to the pipeline's directory as one that is relative to the
// current directory. An absolute path stays.
func (f *globalFlags) beside(path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(pipeline.MainFileOf(f.file)), path)
}

// missingBaseline returns an error if the file that the verdict is based on does
// not exist. The error contains the command that creates it, with the same
// settings but without the values of sensitive variables. It is no error if the
// stage gate judges and the user does not name the file: it is the first run.
func (f *globalFlags) missingBaseline(plan *pipeline.Plan) error {
	first := plan.Verdict != nil && ownStage(plan.Instances[plan.Verdict.Instance], "gate") &&
		!slices.Contains(f.varNames(), "baseline")
	if plan.Baseline == "" || first {
		return nil
	}
	file := f.baselineFile(plan)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("there is no %s, and the gate needs this baseline; create it, review it and commit it:\n  %s",
		file, f.again(plan, "baseline", "update"))
}

// again returns the command line of another verb with the same settings.
func (f *globalFlags) again(plan *pipeline.Plan, verb ...string) string {
	words := append([]string{toolName}, verb...)
	if f.file != defaultFile {
		words = append(words, "--file", input.QuoteWord(f.file))
	}

	for _, file := range f.varFiles {
		words = append(words, "--var-file", input.QuoteWord(file))
	}

	for _, v := range f.vars {
		if name, _, _ := strings.Cut(v, "="); slices.Contains(plan.Sensitive, strings.TrimSpace(name)) {
			v = name + "=..."
		}

		words = append(words, "--var", input.QuoteWord(v))
	}

	return strings.Join(words, " ")
}

func newBaselineShowCommand(flags *globalFlags) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the figures and thresholds of the baseline",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				plan, err := loadPlan(flags, cmd.ErrOrStderr())
				if err != nil {
					return err
				}

				file = flags.baselineFile(plan)
			}

			b, err := contracts.Read[contracts.Baseline](file)
			if err != nil {
				return err
			}

			if flags.json {
				return printJSON(cmd.OutOrStdout(), b)
			}

			return printBaseline(cmd.OutOrStdout(), b)
		},
	}
	cmd.Flags().StringVar(&file, "baseline", "", baselineHelp)
	return cmd
}

func newBaselineUpdateCommand(flags *globalFlags) *cobra.Command {
	var file string
	var limits otherLimits
	rf := &runFlags{}
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Measure again, print the changes, and write the baseline with its old thresholds",
		Long: `The baseline is the file with which gate compares later runs: figures of the proxy, and the
thresholds at which the gate fails. baseline update runs the pipeline up to the stage aggregate,
prints every figure that changed, and writes the baseline. It writes nothing if a dataset is
invalid, or if a threshold is for something that this run did not measure.

The thresholds of the old file stay. To change one, edit the file. A detector without a
threshold gets one, unless the list not_judged names it. Everything else is replaced. So the old
file may be of an earlier version of Touchstone, or contain figures that cannot be read.

A baseline belongs to the versions of the datasets that were measured. If the old file belongs
to other versions, it stays as it is. The command then writes the next version of the baseline,
with the same thresholds.

With --limits-from, the tolerances and bounds of a baseline of mcp-eval, such as mcpproxy-go's, become
thresholds of this one, and its figures are printed beside the measured ones. A later update keeps the
thresholds.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := limits.read(); err != nil {
				return err
			}

			m, err := flags.measure(cmd, rf)
			if err != nil {
				return err
			}

			named, agg := m.named, m.agg
			update := baselineUpdate{from: named, to: file, made: m.made, limits: limits}
			if file == "" {
				if update.to, err = baselineTarget(named, agg); err != nil {
					return err
				}
			} else if update.from, err = update.source(named, agg); err != nil {
				return err
			}

			if err := update.write(cmd, agg, flags.json); err != nil {
				return err
			}

			if update.from != update.to {
				nameOtherBaseline(cmd.ErrOrStderr(), flags, update.to)
			}

			return nil
		},
	}
	cmd.Flags().StringVar(&file, "baseline", "", baselineHelp)
	limits.add(cmd)
	rf.add(cmd)
	return cmd
}

// measured is what the stage aggregate gives, with the baseline file that the pipeline names.
type measured struct {
	named string
	agg   contracts.Aggregate
	made  []contracts.MadeWith
}

// measure runs the pipeline up to the stage that contains the figures.
func (f *globalFlags) measure(cmd *cobra.Command, rf *runFlags) (measured, error) {
	s, err := openSession(cmd.Context(), f, cmd.ErrOrStderr())
	if err != nil {
		return measured{}, err
	}

	defer s.close()
	if err := s.hasFigures(); err != nil {
		return measured{}, err
	}

	m := measured{named: f.baselineFile(s.plan)}
	rf.selection = engine.Selection{Until: []string{aggregateStage}}
	outcomes, _, err := s.run(cmd.Context(), rf, f.json, cmd.ErrOrStderr(),
		func(outcomes []*engine.Outcome) (err error) {
			if m.agg, err = s.aggregate(outcomes); err == nil {
				m.made, err = s.measuredWith(cmd.Context())
			}

			return err
		})
	if err != nil {
		return measured{}, s.explainFailure(cmd.ErrOrStderr(), outcomes, err)
	}

	return m, nil
}

// baselineUpdate writes a baseline with the thresholds of another file, or of the same one.
type baselineUpdate struct {
	from, to string
	made     []contracts.MadeWith
	limits   otherLimits
}

// source returns the file with the thresholds for a file that the user names: that file if it
// exists, and otherwise the one that the pipeline names. It is an error if the file belongs to
// other versions of the data.
func (u baselineUpdate) source(named string, agg contracts.Aggregate) (string, error) {
	switch belongs, err := belongsTo(u.to, agg); {
	case err != nil:
		return "", err
	case !belongs:
		free, err := baselineTarget(u.to, agg)
		return "", errors.Join(err, fmt.Errorf("%s is the baseline of other data and is not overwritten; name "+
			"another file, such as --baseline %s", u.to, input.QuoteWord(free)))
	case exists(u.to):
		return u.to, nil
	}
	return named, nil
}

// write writes the figures of agg with the thresholds of the old file, and prints the changes.
func (u baselineUpdate) write(cmd *cobra.Command, agg contracts.Aggregate, asJSON bool) error {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	file := u.from
	var kept, old *contracts.Baseline
	switch b, err := contracts.ReadThresholds(file); {
	case err == nil:
		kept = &b
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; a baseline whose thresholds cannot be read is not replaced: correct them, or move "+
			"the file away", err)
	}

	if kept != nil {
		b, err := contracts.Read[contracts.Baseline](file)
		if err == nil {
			old = &b
		} else {
			fmt.Fprintf(stderr, "%v\nthe old figures cannot be read, so the new ones are not compared with them; "+
				"the old thresholds are kept\n", err)
		}
	}

	next, err := gate.NewBaseline(agg, kept)
	if err != nil {
		return err
	}

	u.limits.apply(stderr, &next)
	if missing := withoutFigures(next); len(missing) > 0 {
		return fmt.Errorf("the baseline is not written: it would keep thresholds without figures, for %s, and the "+
			"gate fails with an error on such a file; measure with the same settings as the gate (without --var "+
			"detectors or selection.models, for instance), or first remove these thresholds from %s",
			strings.Join(missing, ", "), u.from)
	}

	if u.from != u.to || kept == nil {
		next.Version = cmp.Or(baselineVersion(u.to), next.Version)
	}

	next.MadeWith = u.made
	moves := gate.BaselineChanges(old, next)
	if asJSON {
		document := map[string]any{"changes": moves, "file": u.to}
		if u.limits.given() {
			document["beside"] = u.limits.other.Beside(next, u.limits.names)
		}

		if err := printJSON(stdout, document); err != nil {
			return err
		}
	} else {
		for _, line := range moves {
			fmt.Fprintln(stdout, line)
		}

		if err := u.limits.print(stdout, next); err != nil {
			return err
		}
	}

	for _, remark := range gate.ThresholdRemarks(old, next) {
		fmt.Fprintln(stderr, "note:", remark)
	}

	if old != nil && next.RunsAveraged < old.RunsAveraged {
		fmt.Fprintf(stderr, "note: this baseline has the means of %s, the old one those of %d; to keep the number, "+
			"update again with --var runs=%d\n", english.Plural(next.RunsAveraged, "run", ""), old.RunsAveraged,
			old.RunsAveraged)
	}

	if len(moves) == 0 && old != nil && u.from == u.to {
		fmt.Fprintln(stderr, "no figure changed; the baseline was not written")
		return nil
	}

	if err := contracts.Write(u.to, next); err != nil {
		return err
	}

	if u.from != u.to && exists(u.from) {
		fmt.Fprintf(stderr, "%s stays the baseline of its data; its thresholds are copied\n", u.from)
	}

	fmt.Fprintf(stderr, "wrote %s; review the changes and commit it\n", u.to)
	return nil
}

// withoutFigures lists what a baseline has a threshold for and no figures.
func withoutFigures(b contracts.Baseline) []string {
	var missing []string
	for _, t := range b.Thresholds.Retrieval {
		if _, ok := b.Metrics[t.Metric]; !ok {
			missing = append(missing, "metric "+t.Metric)
		}
	}

	for _, t := range b.Thresholds.Detectors {
		if !slices.ContainsFunc(b.PerDetector,
			func(d contracts.BaselineDetector) bool { return d.Score.Detector == t.Detector }) {
			missing = append(missing, "detector "+t.Detector)
		}
	}

	for _, t := range b.Thresholds.Selection {
		if b.Selection == nil ||
			!slices.ContainsFunc(b.Selection.Models,
				func(m contracts.BaselineModel) bool { return m.Model == t.Model }) {
			missing = append(missing, "model "+t.Model)
		}
	}

	return missing
}

// hasFigures returns an error if the pipeline lacks the stage that contains the figures.
func (s *session) hasFigures() error {
	if _, err := engine.Find(s.plan, aggregateStage); err != nil {
		return fmt.Errorf("%w; call the stage whose output contains the figures %s", err, aggregateStage)
	}
	return nil
}

// aggregate reads the figures from the outputs of the stage that contains them.
func (s *session) aggregate(outcomes []*engine.Outcome) (contracts.Aggregate, error) {
	name, b, err := s.aggregateText(outcomes)
	if err != nil {
		return contracts.Aggregate{}, err
	}

	return contracts.Decode[contracts.Aggregate](name, b)
}

// aggregateText returns the text that contains the figures, and its name.
func (s *session) aggregateText(outcomes []*engine.Outcome) (name string, text []byte, err error) {
	for _, o := range outcomes {
		if o.Instance.Stage != aggregateStage {
			continue
		}

		for _, out := range o.Outputs {
			if out.Dir || filepath.Ext(out.Path) != ".json" {
				continue
			}

			text, err = s.store.Bytes(out.Digest)
			return out.Path, text, err
		}
	}

	return "", nil, fmt.Errorf("stage %s has no JSON output to read figures from", aggregateStage)
}

func printBaseline(w io.Writer, b contracts.Baseline) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\tcorpus %s, golden set %s, security corpus %s; %s of %s\n\n", b.Version,
		b.Data.CorpusVersion, b.Data.GoldenVersion, b.Data.SecurityVersion, english.Plural(b.RunsAveraged, "run", ""),
		b.Proxy)
	for _, m := range metrics.Ranking() {
		if value, ok := b.Metrics[m.Name]; ok && m.Shown&metrics.InTables != 0 {
			fmt.Fprintf(t, "%s\t%.4f\n", m.Name, value)
		}
	}

	fmt.Fprintln(t)
	for _, d := range b.PerDetector {
		fmt.Fprintf(t, "%s\trecall %s\tfpr %s\n", d.Score.Detector, rate(d.Score.Recall), rate(d.Score.FPR))
	}

	if s := b.Selection; s != nil {
		fmt.Fprintf(t, "\ncases %s\n", s.CasesVersion)
		for _, m := range s.Models {
			fmt.Fprint(t, m.Model)
			for _, r := range metrics.SelectionRates() {
				if value, ok := m.Rates[r.Name]; ok && r.Shown&metrics.InTables != 0 {
					fmt.Fprintf(t, "\t%s %.4f", strings.ToLower(r.Label), value)
				}
			}

			fmt.Fprintln(t)
		}
	}

	if len(b.Accepted) > 0 {
		fmt.Fprint(t, "\naccepted results\n")
		for _, a := range b.Accepted {
			fmt.Fprintf(t, "%s\t%s\n", a.ID, wording.Plain(a.Reason))
		}
	}

	thresholds, err := json.MarshalIndent(b.Thresholds, "", "  ")
	if err != nil {
		return err
	}

	fmt.Fprintf(t, "\nthresholds %s\n", thresholds)
	return t.Flush()
}

func rate(r *float64) string {
	if r == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.4f", *r)
}
