package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
	"github.com/touchstone-eval/touchstone/internal/data/external"
	"github.com/touchstone-eval/touchstone/internal/data/pool"
	"github.com/touchstone-eval/touchstone/internal/data/power"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity"
)

// externalRunJSON is one source in data external run --json.
type externalRunJSON struct {
	Name       string                    `json:"name"`
	State      string                    `json:"state"`
	SHA256     string                    `json:"sha256"`
	Detectors  []contracts.DetectorScore `json:"detectors,omitempty"`
	Queries    int                       `json:"queries,omitempty"`
	Retrievers []externalRetriever       `json:"retrievers,omitempty"`
}

type externalRetriever struct {
	Retriever string         `json:"retriever"`
	Figures   []power.Figure `json:"figures"`
}

// externalRun are the flags of touchstone data external run.
type externalRun struct {
	*externalFlags
	detectors, retrievers []string
	sentence              sentenceFlags
}

func newExternalRunCommand(flags *globalFlags, f *externalFlags) *cobra.Command {
	r := externalRun{externalFlags: f}
	cmd := &cobra.Command{
		Use:   "run [NAME...]",
		Short: "Score detectors and retrievers on the datasets that are on this machine",
		Long: `Runs on each dataset that is there, without writing it: built-in detectors on security
corpora, and retrievers, as in "data pool", on golden sets. On a tool corpus without a
golden set it counts the tools that detectors flag; they are taken to be innocent.

The figures depend on data that is not frozen here. No gate uses them.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, dir, err := r.sources(flags, args)
			if err != nil {
				return err
			}

			var all []externalRunJSON
			for i := range sources {
				if len(args) == 0 {
					found, err := sources[i].Find(cmd.Context(), dir)
					if err != nil {
						return err
					}

					if found.State == external.Absent {
						continue
					}
				}

				one, err := r.run(cmd.Context(), &sources[i], dir)
				if err != nil {
					return err
				}

				all = append(all, one)
			}

			if len(all) == 0 {
				return fmt.Errorf("none of the datasets is in %s; touchstone data external NAME says where it has "+
					"to be", dir)
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"external": all})
			}

			return writeExternalRuns(cmd.OutOrStdout(), all)
		},
	}
	p := cmd.Flags()
	p.StringSliceVar(&r.detectors, "detector", []string{"scanner", "keywords"}, "the detectors")
	p.StringSliceVar(&r.retrievers, "retriever", nil, "use only these retrievers")
	r.sentence.flags(p)
	return cmd
}

func (r *externalRun) run(ctx context.Context, s *external.Source, dir string) (externalRunJSON, error) {
	facts, all, err := usable(ctx, s, dir)
	out := externalRunJSON{Name: s.Name, State: facts.State, SHA256: facts.SHA256}
	if err != nil {
		return out, err
	}

	var corpus *contracts.Corpus
	for _, one := range all {
		switch {
		case one.Security != nil:
			out.Detectors, err = r.detect(ctx, *one.Security)
		case one.Corpus != nil:
			corpus = one.Corpus
			if len(all) == 1 {
				out.Detectors, err = r.detect(ctx, innocent(*one.Corpus))
			}
		case one.Golden != nil:
			out.Queries = one.Entries()
			out.Retrievers, err = r.retrieve(ctx, *corpus, one)
		}

		if err != nil {
			return out, fmt.Errorf("%s: %w", s.Name, err)
		}
	}

	return out, nil
}

// innocent makes a plain benign entry of each tool.
func innocent(c contracts.Corpus) contracts.SecurityCorpus {
	s := contracts.SecurityCorpus{Version: c.Version, GeneratedFrom: c.GeneratedFrom}
	for i, t := range c.Tools {
		s.Entries = append(s.Entries, contracts.SecurityEntry{
			ID: fmt.Sprintf("tool-%d", i+1), Server: t.Server, Name: t.Tool, Description: t.Description,
			InputSchema: t.Schema, OutputSchema: t.OutputSchema,
			Annotations: t.Annotations, Label: contracts.LabelBenign, Category: contracts.CategoryBenign,
			Provenance: contracts.Provenance{Source: c.GeneratedFrom.Source,
				License: cmp.Or(c.GeneratedFrom.License, "NOASSERTION")},
		})
	}
	return s
}

// detect scores the detectors, as the stage score-security does.
func (r *externalRun) detect(ctx context.Context, corpus contracts.SecurityCorpus) ([]contracts.DetectorScore, error) {
	dir, err := os.MkdirTemp("", "touchstone-external-")
	if err != nil {
		return nil, err
	}

	defer os.RemoveAll(dir)
	security, report := filepath.Join(dir, "security.json"), filepath.Join(dir, "report.json")
	if err := contracts.Write(security, corpus); err != nil {
		return nil, err
	}

	var scores []contracts.DetectorScore
	for _, name := range r.detectors {
		if err := scoresecurity.Run(ctx,
			scoresecurity.Options{Security: security, Out: report, Detector: name, Log: os.Stderr}); err != nil {
			return nil, err
		}

		result, err := contracts.Read[contracts.SecurityReport](report)
		if err != nil {
			return nil, err
		}

		scores = append(scores, result.Detector)
	}

	return scores, nil
}

func (r *externalRun) retrieve(ctx context.Context, corpus contracts.Corpus,
	golden convert.Imported) ([]externalRetriever, error) {
	model, err := denseModel(r.sentence.dir, r.sentence.service)
	if err != nil {
		return nil, err
	}

	var queries []pool.Query
	for _, q := range golden.Golden.Queries {
		queries = append(queries, pool.Query{ID: q.ID, Text: q.Query, Language: q.Language})
	}

	runs, err := pool.Search(ctx, corpus, queries, r.retrievers, powerDepth, model)
	if err != nil {
		return nil, err
	}

	groups := groupsOf(*golden.Golden)
	var all []externalRetriever
	for _, run := range runs {
		all = append(all, externalRetriever{run.Name, power.Figures(*golden.Golden, groups, run)})
	}

	return all, nil
}

func writeExternalRuns(w io.Writer, all []externalRunJSON) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, one := range all {
		if i > 0 {
			fmt.Fprintln(t)
		}

		fmt.Fprintf(t, "%s, %s, sha256 %.12s\n", one.Name, one.State, one.SHA256)
		if len(one.Detectors) > 0 {
			fmt.Fprintln(t, "  detector\tattacks flagged\thard negatives flagged\tinnocents flagged\tfailed")
		}

		for _, d := range one.Detectors {
			counts := map[string][2]int{}
			for _, c := range d.PerCategory {
				counts[c.Category] = [2]int{c.Flagged, c.Total}
			}

			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%d\n", d.Detector, flaggedShare([2]int{d.TP, d.TP + d.FN}),
				flaggedShare(counts[contracts.CategoryHardNegative]), flaggedShare(counts[contracts.CategoryBenign]),
				d.Errored)
		}

		if len(one.Retrievers) > 0 {
			fmt.Fprintf(t, "  %d queries\n  retriever", one.Queries)
			for _, f := range one.Retrievers[0].Figures {
				m, _ := metrics.RankingByName(f.Metric)
				fmt.Fprintf(t, "\t%s", m.Label)
			}

			fmt.Fprintln(t)
		}

		for _, r := range one.Retrievers {
			fmt.Fprintf(t, "  %s", r.Retriever)
			for _, f := range r.Figures {
				fmt.Fprintf(t, "\t%.3f (%.3f to %.3f)", f.Mean, f.Interval.Low, f.Interval.High)
			}

			fmt.Fprintln(t)
		}
	}

	return t.Flush()
}

// flaggedShare prints a share with its 95% interval, or a dash for none.
func flaggedShare(c [2]int) string {
	i, ok := metrics.Wilson(c[0], c[1])
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%d/%d (%.3f to %.3f)", c[0], c[1], i.Low, i.High)
}
