// Package embedding turns texts into vectors; the smaller the angle between two
// vectors, the more similar the texts are in meaning. It declares the interface
// of a model. The packages below it implement it: sentence (a small model,
// computed here), endpoint (a service), onnx (the user's own model), and
// models, which manages the files of the first on this machine.
//
// Tools, queries and proxies do not belong in this package.
package embedding

import (
	"context"
	"math"
)

// Model computes vectors. Its methods may be called by several goroutines at
// once.
type Model interface {
	// Embed returns one vector per text, in the order of the texts. All vectors
	// of a model have the same number of dimensions.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Identity names the model, its version and, if there is one, the digest of
	// its weights. Two models with the same identity give the same vectors, so
	// it may be part of a cache key. It contains no secret.
	Identity() string
}

// Cosine is the cosine of the angle between two vectors of equal length, from
// -1 to 1. It is 0 if one of them is the zero vector.
func Cosine(a, b []float32) float64 {
	var product, squaresA, squaresB float64
	b = b[:len(a)]
	for i, x := range a {
		y := float64(b[i])
		product += float64(float64(x) * y)
		squaresA += float64(float64(x) * float64(x))
		squaresB += float64(y * y)
	}

	if squaresA == 0 || squaresB == 0 {
		return 0
	}

	return product / (math.Sqrt(squaresA) * math.Sqrt(squaresB))
}
