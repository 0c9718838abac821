package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/optimize"

	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// example is a training sentence.
type example struct {
	features []classifier.Feature
	planted  bool
}

// examplesOf returns the sentences of a tool that the classifier would judge.
func examplesOf(l *labelledTool) []example {
	v := reading.Read((*tool.Definition)(&l.tool))
	v.Judge(l.registryOf())
	var out []example
	z := &v.Scorer
	for i := range v.Docs {
		d := &v.Docs[i]
		f := &v.Fields[d.Field]
		if !f.Classified() || f.Layer != "" {
			continue
		}

		z.Stem(&v.View, d)
		for k := d.Sen0; k < d.Sen1; k++ {
			s := &v.Clauses[k]
			if s.Tok1 == s.Tok0 {
				continue
			}

			e := example{planted: planted(d.Text, int(v.Tokens[s.Tok0].Start), int(v.Tokens[s.Tok1-1].End), l.marks)}
			z.FeaturesOf(&v.View, d, k).Each(func(f classifier.Feature) { e.features = append(e.features, f) })
			out = append(out, e)
		}
	}

	return out
}

// planted reports whether a quarter of a sentence, or twelve bytes of it, are
// marked.
func planted(text string, start, end int, marks []string) bool {
	for _, m := range marks {
		for at := 0; ; {
			k := strings.Index(text[at:], m)
			if k < 0 {
				break
			}

			from, to := max(start, at+k), min(end, at+k+len(m))
			if n := to - from; n > 0 && n*4 >= end-start || n >= 12 {
				return true
			}

			at += k + len(m)
		}
	}

	return false
}

// trained holds the weights of features before rounding.
type trained map[classifier.Feature]float64

func (t trained) of(e *example) float64 {
	sum := 0.0
	for _, f := range e.features {
		sum += t[f]
	}
	return sum * scaleOf(len(e.features))
}

// scaleOf normalises the feature vector of a sentence to one length, whatever
// the number of features.
func scaleOf(n int) float64 { return classifier.FeatureScale / math.Sqrt(float64(n)) }

const (
	// minUses is the smallest number of training sentences in which a feature
	// must occur.
	minUses = 2
	// penalty is the inverse of the variance of the weights' prior.
	penalty = 3.3
)

// train fits a logistic regression with a Gaussian prior on the weights, by
// L-BFGS (Nocedal 1980).
func train(examples []example) (trained, error) {
	uses := map[classifier.Feature]int{}
	for i := range examples {
		for _, f := range examples[i].features {
			uses[f]++
		}
	}

	var vocabulary []classifier.Feature
	for f, n := range uses {
		if n >= minUses {
			vocabulary = append(vocabulary, f)
		}
	}

	slices.Sort(vocabulary)
	index := make(map[classifier.Feature]int32, len(vocabulary))
	for i, f := range vocabulary {
		index[f] = int32(i)
	}

	rows := make([][]int32, len(examples))
	for i := range examples {
		for _, f := range examples[i].features {
			if at, known := index[f]; known {
				rows[i] = append(rows[i], at)
			}
		}
	}

	loss := func(grad, w []float64) float64 {
		sum := 0.0
		for i := range w {
			sum += penalty * w[i] * w[i] / 2
			if grad != nil {
				grad[i] = penalty * w[i]
			}
		}

		for i, row := range rows {
			z, scale := 0.0, scaleOf(len(examples[i].features))
			for _, f := range row {
				z += w[f]
			}

			z *= scale
			if examples[i].planted {
				z = -z
			}

			// log(1+exp(z)), without overflow.
			sum += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
			if grad == nil {
				continue
			}

			p := 1 / (1 + math.Exp(-z))
			if examples[i].planted {
				p = -p
			}

			for _, f := range row {
				grad[f] += p * scale
			}
		}

		return sum
	}
	result, err := optimize.Minimize(optimize.Problem{
		Func: func(w []float64) float64 { return loss(nil, w) },
		Grad: func(grad, w []float64) { loss(grad, w) },
	}, make([]float64, len(vocabulary)), &optimize.Settings{MajorIterations: 120,
		GradientThreshold: 1e-2}, &optimize.LBFGS{})
	if result == nil {
		return nil, fmt.Errorf("train the classifier: %w", err)
	}

	w := make(trained, len(vocabulary))
	for i, f := range vocabulary {
		w[f] = result.X[i]
	}

	return w, nil
}

// examplesOfSets returns the examples of the authors' marked sets and of the
// innocent tools without marks, and apart those of each attack without marks.
func examplesOfSets(sets map[string][]labelledTool, unmarked []labelledTool) (examples []example, attacks [][]example) {
	for _, source := range slices.Sorted(maps.Keys(sets)) {
		for i := range sets[source] {
			examples = append(examples, examplesOf(&sets[source][i])...)
		}
	}

	for i := range unmarked {
		if e := examplesOf(&unmarked[i]); unmarked[i].attack {
			attacks = append(attacks, e)
		} else {
			examples = append(examples, e...)
		}
	}

	return examples, attacks
}

// trainingSet adds to the examples those of attacks without marks: of each the
// sentence that scores worst after training on the other examples, and those
// that score clearly.
func trainingSet(examples []example, attacks [][]example) ([]example, error) {
	first, err := train(examples)
	if err != nil {
		return nil, err
	}

	for _, sentences := range attacks {
		worst := -1
		for i := range sentences {
			if worst < 0 || first.of(&sentences[i]) > first.of(&sentences[worst]) {
				worst = i
			}
		}

		for i := range sentences {
			if i == worst || first.of(&sentences[i]) > 1 {
				sentences[i].planted = true
				examples = append(examples, sentences[i])
			}
		}
	}

	return examples, nil
}

// pack rounds weights and omits those that round to zero.
func (t trained) pack() []byte {
	var out []byte
	for _, f := range slices.Sorted(maps.Keys(t)) {
		w := math.Round(t[f] * classifier.Unit)
		if w == 0 || f == 0 {
			continue
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(f))
		out = append(out, byte(int8(max(-127, min(127, w)))))
	}
	return out
}

// packedWeights trains the classifier on the sets in dir and packs the weights.
func packedWeights(dir string) ([]byte, error) {
	sets, unmarked, err := readTraining(dir)
	if err != nil {
		return nil, err
	}
	return packedWeightsOf(examplesOfSets(sets, unmarked))
}

// packedWeightsOf trains the classifier on examples and packs the weights.
func packedWeightsOf(examples []example, attacks [][]example) ([]byte, error) {
	examples, err := trainingSet(examples, attacks)
	if err != nil {
		return nil, err
	}
	weights, err := train(examples)
	if err != nil {
		return nil, err
	}
	return weights.pack(), nil
}
