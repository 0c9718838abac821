package metrics

// PassAtK is the unbiased estimate of the chance that at least one of k repeats
// succeeds, given correct successes in n repeats:
//
//	1 - C(n-correct, k) / C(n, k)
//
// Chen et al., Evaluating Large Language Models Trained on Code,
// arXiv:2107.03374, 2021, section 2.1. It is nil if k is below 1 or above n, or
// if correct is not between 0 and n.
func PassAtK(n, correct, k int) *float64 {
	if k < 1 || k > n || correct < 0 || correct > n {
		return nil
	}
	p := 1 - drawnOnlyFrom(n, n-correct, k)
	return &p
}

// PassAllK is the unbiased estimate of the chance that all of k repeats
// succeed, C(correct, k) / C(n, k), written pass^k (Yao et al., τ-bench,
// arXiv:2406.12045, 2024, section 3). It is nil if PassAtK is.
func PassAllK(n, correct, k int) *float64 {
	if k < 1 || k > n || correct < 0 || correct > n {
		return nil
	}
	p := drawnOnlyFrom(n, correct, k)
	return &p
}

// drawnOnlyFrom is C(marked, k) / C(n, k): the chance that k draws without
// replacement from n are all among the marked ones.
func drawnOnlyFrom(n, marked, k int) float64 {
	p := 1.0
	for i := range k {
		p *= float64(max(0, marked-i)) / float64(n-i)
	}
	return p
}

// Agreement is the chance that two different repeats of one case gave the same
// answer, given how often each answer was given:
//
//	Σ_j n_j·(n_j - 1) / (n·(n - 1))
//
// Fleiss, Psychological Bulletin 76(5), 1971, the extent of agreement P_i of
// one subject. It is nil for fewer than two repeats.
func Agreement(counts []int) *float64 {
	n, pairs := 0, 0
	for _, c := range counts {
		n += c
		pairs += c * (c - 1)
	}
	if n < 2 {
		return nil
	}
	p := float64(pairs) / float64(n*(n-1))
	return &p
}
