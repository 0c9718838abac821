package gate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/closest"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
)

// Accept returns a copy of baseline b in which the named queries and security
// entries have the results of agg, and everything else stays. The means of the
// metrics and the scores of the detectors are computed again. The reason is kept
// with each id. It is an error if agg was measured on other data, an id is
// unknown, its result is an error, or nothing of it changed.
func Accept(b contracts.Baseline, agg contracts.Aggregate, ids []string, reason string) (contracts.Baseline, error) {
	if agg.Data != b.Data {
		return contracts.Baseline{}, fmt.Errorf("%s belongs to other versions of the data than this run; single "+
			"results can be accepted on the same data only, so run touchstone baseline update", b.Version)
	}

	if agg.Degraded != "" {
		return contracts.Baseline{}, fmt.Errorf("the index was degraded on purpose (%s); measure again without "+
			"degrading it", agg.Degraded)
	}

	next := b
	next.PerQuery = slices.Clone(b.PerQuery)
	next.PerDetector = slices.Clone(b.PerDetector)
	queries, entries := 0, make(map[string]bool)
	for _, id := range ids {
		switch isQuery, changed, err := acceptQuery(next.PerQuery, agg, id); {
		case err != nil:
			return contracts.Baseline{}, err
		case isQuery && !changed, !isQuery && isEntry(agg, id) && !entryChanged(b, agg, id):
			return contracts.Baseline{}, fmt.Errorf("%s has the result that %s has; there is nothing to accept", id,
				b.Version)
		case isQuery:
			queries++
		case isEntry(agg, id):
			entries[id] = true
		default:
			return contracts.Baseline{}, unknownID(agg, id)
		}
	}

	if queries > 0 {
		next.Metrics = meansOf(next.PerQuery, b.Metrics)
	}

	if err := acceptEntries(next.PerDetector, agg, entries); err != nil {
		return contracts.Baseline{}, err
	}

	next.Accepted = slices.DeleteFunc(slices.Clone(b.Accepted),
		func(a contracts.Accepted) bool { return slices.Contains(ids, a.ID) })
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		next.Accepted = append(next.Accepted, contracts.Accepted{ID: id, Reason: reason})
	}

	return next, nil
}

// acceptQuery puts the result of a query into list. It reports whether id is a
// query, and whether its result differs.
func acceptQuery(list []contracts.BaselineQuery, agg contracts.Aggregate, id string) (found, changed bool, err error) {
	at := slices.IndexFunc(list, func(q contracts.BaselineQuery) bool { return q.ID == id })
	now := slices.IndexFunc(agg.Retrieval.PerQuery, func(q contracts.QuerySummary) bool { return q.ID == id })
	if at < 0 || now < 0 {
		return false, false, nil
	}

	q := agg.Retrieval.PerQuery[now]
	if q.ErroredRuns > 0 {
		return true, false, fmt.Errorf("query %s ended in an error, which a baseline does not hold: %s", id, q.Error)
	}

	next := contracts.BaselineQuery{ID: id, Metrics: q.Metrics, Ranked: toolsOf(q.Ranked)}
	changed = !maps.Equal(list[at].Metrics, next.Metrics) || !slices.Equal(list[at].Ranked, next.Ranked)
	list[at] = next
	return true, changed, nil
}

// meansOf returns the means of the metrics that were measured before.
func meansOf(list []contracts.BaselineQuery, before contracts.RetrievalMetrics) contracts.RetrievalMetrics {
	means := make(contracts.RetrievalMetrics)
	for name := range before {
		values := make([]float64, len(list))
		for i, q := range list {
			values[i] = q.Metrics[name]
		}

		means[name] = metrics.Mean(values)
	}

	return means
}

// isEntry reports whether a detector judged the entry.
func isEntry(agg contracts.Aggregate, id string) bool {
	return slices.ContainsFunc(agg.Detectors, func(d contracts.DetectorSummary) bool {
		return slices.ContainsFunc(d.PerEntry, func(e contracts.EntrySummary) bool { return e.ID == id })
	})
}

// entryChanged reports whether a detector of the baseline judges the entry otherwise now.
func entryChanged(b contracts.Baseline, agg contracts.Aggregate, id string) bool {
	for _, before := range b.PerDetector {
		d, _ := detector(agg, before.Score.Detector)
		for _, e := range d.PerEntry {
			if e.ID == id && (e.Verdict != verdictBefore(before, id) || before.Shares[id] != d.Shares[id]) {
				return true
			}
		}
	}
	return false
}

// verdictBefore is the verdict of most runs in a baseline.
func verdictBefore(b contracts.BaselineDetector, id string) string {
	switch {
	case slices.Contains(b.Flagged, id):
		return contracts.VerdictFlagged
	case slices.Contains(b.Errored, id):
		return contracts.VerdictErrored
	}
	return contracts.VerdictClean
}

// acceptEntries gives the accepted entries of each detector in list the verdicts
// of agg, and counts the scores again.
func acceptEntries(list []contracts.BaselineDetector, agg contracts.Aggregate, accepted map[string]bool) error {
	if len(accepted) == 0 {
		return nil
	}

	for i, before := range list {
		d, ok := detector(agg, before.Score.Detector)
		if !ok {
			continue
		}

		mixed := contracts.DetectorSummary{Shares: make(map[string]float64)}
		results := make([]contracts.EntryResult, len(d.PerEntry))
		for j, e := range d.PerEntry {
			shares := d.Shares
			switch {
			case !accepted[e.ID]:
				e.Verdict, shares = verdictBefore(before, e.ID), before.Shares
			case e.Error != "":
				return fmt.Errorf("detector %s failed on entry %s, and a baseline does not hold errors: %s",
					before.Score.Detector, e.ID, e.Error)
			}

			if share, ok := shares[e.ID]; ok {
				mixed.Shares[e.ID] = share
			}

			mixed.PerEntry = append(mixed.PerEntry, e)
			results[j] = contracts.EntryResult(e)
		}

		if len(mixed.Shares) == 0 {
			mixed.Shares = nil
		}

		mixed.Score = detection.Score(before.Score.Detector, results)
		list[i] = baselineOf(mixed)
	}

	return nil
}

func unknownID(agg contracts.Aggregate, id string) error {
	var known []string
	for _, q := range agg.Retrieval.PerQuery {
		known = append(known, q.ID)
	}

	for _, d := range agg.Detectors {
		for _, e := range d.PerEntry {
			known = append(known, e.ID)
		}
	}

	hint := ""
	if near := closest.To(id, known); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}

	return fmt.Errorf("%s is neither a query of the baseline nor an entry that a detector judged%s", id, hint)
}
