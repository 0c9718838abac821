package gate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// baselineRanks is the number of places of a ranked list that a baseline keeps.
const baselineRanks = 10

// NewBaseline makes a baseline from the current figures. It keeps the
// thresholds and the version of kept and uses nothing else of it. A tolerance that
// an earlier update computed is computed anew. A detector
// without a threshold gets that of DefaultThresholds, unless NotJudged names it.
// If kept is nil, all thresholds are those of DefaultThresholds. It refuses figures with
// errored queries, because the resulting baseline would hide the same errors in
// later runs, and figures on an edited frozen version, whose name it would carry.
func NewBaseline(agg contracts.Aggregate, kept *contracts.Baseline) (contracts.Baseline, error) {
	if agg.Retrieval.Queries == 0 || agg.Retrieval.Runs == 0 {
		return contracts.Baseline{}, errors.New("no query was measured, so there is nothing to compare with later; " +
			"check the golden set")
	}

	if agg.Degraded != "" {
		return contracts.Baseline{},
			fmt.Errorf("the index was degraded on purpose (%s); measure again without degrading it", agg.Degraded)
	}

	if agg.Validation.Split != "" {
		return contracts.Baseline{}, fmt.Errorf("it was a quick run, on the split %s only; measure again without quick",
			agg.Validation.Split)
	}

	for _, d := range unfrozen(agg.Validation) {
		if d.State == contracts.StateChanged {
			return contracts.Baseline{}, fmt.Errorf("%s %s is frozen and was edited, so a baseline on it would not "+
				"be one of %s; make the edit the next version with touchstone data next, and measure that", d.Kind,
				d.Version, d.Version)
		}
	}

	if agg.Retrieval.Errored > 0 {
		return contracts.Baseline{}, fmt.Errorf("%d of %d queries ended in an error; fix the proxy so that it "+
			"answers all of them (%s)",
			agg.Retrieval.Errored, agg.Retrieval.Queries, firstError(agg))
	}

	b := contracts.Baseline{
		Version: "baseline_v1",
		Data:    agg.Data,
		Digests: agg.Validation.Digests,
		GeneratedFrom: contracts.GeneratedFrom{
			Source: "touchstone baseline update",
			Note:   fmt.Sprintf("%s of %s, asked over %s", runsText(agg.Retrieval.Runs), agg.Proxy, agg.SearchPath),
		},
		Proxy:        agg.Proxy,
		RunsAveraged: agg.Retrieval.Runs,
		Metrics:      make(contracts.RetrievalMetrics),
	}
	for _, m := range agg.Retrieval.Metrics {
		b.Metrics[m.Metric] = m.Mean
	}

	for _, q := range agg.Retrieval.PerQuery {
		b.PerQuery = append(b.PerQuery,
			contracts.BaselineQuery{ID: q.ID, Metrics: q.Metrics, Ranked: toolsOf(q.Ranked)})
	}

	for _, d := range agg.Detectors {
		b.PerDetector = append(b.PerDetector, baselineOf(d))
	}

	b.Cost = newBaselineCost(agg.Retrieval.Cost)
	var err error
	if b.Selection, err = newBaselineSelection(agg.Selection); err != nil {
		return contracts.Baseline{}, err
	}

	if kept != nil {
		b.Version = cmp.Or(kept.Version, b.Version)
		b.Thresholds = withDetectors(withTolerances(kept.Thresholds, agg), agg)
	} else {
		b.Thresholds = DefaultThresholds(agg)
	}

	return b, nil
}

func runsText(n int) string {
	if n == 1 {
		return "one run"
	}
	return fmt.Sprintf("means over %d runs", n)
}

func firstError(agg contracts.Aggregate) string {
	for _, q := range agg.Retrieval.PerQuery {
		if q.ErroredRuns > 0 {
			return q.ID + ": " + q.Error
		}
	}
	return "see the aggregate"
}

func toolsOf(ranked []contracts.RankedTool) []contracts.ToolID {
	tools := []contracts.ToolID{}
	for _, r := range ranked[:min(len(ranked), baselineRanks)] {
		tools = append(tools, r.ToolID)
	}
	return tools
}

func baselineOf(d contracts.DetectorSummary) contracts.BaselineDetector {
	b := contracts.BaselineDetector{Score: d.Score, Flagged: []string{}, Errored: []string{}, Shares: d.Shares}
	for _, e := range d.PerEntry {
		switch e.Verdict {
		case contracts.VerdictFlagged:
			b.Flagged = append(b.Flagged, e.ID)
		case contracts.VerdictErrored:
			b.Errored = append(b.Errored, e.ID)
		}
	}
	return b
}

