package metrics

// Confusion is the confusion matrix of a detector: "positive" is malicious.
// DetectionRates lists the rates that are computed from it.
type Confusion struct {
	TP, FP, TN, FN int
}

// Add counts one entry.
func (c *Confusion) Add(malicious, flagged bool) {
	switch {
	case malicious && flagged:
		c.TP++
	case malicious:
		c.FN++
	case flagged:
		c.FP++
	default:
		c.TN++
	}
}

// Rate is k / n, or nil if n is zero: undefined is neither 0 nor 1.
func Rate(k, n int) *float64 {
	if n == 0 {
		return nil
	}
	r := float64(k) / float64(n)
	return &r
}

// PrecisionAtBaseRate is the expected precision if one entry in oneIn is
// malicious, by Bayes' theorem: with base rate p = 1/oneIn it is recall·p /
// (recall·p + fpr·(1-p)). The corpus has a far larger share of attacks than
// real use, so the precision on the corpus is too optimistic. Axelsson, The
// base-rate fallacy and the difficulty of intrusion detection, ACM TISSEC 3(3),
// 2000.
//
// It is nil if recall or fpr is nil, or if nothing would ever be flagged.
func PrecisionAtBaseRate(recall, fpr *float64, oneIn int) *float64 {
	if recall == nil || fpr == nil {
		return nil
	}
	// Both sides are multiplied by oneIn, so that the base rate itself is never
	// rounded.
	all := *recall + float64(*fpr*float64(oneIn-1))
	if all == 0 {
		return nil
	}
	p := *recall / all
	return &p
}
