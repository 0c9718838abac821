package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

// DefaultMinOverlap is the smallest share of the queries, and of the entries of
// the security corpus, that must be common to the data and to those of the
// baseline.
const DefaultMinOverlap = 0.5

// tooLittle returns why the common part of the data is too small for a verdict,
// or nil if it is large enough.
func tooLittle(agg contracts.Aggregate, part overlap.Part, minOverlap float64) *contracts.NotJudged {
	if part.Data == nil {
		return nil
	}

	var few []string
	for _, o := range []struct {
		contracts.Overlap
		entries string
		kinds   []string
	}{
		{part.Data.Queries, "queries", []string{contracts.KindGolden, contracts.KindCorpus}},
		{part.Data.Entries, "entries of the security corpus", []string{contracts.KindSecurity}},
	} {
		if o.Common > 0 && o.Share() >= minOverlap || o.Now == 0 && o.Before == 0 {
			continue
		}

		text := fmt.Sprintf("only %d of %d %s are the same as in the data of the baseline", o.Common,
			max(o.Now, o.Before), o.entries)
		if slices.ContainsFunc(o.kinds, func(k string) bool { return slices.Contains(part.Data.Unknown, k) }) {
			text = fmt.Sprintf("which %s are the same is unknown, because the baseline or the validation report has "+
				"no digests of its entries", o.entries)
		}

		few = append(few, text)
	}

	if len(few) == 0 {
		return nil
	}

	reason := fmt.Sprintf("%s is for other data, and %s; the share must be at least %g (changed_data.min_overlap)",
		agg.Baseline.Version, strings.Join(few, "; "), minOverlap)
	remedy := "look at the changes and make a new baseline with touchstone baseline update"
	if slices.ContainsFunc(unfrozen(agg.Validation),
		func(d contracts.UnfrozenDataset) bool { return d.State == contracts.StateChanged }) {
		remedy = "make the edit of the frozen data the next version with touchstone data next, and a baseline for " +
			"it with touchstone baseline update"
	}

	return &contracts.NotJudged{Reason: reason, Remedy: remedy}
}

// unfrozen lists the datasets whose bytes are not frozen.
func unfrozen(v contracts.Validation) []contracts.UnfrozenDataset {
	var list []contracts.UnfrozenDataset
	for _, d := range v.Datasets {
		if d.State != contracts.StateFrozen {
			list = append(list, contracts.UnfrozenDataset{Kind: d.Kind, Version: d.Version, State: d.State})
		}
	}
	return list
}

// overCommon returns the summary of a metric over the queries of its comparison,
// which are those that both data have in common.
func overCommon(m contracts.MetricSummary) contracts.MetricSummary {
	if c := m.Comparison; c != nil && c.Mean != nil && c.MeanInterval != nil {
		m.Mean, m.Interval = *c.Mean, *c.MeanInterval
	}
	return m
}

// onCommon adds to a rule the number of queries that it was judged on, if these
// are not all.
func onCommon(rule string, m contracts.MetricSummary, all int) string {
	if c := m.Comparison; c != nil && c.Queries > 0 {
		rule += fmt.Sprintf("; judged on %d of %d queries, which are the same in the data of the baseline",
			c.Queries, all)
	}
	return rule
}

// comparedOnOtherData reports whether the figures were compared with a baseline
// of this version that has the same part of the data in common.
func comparedOnOtherData(agg contracts.Aggregate, b contracts.Baseline, part overlap.Part) bool {
	d := agg.Baseline.Data
	return agg.Baseline.Version == b.Version && part.Data != nil && d != nil &&
		d.Baseline == part.Data.Baseline && d.Queries == part.Data.Queries && d.Entries == part.Data.Entries
}

// comparedInPart reports whether the figures were compared with this baseline in
// the common part of the data.
func comparedInPart(agg contracts.Aggregate, b contracts.Baseline, part overlap.Part) bool {
	if !comparedOnOtherData(agg, b, part) {
		return false
	}

	before := part.Queries(b)
	for _, m := range agg.Retrieval.Metrics {
		_, ok := b.Metrics[m.Metric]
		if compared := m.Comparison != nil; compared != ok {
			return false
		}

		if !ok {
			continue
		}

		column := make([]float64, 0, len(before))
		for _, q := range b.PerQuery {
			if _, common := before[q.ID]; common {
				column = append(column, q.Metrics[m.Metric])
			}
		}

		if math.Abs(metrics.Mean(column)-m.Comparison.Baseline) > 1e-9 {
			return false
		}
	}

	return true
}

// overlapLines describes on which part of the data a verdict rests.
func overlapLines(g contracts.Gate) []string {
	var lines []string
	if d := g.Data; d != nil {
		parts := []string{fmt.Sprintf("%d of %d queries", d.Queries.Common, d.Queries.Now)}
		if d.Entries.Now > 0 {
			parts = append(parts, fmt.Sprintf("%d of %d security entries", d.Entries.Common, d.Entries.Now))
		}

		switch {
		case g.NoVerdict != nil:
		case g.Split != "":
			lines = append(lines, fmt.Sprintf(
				"  a quick run asks the queries of the split %s only: %s are compared with %s",
				g.Split, strings.Join(parts, " and "), g.Baseline))
		default:
			lines = append(lines, fmt.Sprintf(
				"  %s is for other data: %s are the same in both, and only these are compared",
				g.Baseline, strings.Join(parts, " and ")))
		}

		lines = append(lines, changeLines(d.Changes)...)
	}

	for _, u := range g.Unfrozen {
		if u.State == contracts.StateChanged {
			lines = append(lines, fmt.Sprintf("  %s %s is frozen, but the file was edited: these figures are for the "+
				"edited file; to make the edit the next version, run touchstone data next", u.Kind, u.Version))
		}
	}

	return lines
}

// changeLines names the entries that changed, by kind and state.
func changeLines(changes []contracts.DataChange) []string {
	type group struct{ kind, state string }
	var order []group
	ids := make(map[group][]string)
	for _, c := range changes {
		g := group{c.Kind, c.State}
		if ids[g] == nil {
			order = append(order, g)
		}

		id := c.ID
		if c.Tool != "" {
			id += fmt.Sprintf(" (%s)", c.Tool)
		}

		ids[g] = append(ids[g], id)
	}

	var lines []string
	for _, g := range order {
		shown := ids[g][:min(len(ids[g]), shownIDs)]
		line := fmt.Sprintf("  %s, %s: %s", changed[g.kind], g.state, strings.Join(shown, ", "))
		if more := len(ids[g]) - len(shown); more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}

		lines = append(lines, line)
	}

	return lines
}

// changed names the entries of a dataset.
var changed = map[string]string{
	contracts.KindGolden: "queries", contracts.KindSecurity: "security entries", contracts.KindCases: "cases",
	contracts.KindCorpus: "tools",
}
