package change

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Change is what an update does to a tool.
type Change struct {
	// Refused are the fields whose change a reviewer would refuse without an
	// explanation, in the order of the definition.
	Refused []Difference
	// Doc and Sentence are the added sentence that is most like those that attackers
	// plant, or nil if no sentence was added.
	Doc      *token.Doc
	Sentence *token.Sentence
}

// Compare compares a tool with its approved version.
func Compare(now, was *reading.Reading, r *tool.Registry) *Change {
	c := &Change{}
	for _, d := range Fields(&was.Definition, &now.Definition) {
		if d.Level == High {
			c.Refused = append(c.Refused, d)
		}
	}
	was.Analyze()
	now.Judge(r)
	c.findWorst(now, was)
	return c
}

// maxCompared bounds the sentences that are looked for in the approved version.
const maxCompared = 256

// findWorst looks for the worst of the sentences that the approved version lacks.
// Those that are rather documentation do not count.
func (c *Change) findWorst(now, was *reading.Reading) {
	worst, compared := token.Score(0), 0
	for i := range now.Docs {
		d := &now.Docs[i]
		if layer := now.Fields[d.Field].Layer; d.Read || layer != "" && !decode.Deliberate(layer) && !decode.Respells(layer) {
			continue
		}
		for k := d.Sen0; k < d.Sen1 && compared < maxCompared; k++ {
			s := &now.Clauses[k]
			if s.Score <= worst {
				continue
			}
			compared++
			if text := strings.Trim(d.Text[s.Start:s.End], ".;:, \t\n"); text != "" && !was.Contains(text) {
				c.Doc, c.Sentence, worst = d, s, s.Score
			}
		}
	}
}

// LogOdds says how much the worst added sentence is like those that attackers plant,
// as log-odds, or returns 0.
func (c *Change) LogOdds() float64 {
	if c.Sentence == nil {
		return 0
	}
	return reading.LogOdds(c.Sentence.Score)
}
