// Command embedding compares rankings of tools: textbook BM25, sentence
// vectors, the reference proxy's search by words, and its hybrid search by
// words and by meaning. It prints Recall@1/3/5/10 and the reciprocal rank.
//
//	touchstone models add
//	bench/run embedding [-external DIR]
//
// DIR holds metatool.corpus.json and metatool.golden.json, which are not part
// of the project. Missing data is skipped with a message.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/direct"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/models"
	refproxy "github.com/touchstone-eval/touchstone/internal/proxy/reference"
	"github.com/touchstone-eval/touchstone/metrics"
)

func main() {
	external := flag.String("external", "", "the directory of data that is not part of the project")
	flag.Parse()
	if err := bench(context.Background(), *external); err != nil {
		fmt.Fprintln(os.Stderr, "embedding:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, external string) error {
	model, err := openModel()
	if errors.Is(err, models.ErrAbsent) {
		fmt.Println("skipped:", err)
		return nil
	}

	if err != nil {
		return err
	}

	fmt.Printf("%-10s %-10s %6s %6s %6s %6s %6s %9s\n", "data", "ranking", "R@1", "R@3", "R@5", "R@10", "MRR",
		"ms/query")
	sets := []struct{ name, corpus, golden string }{
		{"golden_v1", "datasets/corpus_v1.json", "datasets/golden_v1.json"},
		{"metatool", filepath.Join(external, "metatool.corpus.json"), filepath.Join(external, "metatool.golden.json")},
	}
	for _, s := range sets {
		corpus, err := contracts.Read[contracts.Corpus](s.corpus)
		var golden contracts.GoldenSet
		if err == nil {
			golden, err = contracts.Read[contracts.GoldenSet](s.golden)
		}

		if errors.Is(err, fs.ErrNotExist) {
			fmt.Printf("%-10s skipped: %v: name its directory with -external\n", s.name, err)
			continue
		}

		if err != nil {
			return err
		}

		if err := compare(ctx, s.name, corpus, golden, model); err != nil {
			return err
		}
	}

	return nil
}

func openModel() (embedding.Model, error) {
	dir, err := cache.DefaultDir()
	if err != nil {
		return nil, err
	}

	m, err := models.Find(models.USELite)
	if err != nil {
		return nil, err
	}

	began := time.Now()
	encoder, err := models.Store{Dir: filepath.Join(dir, cache.ModelsDir)}.Open(m)
	if err != nil {
		return nil, err
	}

	fmt.Printf("%s\nloaded and verified in %v\n\n", encoder.Identity(), time.Since(began).Round(time.Millisecond))
	return encoder, nil
}

// depth is the number of results that are evaluated.
const depth = 10

type searcher interface {
	Search(ctx context.Context, query string, limit int) ([]contracts.ToolID, error)
}

func compare(ctx context.Context, name string, corpus contracts.Corpus, golden contracts.GoldenSet,
	model embedding.Model) error {
	bm25, err := direct.NewRanking(ctx, direct.RankBM25, corpus.Tools, nil)
	if err != nil {
		return err
	}

	dense, err := direct.NewRanking(ctx, direct.RankDense, corpus.Tools, model)
	if err != nil {
		return err
	}

	reference, err := refproxy.NewIndex(ctx, corpus.Tools, nil)
	if err != nil {
		return err
	}

	hybrid, err := refproxy.NewIndex(ctx, corpus.Tools, model)
	if err != nil {
		return err
	}

	for _, r := range []struct {
		name string
		searcher
	}{{"BM25", bm25}, {"dense", dense}, {"reference", reference}, {"hybrid", hybrid}} {
		if err := measure(ctx, name, r.name, r, golden); err != nil {
			return err
		}
	}

	return nil
}

func measure(ctx context.Context, data, ranking string, s searcher, golden contracts.GoldenSet) error {
	columns := make([][]float64, 5) // R@1, R@3, R@5, R@10, reciprocal rank
	began := time.Now()
	for _, q := range golden.Queries {
		ids, err := s.Search(ctx, q.Query, depth)
		if err != nil {
			return err
		}

		judged := map[string]int{}
		for _, l := range q.Labels {
			judged[l.ToolID] = l.Relevance
		}

		t := metrics.EvaluateTopic(ids, judged, 1)
		for i, v := range []float64{t.Recall(1), t.Recall(3), t.Recall(5), t.Recall(10), t.ReciprocalRank()} {
			columns[i] = append(columns[i], v)
		}
	}

	fmt.Printf("%-10s %-10s", data, ranking)
	for _, c := range columns {
		fmt.Printf(" %6.3f", metrics.Mean(c))
	}

	fmt.Printf(" %9.2f\n", float64(time.Since(began).Milliseconds())/float64(len(golden.Queries)))
	return nil
}
