package reading

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
	"github.com/touchstone-eval/touchstone/scanner/internal/tripwire"
)

// Reading is a tool with what its sentences say. Load points it at another tool
// and keeps its buffers.
type Reading struct {
	tool.View
	Scorer classifier.Scorer

	judged  bool
	passage passage
	// wordKeys are the keys of the words of the current sentence. beyondASCII
	// is set if some of its words begin with a letter beyond ASCII.
	wordKeys    []uint8
	beyondASCII bool
	// tripwireMatches are those of the tool, and tokenClasses the classes of the words of
	// the current sentence.
	tripwireMatches []Match
	tokenClasses    []tripwire.Classes

	without decode.Set
}

// Without sets the decoders that the reading does without, also for the tools
// that are loaded later.
func (v *Reading) Without(decoders decode.Set) {
	v.without = decoders
	v.View.Without(decoders)
}

// Load points the reading at a tool.
func (v *Reading) Load(t *tool.Definition) {
	v.View.Load(t)
	v.judged, v.tripwireMatches = false, v.tripwireMatches[:0]
}

// Read makes a reading of a tool.
func Read(t *tool.Definition) *Reading {
	v := new(Reading)
	v.Load(t)
	return v
}

// ReadOther makes a reading of another tool with the same decoders.
func (v *Reading) ReadOther(t *tool.Definition) *Reading {
	other := new(Reading)
	other.Without(v.without)
	other.Load(t)
	return other
}
