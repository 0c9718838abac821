package metrics

import (
	"math/big"
	"math/bits"
	"sync/atomic"
)

// logs caches log2 of 0, 1, 2, ...; the first two entries are never used.
var logs atomic.Pointer[[]float64]

// log2 is the binary logarithm of n >= 1, rounded correctly. math.Log2 is not
// used because its last bit depends on the processor, while nDCG is written to
// files that must be equal everywhere.
func log2(n int) float64 {
	known := logs.Load()
	if known == nil || n >= len(*known) {
		known = extendLogs(known, n)
	}
	return (*known)[n]
}

// extendLogs returns a table with at least n+1 entries. If two goroutines
// extend it at once, they compute the same values.
func extendLogs(old *[]float64, n int) *[]float64 {
	table := []float64{0}
	if old != nil {
		table = *old
	}

	size := 32
	for size <= n {
		size *= 2
	}

	grown := make([]float64, len(table), size)
	copy(grown, table)
	for i := len(grown); i < size; i++ {
		grown = append(grown, computeLog2(uint64(i)))
	}

	logs.Store(&grown)
	return &grown
}

// computeLog2 finds the binary digits of the logarithm one by one. Squaring a
// number doubles its logarithm, so the next digit is 1 if the square of the
// mantissa reaches 2 (Knuth, The Art of Computer Programming, section 1.2.2).
// With 128 bits of mantissa the first 80 digits are right, and 53 are needed.
func computeLog2(n uint64) float64 {
	const precision, digits = 128, 80
	exponent := bits.Len64(n) - 1
	x := new(big.Int).Lsh(new(big.Int).SetUint64(n), uint(precision-exponent))
	log := big.NewInt(int64(exponent))
	for range digits {
		x.Rsh(x.Mul(x, x), precision)
		log.Lsh(log, 1)
		if x.BitLen() > precision+1 {
			x.Rsh(x, 1)
			log.SetBit(log, 0, 1)
		}
	}

	f := new(big.Float).SetInt(log)
	value, _ := f.SetMantExp(f, -digits).Float64()
	return value
}
