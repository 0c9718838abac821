//go:build !containers

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
	"github.com/touchstone-eval/touchstone/internal/data/external"
	"github.com/touchstone-eval/touchstone/metrics"
)

// ownState is the state of a golden set beside the file of sources.
const ownState = "own"

// externalAbsent is a dataset on which nothing ran. Get says how to get it.
type externalAbsent struct {
	Name string `json:"name"`
	Get  string `json:"get"`
}

func absentSource(s *external.Source, place string) externalAbsent {
	if s.URL != "" {
		return externalAbsent{s.Name, "touchstone data external fetch " + s.Name}
	}
	return externalAbsent{s.Name, fmt.Sprintf("get %s, and put it or a link to it at %s", s.Address, place)}
}

// runOwn runs the retrievers on the golden sets beside the file of sources whose
// corpora are there.
func (r *externalRun) runOwn(ctx context.Context) (all []externalRunJSON, absent []externalAbsent, err error) {
	dir := filepath.Dir(r.file)
	files, err := filepath.Glob(filepath.Join(dir, "golden_*.json"))
	if err != nil {
		return nil, nil, err
	}

	for _, file := range files {
		one := externalRunJSON{State: ownState,
			Name: strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "golden_"), ".json")}
		text, err := contracts.ReadBytes(file)
		if err != nil {
			return nil, nil, err
		}

		golden, err := contracts.Decode[contracts.GoldenSet](file, text)
		if err != nil {
			return nil, nil, err
		}

		corpusFile := filepath.Join(dir, "corpus_"+golden.CorpusVersion+".json")
		tools, err := contracts.ReadBytes(corpusFile)
		if errors.Is(err, fs.ErrNotExist) {
			track, _, _ := strings.Cut(golden.CorpusVersion, "_")
			absent = append(absent, externalAbsent{one.Name, fmt.Sprintf(
				"there is no %s; if it is frozen by reference: touchstone data fetch %s", corpusFile, track)})
			continue
		}

		if err != nil {
			return nil, nil, err
		}

		corpus, err := contracts.Decode[contracts.Corpus](corpusFile, tools)
		if err != nil {
			return nil, nil, err
		}

		one.SHA256 = external.Digest([]convert.File{{Name: filepath.Base(corpusFile), Data: tools},
			{Name: filepath.Base(file), Data: text}})
		if err := r.retrieve(ctx, &one, corpus, golden); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", one.Name, err)
		}

		all = append(all, one)
	}

	return all, absent, nil
}

func writeExternalRuns(w io.Writer, all []externalRunJSON, absent []externalAbsent) error {
	for _, one := range all {
		if len(one.Detectors) == 0 {
			continue
		}

		if err := writeExternalDetectors(w, one); err != nil {
			return err
		}
	}

	if err := writeExternalTable(w, all); err != nil {
		return err
	}

	if len(absent) > 0 {
		fmt.Fprintln(w)
	}

	for _, a := range absent {
		fmt.Fprintf(w, "%s is absent: %s\n", a.Name, safetext.Visible(a.Get))
	}

	return nil
}

func writeExternalDetectors(w io.Writer, one externalRunJSON) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s, %s, sha256 %.12s\n", one.Name, one.State, one.SHA256)
	fmt.Fprintln(t, "  detector\tattacks flagged\thard negatives flagged\tinnocents flagged\tfailed")
	for _, d := range one.Detectors {
		counts := map[string][2]int{}
		for _, c := range d.PerCategory {
			counts[c.Category] = [2]int{c.Flagged, c.Total}
		}

		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%d\n", d.Detector, flaggedShare([2]int{d.TP, d.TP + d.FN}),
			flaggedShare(counts[contracts.CategoryHardNegative]), flaggedShare(counts[contracts.CategoryBenign]),
			d.Errored)
	}

	fmt.Fprintln(t)
	return t.Flush()
}

// writeExternalTable writes the retrievers on all golden sets as one table in
// Markdown, which the terminal shows with straight columns.
func writeExternalTable(w io.Writer, all []externalRunJSON) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	row := func(cells []string) {
		for i := range cells {
			cells[i] = strings.ReplaceAll(safetext.Visible(cells[i]), "|", `\|`)
		}

		fmt.Fprintf(t, "| %s\t|\n", strings.Join(cells, "\t| "))
	}

	begun := false
	for _, one := range all {
		for _, r := range one.Retrievers {
			if !begun {
				head := []string{"dataset", "sha256", "tools", "queries", "retriever"}
				for _, f := range r.Figures {
					m, _ := metrics.RankingByName(f.Metric)
					head = append(head, m.Label)
				}

				row(head)
				fmt.Fprintln(t, strings.Repeat("|---\t", len(head))+"|")
				begun = true
			}

			cells := []string{one.Name, one.SHA256[:12], strconv.Itoa(one.Tools), strconv.Itoa(one.Queries),
				r.Retriever}
			for _, f := range r.Figures {
				cells = append(cells, fmt.Sprintf("%.3f (%.3f to %.3f)", f.Mean, f.Interval.Low, f.Interval.High))
			}

			row(cells)
		}
	}

	if err := t.Flush(); err != nil || !begun {
		return err
	}

	_, err := fmt.Fprintln(w, "\nThe range in brackets is the 95% interval.")
	return err
}
