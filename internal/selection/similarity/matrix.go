package similarity

import (
	"encoding/json"
	"math"
)

// Matrix is a symmetric matrix of scores in [0, 1] whose diagonal is 1. It
// stores each pair once: 4 bytes a pair, 50 MB for 5,000 tools.
type Matrix struct {
	n     int
	cells []float32 // row i holds the columns 0 to i-1
}

func newMatrix(n int) *Matrix { return &Matrix{n, make([]float32, n*(n-1)/2)} }

// Len returns the number of rows.
func (m *Matrix) Len() int { return m.n }

// At returns the score of the pair i, j.
func (m *Matrix) At(i, j int) float64 {
	switch {
	case i == j:
		return 1
	case i < j:
		i, j = j, i
	}
	return float64(m.cells[i*(i-1)/2+j])
}

// row returns the columns 0 to i-1 of row i.
func (m *Matrix) row(i int) []float32 { return m.cells[i*(i-1)/2 : i*(i-1)/2+i] }

// clamp limits a cosine to [0, 1]. Rounding may exceed 1, and opposite vectors
// count as unrelated.
func clamp(x float64) float32 { return float32(min(max(x, 0), 1)) }

// MarshalJSON writes all rows in full, with four decimals.
func (m *Matrix) MarshalJSON() ([]byte, error) {
	rows := make([][]float64, m.n)
	for i := range rows {
		rows[i] = make([]float64, m.n)
		for j := range rows[i] {
			rows[i][j] = Round(m.At(i, j))
		}
	}
	return json.Marshal(rows)
}

// Round rounds a score to four decimals, the precision of all output.
func Round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
