package similarity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Method is a way to compare the texts of two tools.
type Method string

const (
	// Embedding compares sentence vectors of name and description.
	Embedding Method = "embedding"
	// DescriptionOverlap compares the words of the descriptions.
	DescriptionOverlap Method = "description_overlap"
	// TFIDF compares the words of names and descriptions.
	TFIDF Method = "tfidf"
)

// Methods lists every method.
var Methods = []Method{Embedding, DescriptionOverlap, TFIDF}

// DefaultThreshold returns the lowest score at which a pair is flagged if the user
// sets none. Scores by words are lower than those of sentence vectors, so their
// threshold is lower.
func (m Method) DefaultThreshold() float64 {
	if m == Embedding {
		return 0.85
	}
	return 0.4
}

// Options are the settings of an analysis.
type Options struct {
	Method    Method
	Threshold float64 // in [0, 1]
	// Full adds a second matrix that also compares parameters: their names and
	// descriptions become part of the text. DescriptionOverlap does not support
	// it.
	Full bool
	// Recommendations adds a recommendation for each flagged pair.
	Recommendations bool
	// Encoder is required by Embedding and by Overlap.
	Encoder Encoder
}

func (o *Options) check() error {
	switch {
	case !slices.Contains(Methods, o.Method):
		var names []string
		for _, m := range Methods {
			names = append(names, string(m))
		}

		return fmt.Errorf("there is no method %q; use %s", o.Method, strings.Join(names, ", "))
	case !(o.Threshold >= 0 && o.Threshold <= 1):
		return fmt.Errorf("the similarity threshold is %v; give one from 0 to 1", o.Threshold)
	case o.Method == Embedding && o.Encoder == nil:
		return fmt.Errorf("the method %s needs a sentence model; name one or use %s", Embedding, TFIDF)
	case o.Full && o.Method == DescriptionOverlap:
		return fmt.Errorf("the method %s compares descriptions only; use %s or %s for the full similarity",
			DescriptionOverlap, Embedding, TFIDF)
	}

	return nil
}

// Pair is two tools and their score. A comes before B in the order of IDs.
type Pair struct {
	A     string  `json:"tool_a_id"`
	B     string  `json:"tool_b_id"`
	Score float64 `json:"similarity_score"`
	// Method is how the two were compared, and Flagged whether the score reaches the
	// threshold.
	Method  Method `json:"method"`
	Flagged bool   `json:"flagged"`
	// FullScore is the score with parameters, if it was requested.
	FullScore *float64 `json:"full_similarity_score,omitempty"`

	a, b int
}

// Analysis is the result of Analyze.
type Analysis struct {
	ToolIDs []string `json:"tool_ids"` // rows and columns of the matrices
	Method  Method   `json:"method"`
	// EmbeddingModel is the identity of the sentence model, if it has one and the
	// method is Embedding.
	EmbeddingModel string  `json:"embedding_model,omitempty"`
	Threshold      float64 `json:"threshold"`
	Matrix         *Matrix `json:"matrix,omitempty"`
	Full           *Matrix `json:"full_matrix,omitempty"`
	// Nearest is the pair with the highest score, or nil if there are fewer than
	// two tools.
	Nearest *Pair `json:"nearest_pair,omitempty"`
	// Flagged holds the pairs at or above the threshold, the highest score
	// first.
	Flagged         []Pair           `json:"flagged_pairs"`
	Recommendations []Recommendation `json:"recommendations,omitempty"`
}

// Analyze compares all pairs of tools. The tools must come from Prepare.
func Analyze(ctx context.Context, tools []Tool, o Options) (*Analysis, error) {
	if err := o.check(); err != nil {
		return nil, err
	}

	a := &Analysis{ToolIDs: ids(tools), Method: o.Method, Threshold: o.Threshold,
		EmbeddingModel: modelOf(o.Encoder, o.Method)}
	var err error
	if a.Matrix, err = o.compare(ctx, tools, false); err != nil {
		return nil, err
	}

	if o.Full {
		if a.Full, err = o.compare(ctx, tools, true); err != nil {
			return nil, err
		}
	}

	a.Nearest, a.Flagged = a.nearest(), a.flag()
	if o.Recommendations {
		a.Recommendations = Recommend(tools, a.Flagged)
	}

	return a, nil
}

