package metrics

import "math"

// PrecisionAtBaseRateInterval is the 95% interval of PrecisionAtBaseRate for a
// recall of caught in attacks and a false-positive rate of alarms in benign.
// The precision depends on the two rates by their ratio alone, and rises with
// recall/fpr. The bounds are those of the ratio by the method of variance
// estimates recovery from the Wilson intervals of both rates (Donner and Zou,
// Statistical Methods in Medical Research 21(4), 2012). Both ends of the range
// are reached: without a false alarm the upper bound is 1. ok is false if a
// rate has no denominator or if nothing was flagged.
func PrecisionAtBaseRateInterval(caught, attacks, alarms, benign, oneIn int) (interval Interval, ok bool) {
	if attacks == 0 || benign == 0 || caught == 0 && alarms == 0 {
		return Interval{}, false
	}

	recall, fpr := float64(caught)/float64(attacks), float64(alarms)/float64(benign)
	r, f := WilsonOf(recall, attacks), WilsonOf(fpr, benign)
	at := func(recall, fpr float64) float64 { return *PrecisionAtBaseRate(&recall, &fpr, oneIn) }
	if caught == 0 {
		// The ratio fpr/recall has no upper bound.
		_, high := ratio(recall, r, fpr, f)
		return Interval{0, at(high, 1)}, true
	}

	low, high := ratio(fpr, f, recall, r)
	return Interval{at(1, high), at(1, low)}, true
}

// ratio returns the bounds of a/b, b > 0, from the intervals of both.
func ratio(a float64, ai Interval, b float64, bi Interval) (low, high float64) {
	product := a * b
	bound := func(a1, b1, sign float64) float64 {
		inner := float64(product*product) - float64(a1*b1)*float64((2*a-a1)*(2*b-b1))
		return (product + float64(sign*math.Sqrt(max(0, inner)))) / (b1 * (2*b - b1))
	}
	return max(0, bound(ai.Low, bi.High, -1)), bound(ai.High, bi.Low, 1)
}
