package score

import (
	"cmp"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Comparison compares two sets of runs on the cases that both have: two models,
// or two versions of the tools' descriptions.
type Comparison struct {
	First  Summary `json:"first"`
	Second Summary `json:"second"`
	// Cases is the number of cases that both sides decided. A case is right if
	// more than half of its runs are.
	Cases     int           `json:"cases"`
	BothRight int           `json:"both_right"`
	BothWrong int           `json:"both_wrong"`
	Lost      []ChangedCase `json:"lost"`   // only the first is right
	Gained    []ChangedCase `json:"gained"` // only the second is right
	// P is the exact two-sided p-value of McNemar's test on lost and gained cases.
	P float64 `json:"mcnemar_p"`
	// FirstFailed and SecondFailed count the failed runs, which decide nothing.
	FirstFailed  int `json:"first_failed"`
	SecondFailed int `json:"second_failed"`
	// OnlyFirst and OnlySecond name the cases that only one side has.
	OnlyFirst  []string `json:"only_first"`
	OnlySecond []string `json:"only_second"`
}

// ChangedCase is a case that only one side gets right.
type ChangedCase struct {
	CaseID string `json:"test_case_id"`
	Name   string `json:"name"`
	First  string `json:"first"`  // what was selected most often
	Second string `json:"second"` // what was selected most often
}

// Compare pairs the cases of two sets of observations. Failed runs are ignored.
// Summaries are over the cases that both sides have.
func Compare(first, second []Observation) Comparison {
	a, b := decide(first), decide(second)
	c := Comparison{Lost: []ChangedCase{}, Gained: []ChangedCase{}, OnlyFirst: []string{}, OnlySecond: []string{}}
	for into, side := range map[*int][]Observation{&c.FirstFailed: first, &c.SecondFailed: second} {
		for _, o := range side {
			if o.Failed {
				*into++
			}
		}
	}

	for id, x := range a {
		y, ok := b[id]
		if !ok {
			c.OnlyFirst = append(c.OnlyFirst, x.name)
			continue
		}

		c.Cases++
		changed := ChangedCase{CaseID: id, Name: x.name, First: x.most(), Second: y.most()}
		switch {
		case x.isRight() && y.isRight():
			c.BothRight++
		case x.isRight():
			c.Lost = append(c.Lost, changed)
		case y.isRight():
			c.Gained = append(c.Gained, changed)
		default:
			c.BothWrong++
		}
	}

	for id, y := range b {
		if _, ok := a[id]; !ok {
			c.OnlySecond = append(c.OnlySecond, y.name)
		}
	}

	slices.Sort(c.OnlyFirst)
	slices.Sort(c.OnlySecond)
	for _, list := range [][]ChangedCase{c.Lost, c.Gained} {
		slices.SortFunc(list, func(x, y ChangedCase) int {
			return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.CaseID, y.CaseID))
		})
	}

	c.P = metrics.McNemar(len(c.Lost), len(c.Gained))
	notShared := func(o Observation) bool { return a[o.CaseID] == nil || b[o.CaseID] == nil }
	c.First = Summarize(slices.DeleteFunc(slices.Clone(first), notShared))
	c.Second = Summarize(slices.DeleteFunc(slices.Clone(second), notShared))
	return c
}

type decided struct {
	name     string
	right, n int
	selects  map[string]int
}

func (d *decided) isRight() bool { return 2*d.right > d.n }

// most is the most frequent selection; among equals the first by name.
func (d *decided) most() string {
	best := ""
	for name, n := range d.selects {
		if best == "" || n > d.selects[best] || n == d.selects[best] && name < best {
			best = name
		}
	}
	return best
}

func decide(observations []Observation) map[string]*decided {
	byCase := map[string]*decided{}
	for _, o := range observations {
		if o.Failed {
			continue
		}

		d := byCase[o.CaseID]
		if d == nil {
			d = &decided{name: o.Case, selects: map[string]int{}}
			byCase[o.CaseID] = d
		}

		d.n++
		d.selects[o.Selects]++
		if o.Classification.Correct() {
			d.right++
		}
	}

	return byCase
}

// NoTool is the value of Observation.Selects if no tool was selected.
const NoTool = "no tool"

// Selects formats a run's selection for Observation.Selects.
func Selects(m *selection.MadeCall) string {
	switch {
	case m == nil:
		return NoTool
	case m.Unknown != "":
		return "unknown tool " + m.Unknown
	}
	return m.Server + ":" + m.Tool
}
