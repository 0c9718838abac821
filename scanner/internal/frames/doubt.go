package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Effects of the classifier's score of a sentence on its frames.

const (
	// askScore is the score below which a sentence is so similar to
	// documentation that no frame is tried.
	askScore token.Score = -3 * classifier.Unit
	// doubtScore is the score below which hits count half: the sentence is more
	// likely documentation.
	doubtScore token.Score = 0
	// doubtDecoded is the same for decoded text, where an order is more likely.
	doubtDecoded token.Score = -classifier.Unit
	// doubtFactor is the remaining share of such a hit.
	doubtFactor float64 = 0.5
	// plainWeight is the weight above which a hit is more than a hint.
	plainWeight float64 = 2
)

// Outright is the weight of a hit in a changed sentence: plain evidence that
// the approved version lacks is not documentation.
func (h *Hit) Outright() float64 {
	if full := h.Weight / doubtFactor; h.Doubted && !h.firm && full >= plainWeight {
		return full
	}
	return h.Weight
}

// doubt weakens the hits from n on, which were found in a sentence with this
// score: they count half, and the strongest no longer quarantines, unless they
// are certain. Firm ones keep their weight and lose only that. Orders about
// tools of other servers are a matter of structure, which the classifier does
// not see, so that it cannot doubt them.
func (x *passage) doubt(s token.Score, n int, decoded bool) {
	if s >= doubtScore || decoded && s >= doubtDecoded {
		return
	}
	for i := n; i < len(x.hits); i++ {
		if h := &x.hits[i]; !h.certain && h.Frame != Redirect && h.Frame != Shadow {
			h.Doubted = true
			if !h.firm {
				h.Weight *= doubtFactor
			}
		}
	}
}
