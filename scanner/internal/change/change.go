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
	compared := 0
	doc, clause, _ := now.Worst(r, func(f *tool.Field, d *token.Doc, s *token.Sentence) bool {
		// What is rather documentation does not count.
		if s.Score <= 0 || compared == maxCompared || f.Layer != "" && !decode.Deliberate(f.Layer) &&
			!decode.Respells(f.Layer) {
			return false
		}

		compared++
		text := strings.Trim(d.Text[s.Start:s.End], ".;:, \t\n")
		return text != "" && !was.Contains(text)
	})
	if doc >= 0 {
		c.Doc, c.Sentence = &now.Docs[doc], &now.Clauses[clause]
	}

	return c
}

// maxCompared bounds the sentences that are looked for in the approved version.
const maxCompared = 256

// LogOdds says how much the worst added sentence is like those that attackers plant,
// as log-odds, or returns 0.
func (c *Change) LogOdds() float64 {
	if c.Sentence == nil {
		return 0
	}
	return reading.LogOdds(c.Sentence.Score)
}
