package overlap

import (
	"fmt"
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

// cases are two cases that expect different tools, and one that expects none.
var cases = []contracts.CaseSummary{
	{ID: "c1", Expected: []contracts.ExpectedCall{{Server: "s", Tool: "a"}}},
	{ID: "c2", Expected: []contracts.ExpectedCall{{Server: "s", Tool: "b"}}},
	{ID: "c3"},
}

// data returns figures and a baseline on the same data.
func data() (contracts.Aggregate, contracts.Baseline) {
	digests := func() *contracts.DataDigests {
		return &contracts.DataDigests{
			Tools: map[string]string{"s:a": "01", "s:b": "02"}, Queries: map[string]string{"q1": "03", "q2": "04"},
			Entries: map[string]string{"e1": "05"}, Cases: map[string]string{"c1": "06", "c2": "07", "c3": "08"},
		}
	}
	agg := contracts.Aggregate{Data: fixture.Data, Validation: fixture.ValidationWithCases()}
	agg.Validation.Digests = digests()
	for id, tool := range map[string]contracts.ToolID{"q1": "s:a", "q2": "s:b"} {
		agg.Retrieval.PerQuery = append(agg.Retrieval.PerQuery, contracts.QuerySummary{ID: id, Labels: []contracts.Label{{ToolID: tool, Relevance: 2}, {ToolID: "s:x"}}})
	}
	agg.Detectors = []contracts.DetectorSummary{{PerEntry: []contracts.EntrySummary{{ID: "e1"}}}}
	b := contracts.Baseline{
		Data: fixture.Data, Digests: digests(), PerQuery: []contracts.BaselineQuery{{ID: "q1"}, {ID: "q2"}},
		Selection: &contracts.BaselineSelection{CasesSHA256: fixture.CasesSHA},
	}
	return agg, b
}

// commonIn lists the queries, entries and cases of a part.
func commonIn(p Part) []string {
	var common []string
	for _, id := range []string{"q1", "q2"} {
		if p.Query(id) {
			common = append(common, id)
		}
	}
	if p.Entry("e1") {
		common = append(common, "e1")
	}
	for _, c := range cases {
		if p.Case(c) {
			common = append(common, c.ID)
		}
	}
	return common
}

func TestOf(t *testing.T) {
	other := fixture.SHA("f")
	all := []string{"q1", "q2", "e1", "c1", "c2", "c3"}
	for _, tt := range []struct {
		name    string
		change  func(*contracts.Aggregate, *contracts.Baseline)
		want    []string
		changes int
		unknown []string
		same    bool // the data
	}{
		{name: "the same data", change: func(*contracts.Aggregate, *contracts.Baseline) {}, want: all, same: true},
		{name: "the same data, a baseline without digests", change: func(_ *contracts.Aggregate, b *contracts.Baseline) { b.Digests = nil }, want: all, same: true},
		{name: "the same data, no cases measured before", change: func(_ *contracts.Aggregate, b *contracts.Baseline) { b.Selection = nil }, want: all, same: true},
		{name: "another file with the same entries", change: func(_ *contracts.Aggregate, b *contracts.Baseline) { b.Data.GoldenSHA256 = other }, want: all},
		{name: "an edited query", change: func(_ *contracts.Aggregate, b *contracts.Baseline) {
			b.Data.GoldenSHA256, b.Digests.Queries["q1"] = other, "ff"
		}, want: []string{"q2", "e1", "c1", "c2", "c3"}, changes: 1},
		{name: "an edited tool", change: func(_ *contracts.Aggregate, b *contracts.Baseline) {
			b.Data.CorpusSHA256, b.Digests.Tools["s:a"] = other, "ff"
		}, want: []string{"q2", "e1", "c2", "c3"}, changes: 2}, // the tool and its query
		{name: "a new tool that is no answer", change: func(a *contracts.Aggregate, b *contracts.Baseline) {
			b.Data.CorpusSHA256, a.Validation.Digests.Tools["s:x"] = other, "ff"
		}, want: all, changes: 1},
		{name: "an edited entry", change: func(_ *contracts.Aggregate, b *contracts.Baseline) {
			b.Data.SecuritySHA256, b.Digests.Entries["e1"] = other, "ff"
		}, want: []string{"q1", "q2", "c1", "c2", "c3"}, changes: 1},
		{name: "an edited case", change: func(_ *contracts.Aggregate, b *contracts.Baseline) {
			b.Selection.CasesSHA256, b.Digests.Cases["c3"] = other, "ff"
		}, want: []string{"q1", "q2", "e1", "c1", "c2"}, changes: 1},
		{name: "everything new", change: func(_ *contracts.Aggregate, b *contracts.Baseline) {
			b.Data = contracts.DataIdentity{}
			b.Selection.CasesSHA256 = other
			b.Digests = &contracts.DataDigests{}
		}, changes: 2 + 2 + 1 + 3},
		{name: "other queries, a baseline without digests", change: func(_ *contracts.Aggregate, b *contracts.Baseline) {
			b.Data.GoldenSHA256, b.Digests = other, nil
		}, want: []string{"e1", "c1", "c2", "c3"}, unknown: []string{contracts.KindGolden}},
		{name: "another corpus, a report without digests", change: func(a *contracts.Aggregate, b *contracts.Baseline) {
			b.Data.CorpusSHA256, a.Validation.Digests = other, nil
		}, want: []string{"e1", "c3"}, unknown: []string{contracts.KindCorpus}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agg, b := data()
			tt.change(&agg, &b)
			p := Of(agg, b)
			if got := commonIn(p); !slices.Equal(got, tt.want) {
				t.Errorf("common: %v, want %v", got, tt.want)
			}
			if (p.Data == nil) != tt.same {
				t.Fatalf("%+v", p.Data)
			}
			if p.Data != nil && (len(p.Data.Changes) != tt.changes || !slices.Equal(p.Data.Unknown, tt.unknown)) {
				t.Errorf("changes %+v, unknown %v; want %d and %v", p.Data.Changes, p.Data.Unknown, tt.changes, tt.unknown)
			}
		})
	}
}

