package compare

import (
	"reflect"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Model compares a model of both reports. Rates are those of the reports, over
// all their cases. Cases counts the cases that both reports have with the same
// text and expected calls and that both answered; a case is right if more than
// half of its answers are. P is the p-value of McNemar's exact test on the
// changed cases.
type Model struct {
	Model      string        `json:"model"`
	AnsweredBy string        `json:"answered_by"`
	Cases      int           `json:"cases"`
	Rates      []ModelRate   `json:"rates"`
	Changed    []ChangedCase `json:"changed"`
	P          float64       `json:"mcnemar_p"`
}

// ModelRate is a rate of both sides, null if it has no denominator.
type ModelRate struct {
	Rate string `json:"rate"`
	Rates
}

// ChangedCase is a case that only one side has right. Outcome is about B.
type ChangedCase struct {
	ID      string `json:"id"`
	Query   string `json:"query"`
	Outcome string `json:"outcome"`
}

// compareSelection compares the models that both reports have.
func (c *Comparison) compareSelection(a, b *contracts.SelectionAggregate) {
	c.Models = []Model{}
	if a == nil || b == nil {
		return
	}

	if a.CasesSHA256 != b.CasesSHA256 {
		c.Notes = append(c.Notes, "the cases of tool selection differ, so their rates may also differ for that reason")
	}

	if a.Offer.Tools != b.Offer.Tools || a.Offer.TopK != b.Offer.TopK {
		c.Notes = append(c.Notes, "the models of the two reports were offered tools in different ways")
	}

	for i := range a.Models {
		j := slices.IndexFunc(b.Models, func(m contracts.ModelSummary) bool { return m.Model == a.Models[i].Model })
		if j >= 0 {
			c.Models = append(c.Models, compareModel(&a.Models[i], &b.Models[j]))
		}
	}
}

func compareModel(a, b *contracts.ModelSummary) Model {
	m := Model{Model: a.Model, AnsweredBy: a.AnsweredBy, Rates: []ModelRate{}, Changed: []ChangedCase{}}
	for _, declared := range metrics.SelectionRates() {
		x, inA := a.Rate(declared.Name)
		y, inB := b.Rate(declared.Name)
		if inA && inB {
			m.Rates = append(m.Rates,
				ModelRate{declared.Name, Rates{A: x.Value, B: y.Value, AInterval: x.Interval, BInterval: y.Interval}})
		}
	}

	other := make(map[string]contracts.CaseSummary, len(b.PerCase))
	for _, o := range b.PerCase {
		other[o.ID] = o
	}

	lost, won := 0, 0
	for _, was := range a.PerCase {
		now, ok := other[was.ID]
		if !ok || was.Answers == 0 || now.Answers == 0 || was.Query != now.Query ||
			!reflect.DeepEqual(was.Expected, now.Expected) {
			continue
		}

		m.Cases++
		switch {
		case was.IsRight() && !now.IsRight():
			lost++
			m.Changed = append(m.Changed, ChangedCase{was.ID, was.Query, Loss})
		case !was.IsRight() && now.IsRight():
			won++
			m.Changed = append(m.Changed, ChangedCase{was.ID, was.Query, Win})
		}
	}

	m.P = metrics.McNemar(lost, won)
	return m
}
