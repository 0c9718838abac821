package scanner

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"

	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
)

// toolReading is a tool with the frames that were found in its text. Load points it
// at another tool and keeps its buffers.
type toolReading struct {
	tool.View

	hits     []hit
	hitsDone bool
	sums     tally
	tallied  bool

	scorer classifier.Scorer
	// wordKeys are the keys of the words of the sentence that frames look at;
	// beyondASCII says that some of its words begin with a letter beyond ASCII.
	wordKeys    []uint8
	beyondASCII bool
	frame       frameContext
}

// load points the reading at a tool.
func (v *toolReading) load(t *tool.Definition) {
	v.View.Load(t)
	v.hits, v.hitsDone, v.tallied = v.hits[:0], false, false
}

// viewOf makes a reading of a tool.
func viewOf(t *tool.Definition) *toolReading {
	v := new(toolReading)
	v.load(t)
	return v
}
