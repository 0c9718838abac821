package compare

import (
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func selection(right ...int) *contracts.SelectionAggregate {
	accuracy := float64(len(right)) / 4
	m := contracts.ModelSummary{Model: "replay/x/y", AnsweredBy: contracts.AnsweredByRecording, Rates: []contracts.RateSummary{{Rate: "accuracy", Value: &accuracy}, {Rate: "misleading"}}}
	for i, id := range []string{"c1", "c2", "c3", "c4"} {
		c := contracts.CaseSummary{ID: id, Query: "request " + id, Answers: 1, Expected: []contracts.ExpectedCall{{Server: "s", Tool: "t"}}}
		if slices.Contains(right, i+1) {
			c.Right = 1
		}
		m.PerCase = append(m.PerCase, c)
	}
	return &contracts.SelectionAggregate{CasesSHA256: "a", Models: []contracts.ModelSummary{m}}
}

func TestModels(t *testing.T) {
	a, b := selection(1, 2, 3), selection(1, 4)
	b.Models = append(b.Models, contracts.ModelSummary{Model: "replay/only/b"})
	c := Comparison{}
	c.compareSelection(a, b)
	if len(c.Models) != 1 || len(c.Notes) != 0 {
		t.Fatalf("%+v", c)
	}
	m := c.Models[0]
	if m.Cases != 4 || m.P != 1 || len(m.Changed) != 3 || m.Changed[0] != (ChangedCase{"c2", "request c2", Loss}) || m.Changed[2].Outcome != Win {
		t.Errorf("%+v", m)
	}
	if len(m.Rates) != 2 || *m.Rates[0].A != 0.75 || *m.Rates[0].B != 0.5 || m.Rates[1].A != nil {
		t.Errorf("%+v", m.Rates)
	}

	// Other cases, and cases without an answer, are not paired.
	b.CasesSHA256, b.Offer.Tools = "b", contracts.OfferSearch
	b.Models[0].PerCase[0].Query = "another"
	b.Models[0].PerCase[1].Expected = nil
	b.Models[0].PerCase[2].Answers = 0
	c = Comparison{}
	c.compareSelection(a, b)
	if m := c.Models[0]; m.Cases != 1 || len(m.Changed) != 1 || len(c.Notes) != 2 {
		t.Errorf("%+v %q", m, c.Notes)
	}
	c.compareSelection(nil, b)
	if len(c.Models) != 0 {
		t.Errorf("%+v", c.Models)
	}
}
