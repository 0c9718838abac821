//go:build !containers

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
	"github.com/touchstone-eval/touchstone/internal/data/external"
	"github.com/touchstone-eval/touchstone/internal/data/pool"
	"github.com/touchstone-eval/touchstone/internal/data/power"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity"
)

// externalRunJSON is one dataset in data external run --json. Tools and Queries
// are those that the retrievers were scored on.
type externalRunJSON struct {
	Name       string                    `json:"name"`
	State      string                    `json:"state"`
	SHA256     string                    `json:"sha256"`
	Detectors  []contracts.DetectorScore `json:"detectors,omitempty"`
	Tools      int                       `json:"tools,omitempty"`
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
	detectors, retrievers, runs []string
	embeddings                  embeddingsFlag
}

func newExternalRunCommand(flags *globalFlags, f *externalFlags) *cobra.Command {
	r := externalRun{externalFlags: f}
	cmd := &cobra.Command{
		Use:   "run [NAME...]",
		Short: "Score detectors and retrievers on the datasets that are on this machine",
		Long: `Runs on each dataset that is there, without writing it: built-in detectors on security
corpora, and retrievers, as in "data pool", on golden sets. Tools of a dataset that has no
security corpus are taken to be innocent: it counts those that detectors flag.

Without names, retrievers also run on the golden sets beside the file, golden_*.json, each
over its corpus. One table, in Markdown, has all retrievers on all golden sets; queries that
no tool serves are not in it. The datasets that are absent are named after it.

With --run, the table also has the results of another system on a dataset: the retrieval.json
of a run of the pipeline on it, or a TREC run.

The figures depend on data that is not frozen here. No gate uses them.`,
		Example: `  touchstone data external run
  touchstone data external run metatool --run metatool:mine=reports/retrieval.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, absent, err := r.runAll(cmd.Context(), flags, args)
			if err != nil {
				return err
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"external": all, "absent": absent})
			}

			return writeExternalRuns(cmd.OutOrStdout(), all, absent)
		},
	}
	p := cmd.Flags()
	p.StringSliceVar(&r.detectors, "detector", []string{"scanner", "keywords"}, "the detectors")
	p.StringSliceVar(&r.retrievers, "retriever", nil, "use only these retrievers")
	p.StringArrayVar(&r.runs, "run", nil, "DATASET:[NAME=]FILE, the results of another retriever (repeatable)")
	r.embeddings.flags(p)
	return cmd
}

// runAll runs on the named datasets, or on all that are there.
func (r *externalRun) runAll(ctx context.Context, flags *globalFlags, names []string) ([]externalRunJSON,
	[]externalAbsent, error) {
	sources, dir, err := r.sources(flags, names)
	if err != nil {
		return nil, nil, err
	}

	var all []externalRunJSON
	absent := []externalAbsent{}
	for i := range sources {
		if len(names) == 0 {
			found, err := sources[i].Find(ctx, dir)
			if err != nil {
				return nil, nil, err
			}

			if found.State == external.Absent {
				absent = append(absent, absentSource(&sources[i], found.Path))
				continue
			}
		}

		one, err := r.run(ctx, &sources[i], dir)
		if err != nil {
			return nil, nil, err
		}

		all = append(all, one)
	}

	if len(names) == 0 {
		own, missing, err := r.runOwn(ctx)
		if err != nil {
			return nil, nil, err
		}

		all, absent = append(all, own...), append(absent, missing...)
	}

	if len(all) == 0 {
		return nil, nil, fmt.Errorf("none of the datasets is in %s; touchstone data external NAME says where it has "+
			"to be", dir)
	}

	for _, word := range r.runs {
		set, _, _ := strings.Cut(word, ":")
		if !slices.ContainsFunc(all, func(o externalRunJSON) bool { return o.Name == set && o.Queries > 0 }) {
			return nil, nil, fmt.Errorf("--run %s: there is no golden set %q among those that were run; write the "+
				"name of one, a colon, and the file", word, set)
		}
	}

	return all, absent, nil
}

func (r *externalRun) run(ctx context.Context, s *external.Source, dir string) (externalRunJSON, error) {
	facts, all, err := usable(ctx, s, dir)
	out := externalRunJSON{Name: s.Name, State: facts.State, SHA256: facts.SHA256}
	if err != nil {
		return out, err
	}

	var corpus *contracts.Corpus
	labelled := slices.ContainsFunc(all, func(o convert.Imported) bool { return o.Security != nil })
	for _, one := range all {
		switch {
		case one.Security != nil:
			out.Detectors, err = r.detect(ctx, *one.Security)
		case one.Corpus != nil:
			corpus = one.Corpus
			if !labelled {
				out.Detectors, err = r.detect(ctx, innocent(*one.Corpus))
			}
		case one.Golden != nil:
			err = r.retrieve(ctx, &out, *corpus, *one.Golden)
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

// retrieve scores the retrievers, and the results of others for this dataset.
func (r *externalRun) retrieve(ctx context.Context, out *externalRunJSON, corpus contracts.Corpus,
	golden contracts.GoldenSet) error {
	model, err := r.embeddings.open()
	if err != nil {
		return err
	}

	var queries []pool.Query
	answerable := power.Answerable(golden)
	for _, q := range answerable {
		queries = append(queries, pool.Query{ID: q.ID, Text: q.Query, Language: q.Language})
	}

	runs, err := pool.Search(ctx, corpus, queries, r.retrievers, powerDepth, model)
	if err != nil {
		return err
	}

	for _, word := range r.runs {
		set, file, _ := strings.Cut(word, ":")
		if set != out.Name {
			continue
		}

		run, err := readRun(file)
		if err != nil {
			return err
		}

		if !slices.ContainsFunc(answerable, func(q contracts.Query) bool { return run.Found[q.ID] != nil }) {
			return fmt.Errorf("--run %s: it has no result for a query of the dataset; check that it was made with the "+
				"golden set that touchstone data external import writes", word)
		}

		runs = append(runs, cut(run))
	}

	out.Tools, out.Queries = len(corpus.Tools), len(queries)
	groups := groupsOf(golden)
	for _, run := range runs {
		out.Retrievers = append(out.Retrievers, externalRetriever{run.Name, power.Figures(golden, groups, run)})
	}

	return nil
}

// flaggedShare prints a share with its 95% interval, or a dash for none.
func flaggedShare(c [2]int) string {
	i, ok := metrics.Wilson(c[0], c[1])
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%d/%d (%.3f to %.3f)", c[0], c[1], i.Low, i.High)
}
