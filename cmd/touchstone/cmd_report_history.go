package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/metrics"
)

// historyJSON is the output of report history --json, the oldest run first.
type historyJSON struct {
	Metric string       `json:"metric"`
	Runs   []historyRun `json:"runs"`
}

// historyRun is one result of the stage with the figures. Value is null if the result lacks the
// metric.
type historyRun struct {
	Started       time.Time           `json:"started"`
	Key           string              `json:"key"`
	Proxy         string              `json:"proxy"`
	Degraded      string              `json:"degraded,omitempty"`
	GoldenVersion string              `json:"golden_version"`
	Commit        string              `json:"commit,omitempty"` // checked out at that time
	Value         *float64            `json:"value"`
	Interval      *contracts.Interval `json:"interval,omitempty"`
	// Origin is nil for a result that this machine made.
	Origin *cache.Origin `json:"origin,omitempty"`
}

// measuredFigures are the fields of an aggregate that the history shows. Results of other versions
// may have other fields, so the rest is not read.
type measuredFigures struct {
	Proxy, Degraded string
	Data            contracts.DataIdentity
	Metrics         []contracts.MetricSummary
	Detectors       []contracts.DetectorSummary
}

func newReportHistoryCommand(flags *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history [METRIC]",
		Short: "Show a metric over the runs whose results are in the cache",
		Long: `Prints a metric with its 95% interval for each cached result of the stage that computes the
figures, the oldest first. METRIC is a ranking metric (by default recall_at_5), or
DETECTOR:RATE, such as scanner:recall. Only runs that computed new figures have a line.`,
		Args: arguments.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			metric := "recall_at_5"
			if len(args) > 0 {
				metric = args[0]
			}

			if err := knownFigure(metric); err != nil {
				return err
			}

			s, err := openSession(cmd.Context(), flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}

			defer s.close()
			if err := s.hasFigures(); err != nil {
				return err
			}

			h := historyJSON{Metric: metric, Runs: s.history(cmd.Context(), metric)}
			if flags.json {
				return printJSON(cmd.OutOrStdout(), h)
			}

			if len(h.Runs) == 0 {
				return fmt.Errorf("the cache has no result of %s for this pipeline; run %s gate first", aggregateStage,
					toolName)
			}

			return printHistory(cmd, h)
		},
		ValidArgsFunction: cobra.FixedCompletions(contracts.MetricNames, cobra.ShellCompDirectiveNoFileComp),
	}
	return cmd
}

// knownFigure returns an error for a metric that no run can have.
func knownFigure(metric string) error {
	detector, rate, isRate := strings.Cut(metric, ":")
	if !isRate {
		if _, ok := metrics.RankingByName(metric); !ok {
			return fmt.Errorf("unknown metric %q; use one of %s, or DETECTOR:RATE", metric,
				strings.Join(contracts.MetricNames, ", "))
		}

		return nil
	}

	if detector == "" {
		return errors.New("name the detector before the colon, such as scanner:recall")
	}

	if _, ok := metrics.DetectionRateByName(rate); !ok {
		var names []string
		for _, r := range metrics.DetectionRates() {
			names = append(names, r.Name)
		}

		return fmt.Errorf("unknown rate %q; use one of %s", rate, strings.Join(names, ", "))
	}

	return nil
}

// history reads a metric from each result of a stage that is still in the cache, each once, the
// oldest first.
func (s *session) history(ctx context.Context, metric string) []historyRun {
	runs := []historyRun{}
	commits := commitsOf(ctx, s.plan.Root)
	for _, r := range s.results() {
		run := historyRun{Started: r.record.Started, Key: r.record.Key.String(), Proxy: r.figures.Proxy,
			Degraded: r.figures.Degraded, GoldenVersion: r.figures.Data.GoldenVersion, Origin: r.record.Origin}
		if r.record.Origin == nil {
			run.Commit = commits.at(r.record.Started)
		}

		run.Value, run.Interval = r.figures.figure(metric)
		runs = append(runs, run)
	}
	return runs
}

// measuredResult is a result of a stage with figures.
type measuredResult struct {
	record  *cache.Record
	figures *measuredFigures
}

// results reads the results of a stage that are still in the cache, each once, the oldest first.
func (s *session) results() []measuredResult {
	var found []measuredResult
	seen := map[cache.Key]bool{}
	for _, in := range s.plan.Instances {
		if in.Stage != aggregateStage {
			continue
		}

		for _, entry := range s.store.History(s.engine.Project, in.Stage, in.Name()) {
			if seen[entry.Key] {
				continue
			}

			seen[entry.Key] = true
			record, err := s.store.Record(entry.Key)
			if err != nil {
				continue // it was removed since
			}

			if f := s.measured(record); f != nil {
				found = append(found, measuredResult{record, f})
			}
		}
	}

	slices.SortStableFunc(found, func(a, b measuredResult) int { return a.record.Started.Compare(b.record.Started) })
	return found
}

