package similarity

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
)

// Encoder computes sentence vectors of one length, in the order of the texts.
type Encoder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// named is an Encoder that says which model it is.
type named interface{ Identity() string }

// modelOf names the model of an encoder, or is empty if the method has none.
func modelOf(e Encoder, m Method) string {
	if n, ok := e.(named); ok && m == Embedding {
		return n.Identity()
	}
	return ""
}

// embed returns the vectors of the texts, each of length 1.
func embed(ctx context.Context, e Encoder, texts []string) ([][]float32, error) {
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed the tools: %w", err)
	}

	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("embed the tools: %d vectors for %d texts", len(vectors), len(texts))
	}

	unit := make([][]float32, len(vectors))
	for i, v := range vectors {
		if len(v) != len(vectors[0]) || len(v) == 0 {
			return nil, fmt.Errorf("embed the tools: vectors of %d and %d dimensions", len(v), len(vectors[0]))
		}

		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}

		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			return nil, fmt.Errorf("embed the tools: the vector of %.60q is not finite", texts[i])
		}

		unit[i] = make([]float32, len(v))
		for k, x := range v {
			if sum > 0 {
				unit[i][k] = float32(float64(x) / math.Sqrt(sum))
			}
		}
	}

	return unit, nil
}

// cosineMatrix compares unit vectors by their cosine. Negative cosines count
// as 0.
func cosineMatrix(vectors [][]float32) *Matrix {
	m := newMatrix(len(vectors))
	rows := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range rows {
				row := m.row(i)
				for j := range row {
					row[j] = clamp(float64(dot(vectors[i], vectors[j])))
				}
			}
		})
	}

	for i := len(vectors) - 1; i > 0; i-- { // longest rows first
		rows <- i
	}

	close(rows)
	workers.Wait()
	return m
}

// dot returns the scalar product. It adds up four sums in parallel, in an order
// that does not depend on which vector comes first.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}

	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}

	return (s0 + s1) + (s2 + s3)
}
