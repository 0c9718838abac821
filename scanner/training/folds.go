package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
)

// foldsOf divides the sentences into folds by author. The weights of each fold were
// trained on the others.
func foldsOf(dir string, folds int) (panel, error) {
	sets, unmarked, err := readTraining(dir)
	if err != nil {
		return nil, err
	}

	names := slices.Sorted(maps.Keys(sets))
	var p panel
	for fold := range folds {
		rest, own := maps.Clone(sets), []labelledTool{}
		for i, name := range names {
			if i%folds == fold {
				own = append(own, sets[name]...)
				delete(rest, name)
			}
		}

		weights, err := cachedWeights(rest, unmarked)
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", fold+1, err)
		}

		p = append(p, panelSet{name: fmt.Sprintf("sentences, fold %d", fold+1), tools: own, weights: weights})
	}

	return p, nil
}

// trainer is the source that trains. Weights that other code made do not count.
//
//go:embed weights.go
var trainer string

// cachedWeights trains the classifier on sets, or takes the weights from the
// user's cache if the same code has made them from the same examples.
func cachedWeights(sets map[string][]labelledTool, unmarked []labelledTool) ([]byte, error) {
	examples, attacks := examplesOfSets(sets, unmarked)
	digest := sha256.New()
	fmt.Fprintln(digest, trainer, classifier.FeatureScale, classifier.Unit, examples, attacks)
	path := ""
	if cache, err := os.UserCacheDir(); err == nil {
		path = filepath.Join(cache, "touchstone-training", hex.EncodeToString(digest.Sum(nil)))
		if packed, err := os.ReadFile(path); err == nil && len(packed)%classifier.RecordSize == 0 {
			return packed, nil
		}
	}

	packed, err := packedWeightsOf(examples, attacks)
	if err != nil {
		return nil, err
	}

	if path != "" && os.MkdirAll(filepath.Dir(path), 0o777) == nil {
		_ = atomicfile.WriteFile(path, packed, 0o666) // the next run trains again
	}

	return packed, nil
}

// judgeWith calls judge, during which the classifier uses other weights. Nil stands for
// those of the program.
func judgeWith(packed []byte, judge func() error) error {
	if packed != nil {
		defer classifier.Replace(packed)()
	}
	return judge()
}

// judgeUnreadFolds judges the tools of each fold with a classifier that was trained
// on the other folds.
func judgeUnreadFolds(dir string, folds int, opts ...scanner.Option) ([]judged, error) {
	p, err := foldsOf(dir, folds)
	if err != nil {
		return nil, err
	}

	var all []judged
	for _, set := range p {
		err := judgeWith(set.weights, func() error {
			tools, err := judgeAll(set.tools, opts...)
			all = append(all, tools...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.name, err)
		}
	}

	return all, nil
}
