package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
	"github.com/touchstone-eval/touchstone/scanner/internal/tripwire"
)

// Reading is a tool with the frames found in its text. Load points it at
// another tool and keeps its buffers.
type Reading struct {
	tool.View

	hits     []Hit
	hitsDone bool
	sums     tally
	tallied  bool

	Scorer classifier.Scorer
	// wordKeys are the keys of the words of the current sentence. beyondASCII
	// is set if some of its words begin with a letter beyond ASCII.
	wordKeys    []uint8
	beyondASCII bool
	frame       passage

	// trips are the tripwires of the tool, and wireClasses those of the words of
	// the current sentence.
	trips       []Trip
	wireClasses []tripwire.Classes

	without Parts
}

// Without sets the parts that the reading does without, also for the tools that
// are loaded later.
func (v *Reading) Without(p Parts) {
	v.without = p
	v.View.Without(p.decoders)
}

// Load points the reading at a tool.
func (v *Reading) Load(t *tool.Definition) {
	v.View.Load(t)
	v.hits, v.hitsDone, v.tallied = v.hits[:0], false, false
	v.trips = v.trips[:0]
}

// Read makes a reading of a tool.
func Read(t *tool.Definition) *Reading {
	v := new(Reading)
	v.Load(t)
	return v
}

// ReadOther makes a reading of another tool with the same parts.
func (v *Reading) ReadOther(t *tool.Definition) *Reading {
	other := new(Reading)
	other.Without(v.without)
	other.Load(t)
	return other
}
