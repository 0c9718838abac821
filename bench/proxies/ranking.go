package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/compare"
)

// dataset is what the ranking is measured on.
type dataset struct {
	corpus, golden string
	variable       string // the value of --var data in the pipeline; empty for its default
	section        string // of the page
}

// curveDepth is the number of results that are asked for where recall is set against tokens.
const curveDepth = 20

// datasets are the values of -data.
var datasets = map[string]dataset{
	"v2": {"datasets/corpus_v2.json", "datasets/golden_v2.json", "", "measured ranking"},
	"real": {"datasets/corpus_real_v1.json", "datasets/golden_real_v1.json", "real",
		"measured ranking on real tools"},
}

// ranked are the figures of a system over a dataset.
type ranked struct {
	subject
	figures contracts.RetrievalAggregate
	// curve is recall against tokens of lists of curveDepth results, which is a measurement of its own: asked
	// for more, a proxy gives another answer.
	curve []contracts.CostCurveStep
	// against compares it with the reference proxy. It is nil for that.
	against *compare.Comparison
}

// ranking runs the stages of the evaluation for each system, as gate does.
func (b *bencher) ranking(ctx context.Context) ([]ranked, error) {
	err := b.stage(ctx, "validate-datasets", "--lock", "datasets/lock.json", "--out-report", b.data("validation"),
		"--corpus", b.on.corpus, "--out-corpus", b.data("corpus"),
		"--golden", b.on.golden, "--out-golden", b.data("golden"),
		"--security", "datasets/security_v2.json", "--out-security", b.data("security"))
	if err != nil {
		return nil, err
	}

	var all []ranked
	var reference *contracts.Aggregate
	for _, s := range b.built {
		if s.timesOnly {
			continue
		}

		r := ranked{subject: s}
		if r.problem == nil {
			fmt.Fprintln(os.Stderr, "ranking", s.name)
			r.problem = b.rank(ctx, s)
		}

		if ctx.Err() != nil {
			return nil, ctx.Err()
		}

		if r.problem == nil {
			if reference, err = r.read(reference); err != nil {
				return nil, err
			}
		}

		all = append(all, r)
	}

	return all, nil
}

// read reads the figures of the system, and compares them with those of the reference proxy,
// if there are any yet. It returns the latter.
func (r *ranked) read(reference *contracts.Aggregate) (*contracts.Aggregate, error) {
	figures, err := contracts.Read[contracts.Aggregate](r.path("aggregate"))
	if err != nil {
		return nil, err
	}

	deep, err := contracts.Read[contracts.Aggregate](r.path("aggregate-deep"))
	if err != nil {
		return nil, err
	}

	if deep.Retrieval.Cost != nil {
		r.curve = deep.Retrieval.Cost.Curve
	}

	r.figures = figures.Retrieval
	switch {
	case r.name == baseSystem:
		return &figures, nil
	case reference != nil:
		r.against, err = compare.Reports("reference", reference, r.name, &figures, compare.Options{})
	}

	return reference, err
}

// data is the path of a validated file.
func (b *bencher) data(name string) string { return filepath.Join(b.dir, name+".json") }

func (b *bencher) rank(ctx context.Context, s subject) error {
	inputs := []string{"--proxy", s.proxy(), "--corpus", b.data("corpus"), "--ready-timeout", b.ready.String()}
	if err := b.stage(ctx, "snapshot-index", append(inputs, "--out", s.path("index"))...); err != nil {
		return err
	}

	inputs = append(inputs, "--golden", b.data("golden"), "--index", s.path("index"))
	if err := b.score(ctx, s, inputs, "", b.runs); err != nil {
		return err
	}

	return b.score(ctx, s, append(inputs, "--depth", strconv.Itoa(curveDepth)), "-deep", 1)
}

// score runs score-retrieval and aggregate, whose files get the suffix.
func (b *bencher) score(ctx context.Context, s subject, inputs []string, suffix string, runs int) error {
	dir := s.path("retrieval" + suffix)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}

	for run := range runs {
		number := strconv.Itoa(run + 1)
		err := b.stage(ctx, "score-retrieval", append(slices.Clone(inputs), "--run", number, "--out",
			filepath.Join(dir, number+".json"))...)
		if err != nil {
			return err
		}
	}

	return b.stage(ctx, "aggregate", "--validation", b.data("validation"), "--retrieval", dir,
		"--out", s.path("aggregate"+suffix))
}