func TestShareIsOfTheLargerVersion(t *testing.T) {
	for want, o := range map[float64]contracts.Overlap{
		.1: {Common: 10, Now: 10, Before: 100}, .5: {Common: 10, Now: 20, Before: 10}, 1: {}, 0: {Now: 4},
	} {
		if got := o.Share(); got != want {
			t.Errorf("%+v: %v, want %v", o, got, want)
		}
	}
}

// A quick run leaves the queries of the other split out on purpose. A query of its own split that is gone
// was removed.
func TestOfAQuickRun(t *testing.T) {
	const share = 0.5
	var dev, test []string
	for i := range 20 {
		id := fmt.Sprintf("q%d", i)
		if contracts.Split(share, id) == contracts.SplitDev {
			dev = append(dev, id)
		} else {
			test = append(test, id)
		}
	}
	agg, b := data()
	agg.Validation.Split, agg.Retrieval.TestShare = contracts.SplitDev, share
	agg.Data.GoldenSHA256 = fixture.SHA("f")
	agg.Retrieval.PerQuery, b.PerQuery = nil, nil
	agg.Validation.Digests.Queries, b.Digests.Queries = map[string]string{}, map[string]string{}
	for _, id := range append(slices.Clone(dev), test...) {
		b.PerQuery = append(b.PerQuery, contracts.BaselineQuery{ID: id})
		b.Digests.Queries[id] = "01"
	}
	gone := dev[0]
	for _, id := range dev[1:] {
		agg.Retrieval.PerQuery = append(agg.Retrieval.PerQuery, contracts.QuerySummary{ID: id})
		agg.Validation.Digests.Queries[id] = "01"
	}
	p := Of(agg, b)
	want := []contracts.DataChange{{Kind: contracts.KindGolden, ID: gone, State: contracts.ChangeRemoved}}
	if !slices.Equal(p.Data.Changes, want) {
		t.Errorf("changes %v, want %v", p.Data.Changes, want)
	}
	if got, want := p.Data.Queries, (contracts.Overlap{Common: len(dev) - 1, Now: len(dev) - 1, Before: len(dev)}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if p.Query(test[0]) || p.Query(gone) || !p.Query(dev[1]) || p.Whole() || len(b.PerQuery) != 20 {
		t.Errorf("common: %v; the baseline has %d queries", p.queries, len(b.PerQuery))
	}
}
