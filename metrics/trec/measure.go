package trec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/metrics"
)

// Measure is one family of figures under trec_eval's name, with its cut-offs,
// if it has any, in ascending order.
type Measure struct {
	Name    string
	Cutoffs []int
}

// family defines how a measure is computed: whole, or at each of its cut-offs.
// The standard cut-offs are added to those of the metrics that Touchstone
// reports.
type family struct {
	name     string
	whole    func(metrics.Topic) float64
	at       func(metrics.Topic, int) float64
	cutoffs  []int
	standard []int
}

// families lists the measures in the order in which trec_eval prints them.
var families = []family{
	{name: "map", whole: metrics.Topic.AveragePrecision},
	{name: "recip_rank", whole: metrics.Topic.ReciprocalRank},
	{name: "P", cutoffs: deep, at: metrics.Topic.Precision, standard: []int{1, 5, 10}},
	{name: "recall", cutoffs: deep, at: metrics.Topic.Recall},
	{name: "ndcg_cut", cutoffs: deep, at: metrics.Topic.NDCG},
	{name: "success", cutoffs: []int{1, 5, 10}, at: metrics.Topic.Success, standard: []int{1, 5, 10}},
}

func familyOf(name string) (family, bool) {
	for _, f := range families {
		if f.name == name {
			return f, true
		}
	}
	return family{}, false
}

// deep are trec_eval's cut-offs if none are given.
var deep = []int{5, 10, 15, 20, 30, 100, 200, 500, 1000}

// StandardMeasures are the metrics that Touchstone reports, as the table in
// package metrics names them, together with precision and success.
func StandardMeasures() []Measure {
	var all []Measure
	for _, f := range families {
		cutoffs := slices.Clone(f.standard)
		for _, m := range metrics.Ranking() {
			if name, k, ok := splitName(m.TREC); ok && name == f.name {
				cutoffs = append(cutoffs, k)
			}
		}

		slices.Sort(cutoffs)
		all = append(all, Measure{f.name, slices.Compact(cutoffs)})
	}

	return all
}

// splitName splits a printed name with a cut-off, such as ndcg_cut_10.
func splitName(printed string) (name string, cutoff int, ok bool) {
	i := strings.LastIndexByte(printed, '_')
	if i < 0 {
		return "", 0, false
	}
	k, err := strconv.Atoi(printed[i+1:])
	return printed[:i], k, err == nil && k > 0
}

// ParseMeasures parses measures in trec_eval's notation, such as "map" or
// "recall.1,5,10". It returns them in the order of trec_eval's output, whatever
// the order of names. A measure without cut-offs gets trec_eval's defaults.
func ParseMeasures(names []string) ([]Measure, error) {
	asked := make(map[string]Measure)
	for _, text := range names {
		name, list, hasList := strings.Cut(text, ".")
		f, ok := familyOf(name)
		if !ok {
			return nil, fmt.Errorf("unknown measure %q; the measures are %s, with cut-offs as in recall.1,5,10", name,
				strings.Join(MeasureNames(), ", "))
		}

		m := Measure{name, f.cutoffs}
		if hasList {
			if f.whole != nil {
				return nil, fmt.Errorf("measure %q takes no cut-offs; write %q", text, name)
			}

			var err error
			if m.Cutoffs, err = parseCutoffs(text, list); err != nil {
				return nil, err
			}
		}

		if known, twice := asked[name]; twice && !slices.Equal(known.Cutoffs, m.Cutoffs) {
			return nil, fmt.Errorf("measure %q is given twice with different cut-offs; write one list, as in %s.1,5,10",
				name, name)
		}

		asked[name] = m
	}

	var measures []Measure
	for _, f := range families {
		if m, ok := asked[f.name]; ok {
			measures = append(measures, m)
		}
	}

	return measures, nil
}

func parseCutoffs(text, list string) ([]int, error) {
	var cutoffs []int
	for _, number := range strings.Split(list, ",") {
		k, err := strconv.Atoi(number)
		if err != nil || k <= 0 {
			return nil, fmt.Errorf("measure %q: %q is not a cut-off; write positive whole numbers with commas between",
				text, number)
		}

		cutoffs = append(cutoffs, k)
	}

	slices.Sort(cutoffs)
	for i := 1; i < len(cutoffs); i++ {
		if cutoffs[i] == cutoffs[i-1] {
			return nil, fmt.Errorf("measure %q: the cut-off %d is given twice; remove one", text, cutoffs[i])
		}
	}

	return cutoffs, nil
}

// MeasureNames lists the names that ParseMeasures accepts, in order.
func MeasureNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}