// measured returns the figures in the outputs of a result, or nil.
func (s *session) measured(record *cache.Record) *measuredFigures {
	for _, out := range record.Outputs {
		data, err := s.store.Bytes(out.Digest)
		if out.Dir || err != nil {
			continue
		}

		var f measuredFigures
		err = jsonFields(data, map[string]any{
			"proxy": &f.Proxy, "degraded": &f.Degraded, "data": &f.Data, "retrieval.metrics": &f.Metrics,
		})
		if err != nil || f.Metrics == nil {
			continue
		}

		if f.Detectors, err = detectorFigures(data); err == nil {
			return &f
		}
	}

	return nil
}

// figureHistory returns the history for report.html: the metrics and rates that the page shows. It
// returns nil if there is nothing to compare.
func (s *session) figureHistory(ctx context.Context) *contracts.FigureHistory {
	results := s.results()
	if len(results) < 2 {
		return nil
	}

	h := &contracts.FigureHistory{}
	commits := commitsOf(ctx, s.plan.Root)
	var detectors []string
	for _, r := range results {
		f := r.figures
		run := contracts.HistoryRun{Started: r.record.Started.UTC().Format(time.RFC3339), Proxy: f.Proxy,
			GoldenVersion: f.Data.GoldenVersion, Degraded: f.Degraded}
		if o := r.record.Origin; o != nil {
			run.Origin = o.String()
		} else {
			run.Commit = commits.at(r.record.Started)
		}

		h.Runs = append(h.Runs, run)
		for _, d := range f.Detectors {
			if !slices.Contains(detectors, d.Score.Detector) {
				detectors = append(detectors, d.Score.Detector)
			}
		}
	}

	add := func(name, label string) {
		figure := contracts.HistoryFigure{Name: name, Label: label}
		for i, r := range results {
			if value, _ := r.figures.figure(name); value != nil {
				figure.Points = append(figure.Points, contracts.HistoryPoint{Run: i, Value: *value})
			}
		}

		if len(figure.Points) > 0 {
			h.Figures = append(h.Figures, figure)
		}
	}
	for _, m := range metrics.Ranking() {
		if m.Shown&metrics.OnPage != 0 {
			add(m.Name, m.Label)
		}
	}

	for _, d := range detectors {
		for _, r := range metrics.DetectionRates() {
			if r.Shown&metrics.OnPage != 0 && r.Interval {
				add(d+":"+r.Name, d+" "+r.Label)
			}
		}
	}

	return h
}

func (f *measuredFigures) figure(metric string) (*float64, *contracts.Interval) {
	if detector, rate, isRate := strings.Cut(metric, ":"); isRate {
		for _, d := range f.Detectors {
			if d.Score.Detector == detector {
				return d.Score.Rate(rate), d.RateInterval(rate)
			}
		}

		return nil, nil
	}

	for _, m := range f.Metrics {
		if m.Metric == metric {
			return &m.Mean, &m.Interval
		}
	}

	return nil, nil
}

// barWidth is the width of the bar of a value of 1, in characters.
const barWidth = 20

func printHistory(cmd *cobra.Command, h historyJSON) error {
	t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "started\tcommit\t%s\t95%% interval\t\tproxy\tgolden\t\n", h.Metric)
	for _, r := range h.Runs {
		value, interval, bar := "–", "–", ""
		if r.Value != nil {
			value, bar = fmt.Sprintf("%.4f", *r.Value),
				strings.Repeat("▇", max(0, min(barWidth, int(*r.Value*barWidth+0.5))))
		}

		if r.Interval != nil {
			interval = fmt.Sprintf("%.4f to %.4f", r.Interval.Low, r.Interval.High)
		}

		note := ""
		if r.Degraded != "" {
			note = "degraded on purpose: " + safetext.Visible(r.Degraded)
		}

		if r.Origin != nil {
			note = strings.TrimPrefix(note+"; "+safetext.Visible(r.Origin.String()), "; ")
		}

		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Started.UTC().Format(time.DateTime),
			cmp.Or(r.Commit, "–"), value, interval, bar, safetext.Name(r.Proxy), safetext.Name(r.GoldenVersion), note)
	}

	return t.Flush()
}
