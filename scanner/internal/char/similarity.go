package char

// Similarity is the share of words that two short texts have in common
// (Jaccard). Only the first words count, so that the cost is bounded.
func Similarity(a, b string) float64 {
	var bufA, bufB [48]uint64
	wa, wb := wordHashes(bufA[:0], a), wordHashes(bufB[:0], b)
	if len(wa) == 0 || len(wb) == 0 {
		return 0
	}

	common := 0
	for _, h := range wa {
		for _, g := range wb {
			if h == g {
				common++
				break
			}
		}
	}

	return float64(common) / float64(len(wa)+len(wb)-common)
}

// wordHashes collects the distinct words of a text, at most as many as out can
// hold.
func wordHashes(out []uint64, s string) []uint64 {
	for i := 0; i < len(s) && len(out) < cap(out); {
		if !IsWord(s[i]) {
			i++
			continue
		}

		h := uint64(14695981039346656037)
		for ; i < len(s) && IsWord(s[i]); i++ {
			h = (h ^ uint64(s[i]|0x20)) * 1099511628211
		}

		seen := false
		for _, o := range out {
			seen = seen || o == h
		}

		if !seen {
			out = append(out, h)
		}
	}

	return out
}

// MinHashes returns 16 hashes of the words that Similarity compares. The share of
// hashes that two texts have in common estimates their similarity (Broder 1997).
// A text without words has the hashes of no other text with words.
func MinHashes(s string) [16]uint64 {
	var buf [48]uint64
	var least [16]uint64
	for i := range least {
		least[i] = 1<<64 - 1
	}

	for _, h := range wordHashes(buf[:0], s) {
		for i := range least {
			// The finalizer of MurmurHash3 makes the 16 orders independent.
			x := h + uint64(i)*0x9e3779b97f4a7c15
			x = (x ^ x>>33) * 0xff51afd7ed558ccd
			x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
			least[i] = min(least[i], x^x>>33)
		}
	}

	return least
}
