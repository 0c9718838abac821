// Command climb is examples/optimisers/climb.py in Go, with the library instead of a
// server: a hill climber over tool descriptions that evaluates on the held-out half.
//
//	go run ./examples/optimisers/climb
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/fitness"
)

func main() {
	corpusFile := flag.String("corpus", "datasets/corpus_v2.json", "the tools")
	goldenFile := flag.String("golden", "datasets/golden_v2.json", "the labelled queries over them")
	seed := flag.Uint64("seed", 1, "seed of the split and of the random choices")
	rounds := flag.Int("rounds", 25, "number of rounds")
	width := flag.Int("width", 8, "number of candidates per round")
	flag.Parse()
	log.SetFlags(0)
	if err := run(*corpusFile, *goldenFile, *seed, *rounds, *width); err != nil {
		log.Fatal(err)
	}
}

func run(corpusFile, goldenFile string, seed uint64, rounds, width int) error {
	corpus, err := contracts.Read[contracts.Corpus](corpusFile)
	if err != nil {
		return err
	}

	golden, err := contracts.Read[contracts.GoldenSet](goldenFile)
	if err != nil {
		return err
	}

	evaluator, err := fitness.New(corpus, golden, fitness.Options{Seed: seed, Share: 0.6, Metric: "recall_at_5"})
	if err != nil {
		return err
	}

	c := &climber{evaluator: evaluator, original: map[string]string{}, rng: rand.New(rand.NewPCG(seed, 0))}
	for _, tool := range corpus.Tools {
		c.original[tool.ToolID] = tool.Description
	}

	changed, err := c.climb(rounds, width)
	if err != nil {
		return err
	}

	before, err := evaluator.ScoreBoth(context.Background(), contracts.Candidate{ID: "original"})
	if err != nil {
		return err
	}

	after, err := evaluator.ScoreBoth(context.Background(), contracts.Candidate{ID: "climbed", Descriptions: changed})
	if err != nil {
		return err
	}

	fmt.Printf("%d descriptions changed\n", len(changed))
	fmt.Printf("recall_at_5  train (%d)     %.4f, before %.4f\n", evaluator.Train(), after.Fitness, before.Fitness)
	fmt.Printf("recall_at_5  held out (%d)  %.4f, before %.4f\n", evaluator.HeldOut(),
		after.HeldOut.Metrics["recall_at_5"], before.HeldOut.Metrics["recall_at_5"])
	return nil
}

type climber struct {
	evaluator *fitness.Evaluator
	original  map[string]string
	rng       *rand.Rand
}

// climb returns the descriptions that it changed.
func (c *climber) climb(rounds, width int) (map[string]string, error) {
	changed := map[string]string{}
	answers, err := c.score([]map[string]string{changed})
	if err != nil {
		return nil, err
	}

	best := answers[0]
	for range rounds {
		misses := slices.DeleteFunc(slices.Clone(best.Feedback), func(f contracts.FitnessFeedback) bool {
			return 1 <= f.Expected[0].Rank && f.Expected[0].Rank <= 5
		})
		if len(misses) == 0 {
			break
		}

		candidates := make([]map[string]string, width)
		for i := range candidates {
			candidates[i] = c.mutate(changed, misses[c.rng.IntN(len(misses))])
		}

		if answers, err = c.score(candidates); err != nil {
			return nil, err
		}

		for i, answer := range answers {
			if answer.Feasible && answer.Fitness > best.Fitness {
				best, changed = answer, candidates[i]
			}
		}
	}

	return changed, nil
}

// score scores candidates in parallel.
func (c *climber) score(candidates []map[string]string) ([]contracts.Fitness, error) {
	answers := make([]contracts.Fitness, len(candidates))
	errs := make([]error, len(candidates))
	var working sync.WaitGroup
	for i, descriptions := range candidates {
		working.Go(func() {
			answers[i], errs[i] = c.evaluator.Score(context.Background(),
				contracts.Candidate{ID: "climbing", Descriptions: descriptions})
		})
	}

	working.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}

	return answers, nil
}

var word = regexp.MustCompile(`\pL[\pL\pN]{3,}`)

// mutate adds words of a missed query to the description of its tool.
func (c *climber) mutate(changed map[string]string, miss contracts.FitnessFeedback) map[string]string {
	tool := miss.Expected[0].ToolID
	text, ok := changed[tool]
	if !ok {
		text = c.original[tool]
	}

	known := word.FindAllString(strings.ToLower(text), -1)
	words := slices.DeleteFunc(word.FindAllString(strings.ToLower(miss.Query), -1),
		func(w string) bool { return slices.Contains(known, w) })
	c.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	words = words[:min(len(words), 1+c.rng.IntN(3))]
	next := maps.Clone(changed)
	if len(words) > 0 {
		next[tool] = strings.TrimSpace(text) + " Also for: " + strings.Join(words, ", ") + "."
	}

	return next
}
