package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
)

// judgeUnreadFolds divides the sets into folds by author, and judges the tools
// of each fold with a classifier that was trained on the other folds. It
// replaces the classifier's weights for good.
func judgeUnreadFolds(dir string, folds int, opts ...scanner.Option) ([]judged, error) {
	sets, err := readSentenceSets(dir)
	if err != nil {
		return nil, err
	}
	unmarked, err := readUnmarked(dir)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(sets))
	var all []judged
	for fold := range folds {
		rest, own := maps.Clone(sets), []labelledTool{}
		for i, name := range names {
			if i%folds == fold {
				own = append(own, sets[name]...)
				delete(rest, name)
			}
		}
		weights, err := packedWeightsOf(rest, unmarked)
		if err != nil {
			return nil, err
		}
		classifier.Replace(weights)
		judgedTools, err := judgeAll(own, opts...)
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", fold, err)
		}
		all = append(all, judgedTools...)
	}
	return all, nil
}
