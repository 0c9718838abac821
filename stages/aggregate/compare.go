package aggregate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

// otherData names the datasets that differ from those of the baseline.
func otherData(data contracts.DataIdentity, baseline contracts.Baseline) string {
	var differ []string
	b := baseline.Data
	for _, d := range []struct{ what, version, sha, baseVersion, baseSHA string }{
		{"corpus", data.CorpusVersion, data.CorpusSHA256, b.CorpusVersion, b.CorpusSHA256},
		{"golden set", data.GoldenVersion, data.GoldenSHA256, b.GoldenVersion, b.GoldenSHA256},
		{"security corpus", data.SecurityVersion, data.SecuritySHA256, b.SecurityVersion, b.SecuritySHA256},
	} {
		if d.sha != d.baseSHA {
			differ = append(differ, fmt.Sprintf("the %s (%s, sha256 %s) differs from the baseline's (%s, %s)",
				d.what, d.version, short(d.sha), d.baseVersion, short(d.baseSHA)))
		}
	}

	return "made on other data: " + strings.Join(differ, "; ")
}

// incomparable returns the reason why the baseline is not comparable, or "" if
// it is. Only the part of the queries that is common has to be.
func (r *retrieval) incomparable(data contracts.DataIdentity, baseline contracts.Baseline, part overlap.Part) string {
	if part.Data != nil && part.Data.Queries.Common == 0 {
		return otherData(data, baseline)
	}

	if data.GoldenSHA256 != baseline.Data.GoldenSHA256 {
		return contradiction(baseline)
	}

	known := baselineQueries(baseline)
	for _, q := range r.queries {
		if _, ok := known[q.ID]; !ok {
			return fmt.Sprintf("the baseline has no query %s, although it names the same golden set", q.ID)
		}
	}

	if len(known) != len(r.queries) {
		return fmt.Sprintf("the baseline has %d queries and the golden set has %d, although both name the same "+
			"golden set", len(known), len(r.queries))
	}

	return contradiction(baseline)
}

// contradiction finds a figure of the baseline that is not the mean of its
// queries. The change is computed from the figure and its significance from the
// queries, so editing a figure by hand would move the bound unnoticed.
func contradiction(b contracts.Baseline) string {
	for _, name := range slices.Sorted(maps.Keys(b.Metrics)) {
		column := make([]float64, len(b.PerQuery))
		for i, q := range b.PerQuery {
			value, ok := q.Metrics[name]
			if !ok {
				return fmt.Sprintf("it has %s, but its query %s does not", name, q.ID)
			}

			column[i] = value
		}

		stated := b.Metrics[name]
		if found := metrics.Mean(column); math.Abs(found-stated) > 1e-9 {
			return fmt.Sprintf("its %s is given as %.6f, but the mean of its %d queries is %.6f", name, stated,
				len(b.PerQuery), found)
		}
	}

	return ""
}

func baselineQueries(b contracts.Baseline) map[string]contracts.RetrievalMetrics {
	known := make(map[string]contracts.RetrievalMetrics, len(b.PerQuery))
	for _, q := range b.PerQuery {
		known[q.ID] = q.Metrics
	}
	return known
}

// compare adds the comparison to each metric that the baseline has, paired by
// query over the common part. columns holds the values of the queries, metric by
// metric. A metric that the baseline lacks gets no comparison.
func (r *retrieval) compare(summaries []contracts.MetricSummary, columns [][]float64, baseline contracts.Baseline,
	part overlap.Part) {
	before := baselineQueries(baseline)
	common, groups := r.common(part)
	var known []*contracts.MetricSummary
	var names []string
	var was, is [][]float64
	for m := range summaries {
		name := summaries[m].Metric
		if _, ok := baseline.Metrics[name]; !ok {
			continue
		}

		earlier, now := make([]float64, len(common)), make([]float64, len(common))
		for i, q := range common {
			earlier[i], now[i] = before[r.queries[q].ID][name], columns[m][q]
		}

		known, names = append(known, &summaries[m]), append(names, name)
		was, is = append(was, earlier), append(is, now)
	}

	var intervals []metrics.Interval
	if !part.Whole() {
		intervals = metrics.MeanIntervals(is, groups)
	}

	for i, c := range significance.Paired(names, was, is, groups) {
		if part.Whole() {
			c.Baseline = baseline.Metrics[names[i]]
			c.Delta = known[i].Mean - c.Baseline
		} else {
			mean, around := metrics.Mean(is[i]), interval(intervals[i])
			c.Queries, c.Mean, c.MeanInterval = len(common), &mean, &around
		}

		known[i].Comparison = &c
	}
}
