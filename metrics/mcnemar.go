package metrics

import "math/big"

// McNemar is the two-sided p-value of the exact McNemar test of two classifiers
// on the same cases. onlyFirst is the number of cases that only the first
// decides correctly, and onlySecond the number that only the second does. Cases
// on which both agree carry no information. Under the null hypothesis onlyFirst
// is binomial with n = onlyFirst + onlySecond draws and probability 1/2:
//
//	p = min(1, 2 · Σ_{i=0}^{min(onlyFirst, onlySecond)} C(n,i) / 2^n)
//
// McNemar, Psychometrika 12(2), 1947; the exact form is the sign test (Conover,
// Practical Nonparametric Statistics, 3rd ed. 1999, section 3.5). The sum is
// computed in integers and rounded once. Without discordant cases p is 1.
// Negative counts are read as 0.
func McNemar(onlyFirst, onlySecond int) float64 {
	low, high := max(0, min(onlyFirst, onlySecond)), max(0, onlyFirst, onlySecond)
	n := low + high
	if low == high {
		return 1
	}

	// term is C(n,i): exact at every step, since C(n,i)·(n-i) is divisible by
	// i+1.
	term, sum, factor := big.NewInt(1), big.NewInt(1), new(big.Int)
	for i := range low {
		term.Mul(term, factor.SetInt64(int64(n-i)))
		term.Quo(term, factor.SetInt64(int64(i+1)))
		sum.Add(sum, term)
	}

	// 2·sum / 2^n = sum / 2^(n-1)
	p := new(big.Float).SetPrec(uint(sum.BitLen()) + 1).SetInt(sum)
	p.SetMantExp(p, -(n - 1))
	value, _ := p.Float64()
	return min(1, value)
}
