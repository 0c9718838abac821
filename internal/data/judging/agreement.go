package judging

import (
	"fmt"
	"maps"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// grades is the number of grades: 0, 1 and 2.
const grades = 3

// Agreement is how far two judges agree on the pairs of a query and a tool that
// both judged.
type Agreement struct {
	Queries int `json:"queries"`
	Pairs   int `json:"pairs"`
	// OnlyFirst and OnlySecond count the pairs that only one of them judged.
	OnlyFirst  int `json:"only_first"`
	OnlySecond int `json:"only_second"`
	// Table counts pairs by the grade of the first and of the second judge.
	Table         metrics.Table  `json:"table"`
	Figures       []Figure       `json:"figures"`
	Disagreements []Disagreement `json:"disagreements"`
}

// Figure is one measure of agreement. Value is nil if it is not defined. The
// interval is the 95% jackknife interval over queries.
type Figure struct {
	Name     string              `json:"name"`
	Value    *float64            `json:"value"`
	Interval *contracts.Interval `json:"interval,omitempty"`
}

// Disagreement is a pair with two grades.
type Disagreement struct {
	Query  string           `json:"query"`
	Tool   contracts.ToolID `json:"tool"`
	First  int              `json:"first"`
	Second int              `json:"second"`
}

// measures are the figures of an agreement.
var measures = []struct {
	name string
	of   func(metrics.Table) (float64, bool)
}{
	{"agreement", func(t metrics.Table) (float64, bool) {
		return float64(t.Agreed()) / float64(max(1, t.Total())), t.Total() > 0
	}},
	{"kappa", metrics.CohenKappa},
	{"kappa_weighted", metrics.WeightedKappa},
	{"kappa_grade_0", func(t metrics.Table) (float64, bool) { return metrics.CohenKappa(t.Only(0)) }},
	{"kappa_grade_1", func(t metrics.Table) (float64, bool) { return metrics.CohenKappa(t.Only(1)) }},
	{"kappa_grade_2", func(t metrics.Table) (float64, bool) { return metrics.CohenKappa(t.Only(2)) }},
	{"alpha_nominal", func(t metrics.Table) (float64, bool) { return t.Alpha(metrics.Nominal) }},
	{"alpha_ordinal", func(t metrics.Table) (float64, bool) { return t.Alpha(metrics.OrdinalScale) }},
	{"alpha_interval", func(t metrics.Table) (float64, bool) { return t.Alpha(metrics.IntervalScale) }},
}

// Compare measures how far two judges agree. Their judgements must be about one
// corpus.
func Compare(first, second Judge) (*Agreement, error) {
	if first.CorpusVersion != second.CorpusVersion {
		return nil, fmt.Errorf("%s judged tools of corpus %q, and %s those of corpus %q; compare judgements about "+
			"one corpus", first.Name, first.CorpusVersion, second.Name, second.CorpusVersion)
	}

	a := &Agreement{Table: metrics.NewTable(grades), Disagreements: []Disagreement{}}
	var tables []metrics.Table
	for _, query := range slices.Sorted(maps.Keys(first.Labels)) {
		one, other := first.Labels[query], second.Labels[query]
		table := metrics.NewTable(grades)
		for _, tool := range slices.Sorted(maps.Keys(one)) {
			x := one[tool]
			y, both := other[tool]
			if !both {
				a.OnlyFirst++
				continue
			}

			table[x][y]++
			if x != y {
				a.Disagreements = append(a.Disagreements, Disagreement{query, tool, x, y})
			}
		}

		if table.Total() > 0 {
			tables = append(tables, table)
		}
	}

	for query, labels := range second.Labels {
		for tool := range labels {
			if _, both := first.Labels[query][tool]; !both {
				a.OnlySecond++
			}
		}
	}

	if len(tables) == 0 {
		return nil, fmt.Errorf("%s and %s judged no pair of a query and a tool in common; check that both are about "+
			"the same queries", first.Name, second.Name)
	}

	a.Table = metrics.Sum(tables...)
	a.Queries, a.Pairs = len(tables), a.Table.Total()
	for _, m := range measures {
		f := Figure{Name: m.name}
		if value, ok := m.of(a.Table); ok {
			f.Value = &value
			interval, ok := metrics.Jackknife(value, len(tables),
				func(i int) (float64, bool) { return m.of(metrics.Without(a.Table, tables[i])) })
			if ok {
				f.Interval = &contracts.Interval{Low: max(-1, interval.Low), High: min(1, interval.High)}
			}
		}

		a.Figures = append(a.Figures, f)
	}

	return a, nil
}
