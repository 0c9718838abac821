package sentence

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// The product equals that of the definition to the last bit, for any number of
// rows and of panels, dense and sparse. Some sizes take the vector instructions
// of the processor, and others do not.
func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range []struct{ rows, columns, n int }{{1, 8, 1}, {5, 40, 3}, {64, 32, 2}, {300, 96, 7}, {4, 8, 0}} {
		values := make([]float32, size.rows*size.columns)
		var raw []byte
		for i := range values {
			values[i] = float32(r.NormFloat64())
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(values[i]))
		}
		in, bias := make([]float32, size.n*size.rows), make([]float32, size.columns)
		for i := range in {
			in[i] = max(float32(r.NormFloat64()), 0)
		}
		for i := range bias {
			bias[i] = float32(r.NormFloat64())
		}
		m := newMatrix(size.rows, size.columns, raw)
		dense, sparse := make([]float32, size.n*size.columns), make([]float32, size.n*size.columns)
		m.times(dense, in, bias)
		m.timesSparse(sparse, in, bias)
		for row := range size.n {
			for column := range size.columns {
				var want float32
				for k := range size.rows {
					want += float32(in[row*size.rows+k] * values[k*size.columns+column])
				}
				want += bias[column]
				i := row*size.columns + column
				if dense[i] != want || sparse[i] != want {
					t.Fatalf("%v: number %d of row %d is %g and %g, want %g", size, column, row, dense[i], sparse[i], want)
				}
			}
		}
	}
}
