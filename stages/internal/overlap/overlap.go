// Package overlap finds what the data of a run and those of a baseline have in
// common. The stages aggregate and gate compare with the baseline only in that
// part.
package overlap

import (
	"cmp"
	"maps"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Part is the common part. The zero Part is that of the same data: everything.
type Part struct {
	// Data describes the part. It is nil if the data are the same.
	Data *contracts.DataComparison

	queries, entries map[string]bool
	cases            map[string]bool // nil if all are common
	tools            map[string]bool // nil if all are common
	split            bool            // the run asks one split of the queries
}

// Query reports whether a query is common.
func (p Part) Query(id string) bool { return p.Data == nil || p.queries[id] }

// Entry reports whether an entry of the security corpus is common.
func (p Part) Entry(id string) bool { return p.Data == nil || p.entries[id] }

// Case reports whether a case and all tools that it expects are common.
func (p Part) Case(c contracts.CaseSummary) bool {
	if p.cases != nil && !p.cases[c.ID] {
		return false
	}
	return p.tools == nil || !slices.ContainsFunc(c.Expected, func(call contracts.ExpectedCall) bool {
		return !p.tools[call.Server+":"+call.Tool]
	})
}

// SameCases reports whether the set of cases is the same.
func (p Part) SameCases() bool { return p.cases == nil }

// Whole reports whether all queries are common, so that figures over the common
// queries are those over all.
func (p Part) Whole() bool {
	return p.Data == nil || !p.split && p.Data.Queries.Common == p.Data.Queries.Now &&
		p.Data.Queries.Common == p.Data.Queries.Before
}

// Queries lists the results in the baseline of the common queries, by id.
func (p Part) Queries(b contracts.Baseline) map[string]contracts.BaselineQuery {
	known := make(map[string]contracts.BaselineQuery, len(b.PerQuery))
	for _, q := range b.PerQuery {
		if p.Query(q.ID) {
			known[q.ID] = q
		}
	}
	return known
}

// Of compares the data of a run with those of a baseline. It reads the data's
// identity, the validation report, the queries and the entries of detectors from
// agg. Of the baseline of a quick run, which asks the queries of one split, the
// others are left out.
func Of(agg contracts.Aggregate, b contracts.Baseline) Part {
	sameCorpus := agg.Data.CorpusSHA256 == b.Data.CorpusSHA256
	sameGolden := agg.Data.GoldenSHA256 == b.Data.GoldenSHA256
	sameSecurity := agg.Data.SecuritySHA256 == b.Data.SecuritySHA256
	sameCases := b.Selection == nil || !hasCases(agg.Validation) ||
		casesDigest(agg.Validation) == b.Selection.CasesSHA256
	if sameCorpus && sameGolden && sameSecurity && sameCases {
		return Part{}
	}

	split := agg.Validation.Split
	if split != "" {
		b = inSplit(b, split, agg.Retrieval.TestShare)
	}

	now, before := agg.Validation.Digests, b.Digests
	known := now != nil && before != nil
	if !known {
		now, before = &contracts.DataDigests{}, &contracts.DataDigests{}
	}

	d := &contracts.DataComparison{Baseline: b.Data, Changes: []contracts.DataChange{},
		Apart: []contracts.ApartQueries{}}
	p := Part{Data: d, split: split != ""}

	tools := compare(d, contracts.KindCorpus, sameCorpus, known, now.Tools, before.Tools)
	if !sameCorpus {
		p.tools = tools
	}

	n := entriesOf(agg.Validation, contracts.KindCorpus)
	d.Tools = overlapOf(len(tools), n, len(before.Tools), sameCorpus)

	p.queries = compare(d, contracts.KindGolden, sameGolden, known, now.Queries, before.Queries)
	p.findQueries(agg.Retrieval.PerQuery, b, sameGolden)

	p.entries = compare(d, contracts.KindSecurity, sameSecurity, known, now.Entries, before.Entries)
	if all := allEntries(agg.Detectors); len(all) > 0 {
		d.Entries = overlapOf(len(p.entries), len(all), len(before.Entries), sameSecurity)
		if sameSecurity {
			p.entries = all
		}
	}

	if cases := compare(d, contracts.KindCases, sameCases, known, now.Cases, before.Cases); !sameCases {
		p.cases = cases
	}

	slices.SortStableFunc(d.Changes, func(a, b contracts.DataChange) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(a.ID, b.ID))
	})
	d.Apart = nonCommonQueries(agg.Retrieval.PerQuery, b, d.Changes)
	return p
}

// inSplit returns a baseline with the queries of one split. A set without splits stays whole.
func inSplit(b contracts.Baseline, split string, testShare float64) contracts.Baseline {
	other := func(id string) bool { s := contracts.Split(testShare, id); return s != "" && s != split }
	b.PerQuery = slices.DeleteFunc(slices.Clone(b.PerQuery),
		func(q contracts.BaselineQuery) bool { return other(q.ID) })
	if b.Digests != nil {
		digests := *b.Digests
		digests.Queries = maps.Clone(digests.Queries)
		maps.DeleteFunc(digests.Queries, func(id, _ string) bool { return other(id) })
		b.Digests = &digests
	}

	return b
}