// compare returns the matrix of one method.
func (o *Options) compare(ctx context.Context, tools []Tool, full bool) (*Matrix, error) {
	texts := make([]string, len(tools))
	for i := range tools {
		switch {
		case o.Method == DescriptionOverlap:
			texts[i] = tools[i].Description
		case full:
			texts[i] = tools[i].text(parametersOf(tools[i].InputSchema))
		default:
			texts[i] = tools[i].text(nil)
		}
	}

	if o.Method != Embedding {
		return newTFIDF(texts).matrix(), nil
	}

	vectors, err := embed(ctx, o.Encoder, texts)
	if err != nil {
		return nil, err
	}

	return cosineMatrix(vectors), nil
}

// pair returns the pair of two rows.
func (a *Analysis) pair(i, j int) Pair {
	p := Pair{A: a.ToolIDs[i], B: a.ToolIDs[j], Score: Round(a.Matrix.At(i, j)), Method: a.Method, a: i, b: j}
	p.Flagged = float64(a.Matrix.At(i, j)) >= a.Threshold
	if a.Full != nil {
		full := Round(a.Full.At(i, j))
		p.FullScore = &full
	}
	return p
}

func (a *Analysis) nearest() *Pair {
	best, first, second := float32(-1), 0, 0
	for i := range a.Matrix.n {
		for j, score := range a.Matrix.row(i) {
			if score > best {
				best, first, second = score, j, i
			}
		}
	}

	if best < 0 {
		return nil
	}

	p := a.pair(first, second)
	return &p
}

func (a *Analysis) flag() []Pair {
	flagged := []Pair{}
	for i := range a.Matrix.n {
		for j, score := range a.Matrix.row(i) {
			if float64(score) < a.Threshold {
				continue
			}

			flagged = append(flagged, a.pair(j, i))
		}
	}

	slices.SortFunc(flagged, func(x, y Pair) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return flagged
}

// Weights of the overlap matrix.
const (
	SemanticWeight    = 0.5
	ParametersWeight  = 0.3
	DescriptionWeight = 0.2
)

// OverlapMatrix is the overlap of the tools' capabilities: a weighted mean of
// sentence vectors, names of parameters, and words of descriptions.
type OverlapMatrix struct {
	ToolIDs    []string           `json:"tool_ids"`
	Matrix     *Matrix            `json:"matrix"`
	Dimensions map[string]float64 `json:"dimensions"` // the weights
	// EmbeddingModel is the identity of the sentence model, if there is one.
	EmbeddingModel string `json:"embedding_model,omitempty"`
	// Order and Clusters are for a heat map: an order of the rows that puts
	// similar tools next to each other, and the groups whose average overlap
	// reaches the threshold.
	Order    []int      `json:"order"`
	Clusters [][]string `json:"clusters"`
}

// Overlap returns the overlap matrix of tools, which must come from Prepare.
// Without an encoder the semantic part is the TF-IDF of names and descriptions.
func Overlap(ctx context.Context, tools []Tool, e Encoder, threshold float64) (*OverlapMatrix, error) {
	o := Options{Method: TFIDF, Encoder: e, Threshold: threshold}
	if e != nil {
		o.Method = Embedding
	}

	if err := o.check(); err != nil {
		return nil, err
	}

	m, err := o.compare(ctx, tools, false)
	if err != nil {
		return nil, err
	}

	parameters := make([][]parameter, len(tools))
	for i := range tools {
		parameters[i] = parametersOf(tools[i].InputSchema)
	}

	byName := parameterMatrix(parameters)
	semantic := o.Method
	o.Method = DescriptionOverlap
	words, err := o.compare(ctx, tools, false)
	if err != nil {
		return nil, err
	}

	for i, meaning := range m.cells {
		m.cells[i] = clamp(SemanticWeight*float64(meaning) + ParametersWeight*float64(byName.cells[i]) +
			DescriptionWeight*float64(words.cells[i]))
	}

	tree := cluster(m)
	result := &OverlapMatrix{
		EmbeddingModel: modelOf(e, semantic),
		ToolIDs:        ids(tools), Matrix: m, Order: tree.order(), Clusters: [][]string{},
		Dimensions: map[string]float64{"semantic": SemanticWeight, "parameters": ParametersWeight,
			"description": DescriptionWeight},
	}
	for _, group := range tree.groups(threshold) {
		var names []string
		for _, i := range group {
			names = append(names, result.ToolIDs[i])
		}

		result.Clusters = append(result.Clusters, names)
	}

	return result, nil
}

func ids(tools []Tool) []string {
	list := make([]string, len(tools))
	for i := range tools {
		list[i] = tools[i].ID
	}
	return list
}
