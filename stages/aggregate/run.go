// Package aggregate is the stage that combines the reports of all runs and
// compares them with the baseline. It measures nothing: its output depends only
// on the content of the reports, not on their order.
package aggregate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

// Options names the files of one aggregation. Security, Mutations, Selection,
// Similarity and Baseline may be empty. Log may be nil.
type Options struct {
	Validation string
	Retrieval  string
	Security   string
	Mutations  string
	Selection  string
	Similarity string
	Baseline   string
	Out        string
	Log        io.Writer
}

// Run reads the reports and writes the aggregate. It refuses reports that do
// not belong together. With a baseline made on other data, it compares what both
// data have in common. A baseline without any common query, or a file that is
// not a baseline of this version, is not an error here: the aggregate records
// the reason and holds no comparison, so that a new baseline can be made from
// it.
func Run(ctx context.Context, opts Options) error {
	validation, err := contracts.Read[contracts.Validation](opts.Validation)
	if err != nil {
		return err
	}

	data, err := identify(opts.Validation, validation)
	if err != nil {
		return err
	}

	runs, err := readRetrieval(ctx, opts.Retrieval, data)
	if err != nil {
		return err
	}

	var detectors [][]securityRun
	if opts.Security != "" {
		if detectors, err = readSecurity(ctx, opts.Security, data); err != nil {
			return err
		}
	}

	first := runs[0].report
	agg := contracts.Aggregate{
		Data: data, Validation: validation,
		Proxy: first.Proxy, ProxyIdentity: first.ProxyIdentity, SearchPath: first.SearchPath, Degraded: first.Degraded,
	}
	for _, d := range detectors {
		agg.Detectors = append(agg.Detectors, summarizeDetector(d))
	}

	retrieval := newRetrieval(runs)
	agg.Retrieval.PerQuery, agg.Retrieval.TestShare = retrieval.queries, first.TestShare // which overlap.Of reads
	baseline, part := contracts.Baseline{}, overlap.Part{}
	switch opts.Baseline {
	case "":
		agg.Baseline.Reason = "no baseline was given; make one with touchstone baseline update"
	default:
		baseline, err = contracts.Read[contracts.Baseline](opts.Baseline)
		var unreadable *contracts.FileError
		switch {
		case errors.As(err, &unreadable):
			agg.Baseline.Reason = "the baseline cannot be read: " + unreadable.Problems[0].Message
		case err != nil:
			return err
		default:
			part = overlap.Of(agg, baseline)
			agg.Baseline = contracts.BaselineStatus{Version: baseline.Version,
				Reason: retrieval.incomparable(data, baseline, part), Data: part.Data}
			agg.Baseline.Comparable = agg.Baseline.Reason == ""
		}
	}

	if agg.Baseline.Comparable {
		agg.Retrieval = retrieval.summary(&baseline, part)
	} else {
		agg.Retrieval = retrieval.summary(nil, part)
	}

	if opts.Mutations != "" {
		if agg.Mutations, err = readMutations(ctx, opts.Mutations, data); err != nil {
			return err
		}
	}

	if opts.Selection != "" {
		models, err := readSelection(ctx, opts.Selection, data, validation)
		if err != nil {
			return err
		}

		var comparable *contracts.Baseline
		if agg.Baseline.Comparable {
			comparable = &baseline
		}

		agg.Selection = summarizeSelection(models, comparable, part)
	}

	if opts.Similarity != "" {
		if agg.Similarity, err = readSimilarity(opts.Similarity, data); err != nil {
			return err
		}
	}

	if err := contracts.Write(opts.Out, agg); err != nil {
		return err
	}

	if opts.Log != nil {
		logSummary(opts.Log, agg)
	}

	return nil
}

// identify returns the identity of the validated data.
func identify(file string, v contracts.Validation) (contracts.DataIdentity, error) {
	var data contracts.DataIdentity
	for _, d := range v.Datasets {
		switch d.Kind {
		case contracts.KindCorpus:
			data.CorpusVersion, data.CorpusSHA256 = d.Version, d.SHA256
		case contracts.KindGolden:
			data.GoldenVersion, data.GoldenSHA256 = d.Version, d.SHA256
		case contracts.KindSecurity:
			data.SecurityVersion, data.SecuritySHA256 = d.Version, d.SHA256
		}
	}

	for _, kind := range []struct{ name, sha string }{
		{"corpus", data.CorpusSHA256}, {"golden set", data.GoldenSHA256}, {"security corpus", data.SecuritySHA256},
	} {
		if kind.sha == "" {
			return data, fmt.Errorf("%s: no %s was validated; run validate-datasets over all three datasets", file,
				kind.name)
		}
	}

	return data, nil
}

// logSummary prints the figures for people.
func logSummary(w io.Writer, agg contracts.Aggregate) {
	fmt.Fprintf(w, "%d queries, %d runs of %s over %s, %d failed\n",
		agg.Retrieval.Queries, agg.Retrieval.Runs, agg.Proxy, agg.SearchPath, agg.Retrieval.Errored)
	for _, m := range agg.Retrieval.Metrics {
		fmt.Fprintf(w, "%-12s %.4f  [%.4f, %.4f]", m.Metric, m.Mean, m.Interval.Low, m.Interval.High)
		switch c := m.Comparison; {
		case c != nil:
			fmt.Fprintf(w, "  %+.4f  p %.3f  %s", c.Delta, c.PValue, c.Verdict)
		case agg.Baseline.Comparable:
			fmt.Fprint(w, "  new: not in the baseline, not judged")
		}

		fmt.Fprintln(w)
	}

	if n := agg.Retrieval.NoAnswer; n != nil {
		fmt.Fprintf(w, "%d unanswerable queries, %d failed\n", n.Queries, n.Errored)
		for _, m := range n.Metrics {
			fmt.Fprintf(w, "%-12s %.4f  [%.4f, %.4f]\n", m.Metric, m.Mean, m.Interval.Low, m.Interval.High)
		}
	}

	if c := agg.Retrieval.Cost; c != nil {
		for _, f := range c.Figures {
			fmt.Fprintf(w, "%-18s %.1f\n", f.Figure, f.Mean)
		}
	}

	for _, d := range agg.Detectors {
		s := d.Score
		fmt.Fprintf(w, "%s: %d of %d attacks flagged, %d of %d benign entries flagged, %d failed, %d runs%s\n",
			s.Detector, s.TP, s.TP+s.FN, s.FP, s.FP+s.TN, s.Errored, d.Runs, ratesText(d))
	}

	logMutations(w, agg.Mutations)
	logSelection(w, agg.Selection)
	if !agg.Baseline.Comparable {
		fmt.Fprintln(w, "no comparison:", agg.Baseline.Reason)
	}
}