// overlapOf returns the overlap of two versions of a dataset, which may be the
// same.
func overlapOf(common, now, before int, same bool) contracts.Overlap {
	if same {
		return contracts.Overlap{Common: now, Now: now, Before: now}
	}
	return contracts.Overlap{Common: common, Now: now, Before: before}
}

// kinds is the order of changes.
var kinds = []string{contracts.KindGolden, contracts.KindSecurity, contracts.KindCases, contracts.KindCorpus}

// compare returns the ids of the entries that two versions of a dataset have in
// common, and adds the others to the changes. It does nothing if the versions
// are the same. Without digests nothing is common.
func compare(d *contracts.DataComparison, kind string, same, known bool, now,
	before map[string]string) map[string]bool {
	common := make(map[string]bool)
	switch {
	case same:
		return common
	case !known:
		d.Unknown = append(d.Unknown, kind)
		return common
	}

	change := func(id, state string) {
		d.Changes = append(d.Changes, contracts.DataChange{Kind: kind, ID: id, State: state})
	}
	for id, digest := range now {
		switch was, ok := before[id]; {
		case !ok:
			change(id, contracts.ChangeNew)
		case was != digest:
			change(id, contracts.ChangeEdited)
		default:
			common[id] = true
		}
	}

	for id := range before {
		if _, ok := now[id]; !ok {
			change(id, contracts.ChangeRemoved)
		}
	}

	return common
}

// findQueries completes the common queries: if the golden set is the same, all
// queries are candidates, and if the corpus differs, those with a relevant tool
// that differs are not common.
func (p *Part) findQueries(queries []contracts.QuerySummary, b contracts.Baseline, same bool) {
	inBaseline := make(map[string]bool, len(b.PerQuery))
	for _, q := range b.PerQuery {
		inBaseline[q.ID] = true
	}

	common := make(map[string]bool)
	for _, q := range queries {
		if !inBaseline[q.ID] || !same && !p.queries[q.ID] {
			continue
		}

		if tool := p.editedTool(q); tool != "" {
			if !slices.Contains(p.Data.Unknown, contracts.KindCorpus) {
				p.Data.Changes = append(p.Data.Changes, contracts.DataChange{Kind: contracts.KindGolden, ID: q.ID,
					State: contracts.ChangeEdited, Tool: tool})
			}

			continue
		}

		common[q.ID] = true
	}

	p.queries = common
	p.Data.Queries = contracts.Overlap{Common: len(common), Now: len(queries), Before: len(b.PerQuery)}
}

// editedTool returns a relevant tool of the query that is not common, or "".
func (p *Part) editedTool(q contracts.QuerySummary) contracts.ToolID {
	if p.tools == nil {
		return ""
	}
	for _, l := range q.Labels {
		if l.Relevance > 0 && !p.tools[l.ToolID] {
			return l.ToolID
		}
	}
	return ""
}

// nonCommonQueries summarises the queries that are not common, by state.
func nonCommonQueries(queries []contracts.QuerySummary, b contracts.Baseline,
	changes []contracts.DataChange) []contracts.ApartQueries {
	state := make(map[string]string)
	for _, c := range changes {
		if c.Kind == contracts.KindGolden {
			state[c.ID] = c.State
		}
	}

	now, before := make(map[string][]contracts.RetrievalMetrics), make(map[string][]contracts.RetrievalMetrics)
	for _, q := range queries {
		if s, ok := state[q.ID]; ok {
			now[s] = append(now[s], q.Metrics)
		}
	}

	for _, q := range b.PerQuery {
		if s, ok := state[q.ID]; ok {
			before[s] = append(before[s], q.Metrics)
		}
	}

	list := []contracts.ApartQueries{}
	for _, s := range []string{contracts.ChangeEdited, contracts.ChangeNew, contracts.ChangeRemoved} {
		if n := max(len(now[s]), len(before[s])); n > 0 {
			list = append(list, contracts.ApartQueries{State: s, Queries: n, Metrics: means(now[s]),
				Before: means(before[s])})
		}
	}

	return list
}

// means returns the means of the metrics that all queries have.
func means(queries []contracts.RetrievalMetrics) contracts.RetrievalMetrics {
	if len(queries) == 0 {
		return nil
	}

	m := make(contracts.RetrievalMetrics)
	for name := range maps.Keys(queries[0]) {
		column := make([]float64, 0, len(queries))
		for _, q := range queries {
			if v, ok := q[name]; ok {
				column = append(column, v)
			}
		}

		if len(column) == len(queries) {
			m[name] = metrics.Mean(column)
		}
	}

	return m
}

func allEntries(detectors []contracts.DetectorSummary) map[string]bool {
	all := make(map[string]bool)
	for _, d := range detectors {
		for _, e := range d.PerEntry {
			all[e.ID] = true
		}
	}
	return all
}

func dataset(v contracts.Validation, kind string) (contracts.ValidatedDataset, bool) {
	for _, d := range v.Datasets {
		if d.Kind == kind {
			return d, true
		}
	}
	return contracts.ValidatedDataset{}, false
}

func entriesOf(v contracts.Validation, kind string) int {
	d, _ := dataset(v, kind)
	return d.Entries
}

func hasCases(v contracts.Validation) bool {
	_, ok := dataset(v, contracts.KindCases)
	return ok
}

func casesDigest(v contracts.Validation) string {
	d, _ := dataset(v, contracts.KindCases)
	return d.SHA256
}