// BaselineChanges lists the changes of a new baseline, one line each. It
// returns none if the two are equal. old may be nil.
func BaselineChanges(old *contracts.Baseline, next contracts.Baseline) []string {
	was := contracts.Baseline{}
	if old != nil {
		was = *old
	}

	var lines []string
	change := func(what, before, after string) {
		switch {
		case before == after:
		case before == "":
			lines = append(lines, fmt.Sprintf("%s: %s (new)", what, after))
		case after == "":
			lines = append(lines, fmt.Sprintf("%s: %s (removed)", what, before))
		default:
			lines = append(lines, fmt.Sprintf("%s: %s -> %s", what, before, after))
		}
	}
	identity := func(version, sha string) string {
		if sha == "" {
			return ""
		}

		return fmt.Sprintf("%s (sha256 %.12s)", version, sha)
	}
	change("corpus", identity(was.Data.CorpusVersion, was.Data.CorpusSHA256),
		identity(next.Data.CorpusVersion, next.Data.CorpusSHA256))
	change("golden set", identity(was.Data.GoldenVersion, was.Data.GoldenSHA256),
		identity(next.Data.GoldenVersion, next.Data.GoldenSHA256))
	change("security corpus", identity(was.Data.SecurityVersion, was.Data.SecuritySHA256),
		identity(next.Data.SecurityVersion, next.Data.SecuritySHA256))
	change("proxy", was.Proxy, next.Proxy)
	if old != nil {
		change("runs", fmt.Sprint(was.RunsAveraged), fmt.Sprint(next.RunsAveraged))
	}

	for _, name := range metricsOf(was.Metrics, next.Metrics) {
		change(name, metricText(was.Metrics, name), metricText(next.Metrics, name))
	}

	for _, c := range costChanges(was.Cost, next.Cost) {
		change(c[0], c[1], c[2])
	}

	if line := queryChanges(was, next); line != "" && old != nil {
		lines = append(lines, line)
	}

	for _, name := range detectorNames(was, next) {
		b, _ := baselineDetector(was, name)
		n, _ := baselineDetector(next, name)
		change(name, scoreText(b), scoreText(n))
	}

	for _, c := range thresholdChanges(was.Thresholds, next.Thresholds) {
		change(c[0], c[1], c[2])
	}

	for _, c := range selectionChanges(was.Selection, next.Selection) {
		change(c[0], c[1], c[2])
	}

	if len(lines) == 0 && !reflect.DeepEqual(was, next) {
		lines = append(lines, "the origin of the baseline, the digests of its data or the details of a detector "+
			"change; no figure changes")
	}

	return lines
}

// metricsOf lists the metrics that either side has: declared ones in the order
// of reports, others by name.
func metricsOf(was, next contracts.RetrievalMetrics) []string {
	names := slices.Clone(contracts.MetricNames)
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, before := was[name]
		_, after := next[name]
		return !before && !after
	})
}

func metricText(m contracts.RetrievalMetrics, name string) string {
	v, ok := m[name]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.4f", v)
}

func queryChanges(was, next contracts.Baseline) string {
	before := make(map[string]contracts.BaselineQuery)
	for _, q := range was.PerQuery {
		before[q.ID] = q
	}

	figures, lists, added := 0, 0, 0
	for _, q := range next.PerQuery {
		b, ok := before[q.ID]
		delete(before, q.ID)
		switch {
		case !ok:
			added++
		case !reflect.DeepEqual(b.Metrics, q.Metrics):
			figures++
		case !slices.Equal(b.Ranked, q.Ranked):
			lists++
		}
	}

	if figures+lists+added+len(before) == 0 {
		return ""
	}

	return fmt.Sprintf("queries: %d with other scores, %d with the same scores but another list, %d new, %d removed",
		figures, lists, added, len(before))
}

func detectorNames(was, next contracts.Baseline) []string {
	var names []string
	for _, d := range slices.Concat(was.PerDetector, next.PerDetector) {
		names = append(names, d.Score.Detector)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func scoreText(d contracts.BaselineDetector) string {
	s := d.Score
	if s.Detector == "" {
		return ""
	}
	hardNegatives, benign := flaggedOf(s, contracts.CategoryHardNegative), flaggedOf(s, contracts.CategoryBenign)
	return fmt.Sprintf("%d of %d attacks, %s hard negatives and %s plain benign entries flagged, %d failed", s.TP,
		s.TP+s.FN, hardNegatives, benign, s.Errored)
}
