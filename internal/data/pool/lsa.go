package pool

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/reference"
)

const (
	// lsaDimensions is the length of the vectors. 100 to 300 are usual.
	lsaDimensions = 128
	// lsaRounds is the number of rounds of the subspace iteration. The values
	// of a term matrix fall quickly, so few are enough.
	lsaRounds = 6
)

// lsa ranks tools by latent semantic analysis (Deerwester et al., "Indexing by
// Latent Semantic Analysis", 1990): tools and terms become short vectors, by a
// truncated singular value decomposition of the matrix of their weights, so
// that words of the same tools are alike. It learns from the corpus alone. The
// decomposition is the randomized subspace iteration of Halko, Martinsson and
// Tropp, "Finding structure with randomness", 2011, algorithm 4.4.
type lsa struct {
	ranking
	terms map[string]int
	idf   []float64
	// basis has a row for each term and a column for each dimension.
	basis [][]float64
	// vectors has a row for each tool.
	vectors [][]float64
}

func newLSA(tools []contracts.Tool) *lsa {
	l := &lsa{ranking: newRanking(tools), terms: map[string]int{}}
	rows := make([][]int, len(tools)) // the terms of each tool, sorted
	var holders []float64
	for i := range tools {
		for _, term := range reference.Terms(tools[i].Tool + "\n" + everything(&tools[i])) {
			number, known := l.terms[term]
			if !known {
				number = len(l.terms)
				l.terms[term] = number
				holders = append(holders, 0)
			}

			holders[number]++
			rows[i] = append(rows[i], number)
		}
	}

	l.idf = make([]float64, len(holders))
	for i, n := range holders {
		l.idf[i] = math.Log(1 + float64(len(tools))/n)
	}

	l.decompose(rows)
	l.vectors = make([][]float64, len(rows))
	for i, row := range rows {
		l.vectors[i] = l.fold(row)
	}

	return l
}

// decompose finds an orthonormal basis of the terms' main directions.
func (l *lsa) decompose(rows [][]int) {
	dimensions := min(lsaDimensions, len(rows), len(l.terms))
	random := rand.New(rand.NewPCG(1, 2)) // any fixed start serves
	l.basis = make([][]float64, len(l.terms))
	for i := range l.basis {
		l.basis[i] = make([]float64, dimensions)
		for d := range l.basis[i] {
			l.basis[i][d] = random.NormFloat64()
		}
	}

	orthonormalize(l.basis)
	for range lsaRounds {
		next := make([][]float64, len(l.terms))
		for i := range next {
			next[i] = make([]float64, dimensions)
		}

		for _, row := range rows {
			image := l.fold(row)
			for _, term := range row {
				for d := range image {
					next[term][d] += float64(l.idf[term] * image[d])
				}
			}
		}

		l.basis = next
		orthonormalize(l.basis)
	}
}

// fold maps terms to a vector.
func (l *lsa) fold(terms []int) []float64 {
	var v []float64
	if len(l.basis) > 0 {
		v = make([]float64, len(l.basis[0]))
	}
	for _, term := range terms {
		for d := range v {
			v[d] += float64(l.idf[term] * l.basis[term][d])
		}
	}
	return v
}

// Search implements searcher.
func (l *lsa) Search(_ context.Context, query string, limit int) ([]contracts.ToolID, error) {
	var known []int
	for _, term := range reference.Terms(query) {
		if number, ok := l.terms[term]; ok {
			known = append(known, number)
		}
	}

	q := l.fold(known)
	scores := make([]float64, len(l.vectors))
	for i, v := range l.vectors {
		if norm := math.Sqrt(dot(v, v) * dot(q, q)); norm > 0 {
			scores[i] = dot(q, v) / norm
		}
	}

	return l.best(scores, limit), nil
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// orthonormalize makes the columns of a matrix orthogonal and of length 1, by
// the modified Gram-Schmidt process. A column that depends on the ones before it
// becomes 0.
func orthonormalize(rows [][]float64) {
	if len(rows) == 0 {
		return
	}

	columns := make([][]float64, len(rows[0]))
	for d := range columns {
		columns[d] = make([]float64, len(rows))
		for i := range rows {
			columns[d][i] = rows[i][d]
		}
	}

	for d, column := range columns {
		before := math.Sqrt(dot(column, column))
		for _, other := range columns[:d] {
			along := dot(column, other)
			for i := range column {
				column[i] -= float64(along * other[i])
			}
		}

		norm := math.Sqrt(dot(column, column))
		if norm <= 1e-10*before {
			clear(column)
			continue
		}

		for i := range column {
			column[i] /= norm
		}
	}

	for i := range rows {
		for d := range columns {
			rows[i][d] = columns[d][i]
		}
	}
}
