package metrics

import "math"

// Interval is a two-sided 95% interval.
type Interval struct{ Low, High float64 }

// z975 is the 97.5% quantile of the normal distribution, z80 the 80% one.
const (
	z975 = 1.959963984540054
	z80  = 0.8416212335729143
)

// Wilson is the 95% score interval of a rate of k in n, without continuity
// correction:
//
//	(p + z²/2n ± z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)
//
// Wilson, JASA 22, 1927; recommended for small n by Brown, Cai and DasGupta,
// Statistical Science 16(2), 2001. ok is false if n is zero. A rate of 0 has
// exactly the lower bound 0, and a rate of 1 exactly the upper bound 1.
func Wilson(k, n int) (interval Interval, ok bool) {
	if n == 0 {
		return Interval{}, false
	}
	interval = WilsonOf(float64(k)/float64(n), n)
	return interval, true
}

// WilsonOf is Wilson's interval of a rate p, 0 to 1, over n > 0 independent
// observations, for a rate that was counted over more observations than are
// independent.
func WilsonOf(p float64, n int) Interval { return wilson(p, float64(n)) }

func wilson(p, size float64) Interval {
	const zz = z975 * z975
	scale := 1 + zz/size
	center := (p + zz/(2*size)) / scale
	inner := float64(p*(1-p))/size + zz/float64(4*size*size)
	half := float64(z975*math.Sqrt(inner)) / scale
	interval := Interval{max(0, center-half), min(1, center+half)}
	if p == 0 {
		interval.Low = 0
	}

	if p == 1 {
		interval.High = 1
	}

	return interval
}
