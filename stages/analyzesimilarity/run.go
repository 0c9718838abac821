package analyzesimilarity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
)

// maxPairs is the number of pairs of each kind that a report lists, and
// maxDescription the length of a reason in bytes. With a low threshold a large
// corpus has millions of pairs.
const (
	maxPairs       = 1000
	maxDescription = 1000
)

// Run runs the stage. A corpus with fewer than two tools has no pairs.
func Run(ctx context.Context, opts Options) error {
	method := similarity.Method(opts.Method)
	if method != similarity.TFIDF && method != similarity.DescriptionOverlap {
		return fmt.Errorf("--method %q is unknown: use %s or %s", opts.Method, similarity.TFIDF,
			similarity.DescriptionOverlap)
	}

	if !(opts.Threshold >= 0 && opts.Threshold <= 1) {
		return fmt.Errorf("--threshold %v is out of range: give a score from 0 to 1", opts.Threshold)
	}

	corpus, sum, err := contracts.ReadDigested[contracts.Corpus](opts.Corpus)
	if err != nil {
		return err
	}

	report := contracts.SimilarityReport{
		CorpusVersion: corpus.Version, CorpusSHA256: sum, Tools: len(corpus.Tools),
		Method: opts.Method, Threshold: opts.Threshold,
	}
	if err := analyze(ctx, corpus, method, &report); err != nil {
		return fmt.Errorf("%s: %w", opts.Corpus, err)
	}

	if err := contracts.Write(opts.Out, report); err != nil {
		return err
	}

	if opts.Progress != nil {
		opts.Progress(fmt.Sprintf("%d tools: %d similar pairs, %d overlapping pairs, %d groups", report.Tools,
			report.FlaggedTotal, report.OverlapTotal, len(report.Clusters)))
	}

	return nil
}

func analyze(ctx context.Context, corpus contracts.Corpus, method similarity.Method,
	report *contracts.SimilarityReport) error {
	tools, err := similarity.Prepare(toolsOf(corpus), nil)
	if errors.Is(err, similarity.ErrTooFew) {
		return nil
	}

	if err != nil {
		return err
	}

	a, err := similarity.Analyze(ctx, tools, similarity.Options{Method: method, Threshold: report.Threshold})
	if err != nil {
		return err
	}

	report.FlaggedTotal = len(a.Flagged)
	for _, r := range similarity.Recommend(tools, a.Flagged[:min(len(a.Flagged), maxPairs)]) {
		pair := contracts.SimilarPair{A: r.Pair[0], B: r.Pair[1], Score: r.Score}
		for _, i := range r.Issues {
			pair.Issues = append(pair.Issues,
				contracts.SimilarityIssue{Type: string(i.Type), Description: clip(i.Description)})
		}

		report.Flagged = append(report.Flagged, pair)
	}

	o, err := similarity.Overlap(ctx, tools, nil, report.Threshold)
	if err != nil {
		return err
	}

	report.Weights = o.Dimensions
	report.Overlap, report.OverlapTotal = overlapping(o, report.Threshold)
	report.Clusters = o.Clusters
	return nil
}

// overlapping lists the pairs at or above a threshold, the highest score first,
// and counts all of them.
func overlapping(o *similarity.OverlapMatrix, threshold float64) (pairs []contracts.SimilarPair, total int) {
	for i := range o.Matrix.Len() {
		for j := range i {
			if score := similarity.Round(o.Matrix.At(i, j)); score >= threshold {
				pairs = append(pairs, contracts.SimilarPair{A: o.ToolIDs[j], B: o.ToolIDs[i], Score: score})
			}
		}
	}
	slices.SortFunc(pairs, func(x, y contracts.SimilarPair) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return pairs[:min(len(pairs), maxPairs)], len(pairs)
}

func toolsOf(corpus contracts.Corpus) []similarity.Tool {
	tools := make([]similarity.Tool, len(corpus.Tools))
	for i, t := range corpus.Tools {
		tools[i] = similarity.Tool{ID: t.ToolID, Server: t.Server, Name: t.Tool, Description: t.Description,
			InputSchema: t.Schema}
	}
	return tools
}

// clip shortens a text without cutting a character.
func clip(text string) string {
	if len(text) <= maxDescription {
		return text
	}
	n := maxDescription
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
