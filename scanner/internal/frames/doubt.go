package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// What the classifier's opinion of a sentence does to the frames in it.

const (
	// askScore is the score below which a sentence is so like documentation
	// that no frame is asked about it.
	askScore token.Score = -3 * classifier.Unit
	// doubtScore is the score below which what frames find counts half: more
	// speaks for documentation than against it.
	doubtScore token.Score = 0
	// doubtDecoded is the same for what was decoded, where an order is likelier.
	doubtDecoded token.Score = -classifier.Unit
	// doubtFactor is what is left of a find then.
	doubtFactor float64 = 0.5
	// plainWeight is the weight from which a find is more than a hint.
	plainWeight float64 = 2
)

// Outright is what a find weighs where a change is judged: plain evidence that
// was not there when somebody approved the tool is no documentation.
func (h *Hit) Outright() float64 {
	if full := h.Weight / doubtFactor; h.Doubted && full >= plainWeight {
		return full
	}
	return h.Weight
}

// doubt takes strength from the hits from n on, which were found in a sentence
// of this score: they count half, and the strongest no longer quarantines,
// unless they are certain.
func (x *passage) doubt(s token.Score, n int, decoded bool) {
	if s >= doubtScore || decoded && s >= doubtDecoded {
		return
	}
	for i := n; i < len(x.hits); i++ {
		if h := &x.hits[i]; !h.certain {
			h.Doubted = true
			h.Weight *= doubtFactor
		}
	}
}
