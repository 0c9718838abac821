package render

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
)

// page is the data of the template: formatted strings and plots.
type page struct {
	Title, Word, Class, Sentence, Changes string
	First                                 *firstScreen
	Breakdown                             *breakdownView
	Facts                                 []string
	NoComparison, Degraded, Answers       string
	Fails, Holds                          []checkView
	FigureHead                            []string
	Figures                               [][]string
	FigureNote                            string
	Metrics                               []metricView
	Judged                                string
	NoAnswer                              *noAnswerView
	Cost                                  *costView
	Detectors                             []detectorView
	// DetectorsFolded is set if no failed check is about a detector.
	DetectorsFolded                bool
	Categories                     []categoryRow
	Attacks                        []attackTable
	Mutations                      []mutationView
	Selection                      *selectionView
	Similarity                     *similarityView
	Warnings                       []string
	EditedFrozen                   []string
	Unjudged, MayFail, ChangedData []string
	Data                           []dataView
}

type checkView struct {
	// State is the text of Mark for screen readers.
	Name, Mark, State, Class, Value, Bound, Rule string
	Changed                                      string
	Plot                                         template.HTML
}

type metricView struct {
	Name, Value, Range, Change, Class, Versus string
	Plot, Delta                               template.HTML
	DeltaNote                                 string
	// PerQuery reports whether the page has the metric of each query.
	PerQuery bool
}

type detectorView struct {
	Name, Counts string
	Rates        []rateView
	BaseRates    []string
	Stability    string
}

type rateView struct {
	Name, Value, Range, Class string
	Plot                      template.HTML
}

type categoryRow struct {
	Name  string
	Cells []categoryCell
}

type categoryCell struct {
	Text, Title, Class string
	Bar                template.HTML
}

type dataView struct{ Kind, Version, State, Digest, Entries string }

func newPage(r *contracts.Report) page {
	a, g := &r.Aggregate, &r.Gate
	p := page{Word: "Passed", Class: "pass", Sentence: verdict(g), Changes: moved(g)}
	switch {
	case g.NoVerdict != nil:
		p.Word, p.Class = "No verdict", "none"
	case !g.Passed:
		p.Word, p.Class = "Failed", "fail"
	}

	p.ChangedData = changedData(g)
	for _, a := range editedFrozen(g) {
		p.EditedFrozen = append(p.EditedFrozen, a.message)
	}

	p.Title = "Touchstone: " + strings.ToLower(p.Word)
	if p.First = viewFirst(r); p.First != nil {
		p.Sentence = failedCount(g) + "." + coverageText(g) // the table below has the figures
	}

	p.Facts = []string{
		a.Proxy, a.SearchPath + " search",
		wording.CountOf(a.Retrieval.Queries, "1 query", "%d queries"),
		wording.CountOf(a.Retrieval.Runs, "1 run", "%d runs"),
		wording.CountOf(len(a.Detectors), "1 detector", "%d detectors"),
	}
	if g.Baseline != "" {
		p.Facts = append(p.Facts, named("baseline", g.Baseline))
	}

	p.Degraded, p.Answers = degraded(a), wording.Shorten(answers(a), maxRemark)
	if !a.Baseline.Comparable {
		p.NoComparison = cmp.Or(a.Baseline.Reason, "no baseline was given")
	}

	for _, c := range g.Checks {
		if c.Passed {
			p.Holds = append(p.Holds, viewCheck(c))
		} else {
			p.Fails = append(p.Fails, viewCheck(c))
		}
	}

	for _, m := range a.Retrieval.Metrics {
		if summary.Shown(m.Metric, metrics.OnPage) {
			p.Metrics = append(p.Metrics, viewMetric(m, g, a))
		}
	}

	p.FigureHead, p.FigureNote = summary.MetricHead, summary.MetricNote
	for _, m := range summary.Metrics(a, metrics.InTables) {
		p.Figures = append(p.Figures, m.Cells())
	}

	p.Judged, p.NoAnswer = judged(&a.Retrieval), viewNoAnswer(a.Retrieval.NoAnswer)
	p.Breakdown, p.Cost = viewBreakdown(r), viewCost(a)
	p.Unjudged, p.MayFail = unjudged(g), g.Warnings
	for _, d := range a.Detectors {
		p.Detectors = append(p.Detectors, viewDetector(d, g))
	}

	p.DetectorsFolded = !slices.ContainsFunc(summary.FailedChecks(g), func(c contracts.GateCheck) bool {
		return slices.ContainsFunc(a.Detectors,
			func(d contracts.DetectorSummary) bool { return d.Score.Detector == c.Subject })
	})
	p.Categories, p.Attacks = viewCategories(a.Detectors), viewAttacks(a.Detectors)
	p.Mutations = viewMutations(a.Mutations)
	p.Selection, p.Similarity = viewSelection(a.Selection, g), viewSimilarity(a.Similarity)
	p.Warnings = a.Validation.Warnings
	for _, d := range a.Validation.Datasets {
		p.Data = append(p.Data, dataView{d.Kind, wording.Shorten(d.Version, 24), d.State, d.SHA256[:12],
			fmt.Sprint(d.Entries)})
	}

	return p
}

func viewCheck(c contracts.GateCheck) checkView {
	v := checkView{Name: summary.CheckName(c), Mark: "", State: "holds", Class: "pass", Value: summary.CheckValue(c),
		Bound: summary.Bound(c), Rule: c.Rule}
	if !c.Passed {
		v.Mark, v.State, v.Class = "✕", "fails", "fail"
	}

	if n := len(c.Changed); n > 0 {
		v.Changed = wording.CountOf(n, "1 changed", "%d changed")
	}

	pl := plot{Low: 0, High: 1, Value: &c.Value, Interval: c.Interval, Bound: &c.Bound,
		Label: fmt.Sprintf("%s %s, bound %s", v.Name, v.Value, v.Bound)}
	if c.Value < 0 || c.Bound < 0 { // a difference
		pl.Low, pl.High = symmetric(c.Value, c.Bound, c.Interval)
		pl.Zero = true
	} else {
		if _, ok := metrics.CostFigureByName(c.Metric); ok {
			_, pl.High = symmetric(c.Value, c.Bound, c.Interval)
		}

		if wording.IsCount(c.Metric) {
			pl.High = max(1, c.Value, c.Bound)
		}

		pl.Band = allowed(c)
	}

	v.Plot = pl.svg()
	return v
}

// allowed is the range in which the value passes. A plot ends it at its own end.
func allowed(c contracts.GateCheck) *contracts.Interval {
	if strings.HasPrefix(c.Comparison, "<") {
		return &contracts.Interval{Low: 0, High: c.Bound}
	}
	return &contracts.Interval{Low: c.Bound, High: max(1, c.Bound, c.Value)}
}

// symmetric returns an axis around zero that covers everything drawn.
func symmetric(value, other float64, interval *contracts.Interval) (low, high float64) {
	far := math.Max(math.Abs(value), math.Abs(other))
	if interval != nil {
		far = math.Max(far, math.Max(math.Abs(interval.Low), math.Abs(interval.High)))
	}
	far = math.Max(far*1.15, 0.01)
	return -far, far
}

func viewMetric(m contracts.MetricSummary, g *contracts.Gate, a *contracts.Aggregate) metricView {
	row := summary.MetricOf(m, a)
	v := metricView{Name: row.Label, Value: row.Value, Range: row.Range, Change: row.Change,
		PerQuery: slices.ContainsFunc(shownPerQuery, func(r metrics.RankingMetric) bool { return r.Name == m.Metric })}
	pl := plot{Low: 0, High: 1, Value: &m.Mean, Interval: &m.Interval,
		Label: fmt.Sprintf("%s %s, 95%% interval %s", v.Name, v.Value, v.Range)}
	if m.Spread > 0 {
		pl.Dots = m.PerRun
	}

	for _, c := range g.Checks {
		if c.Subject == summary.Retrieval && c.Metric == m.Metric && c.Bound >= 0 {
			pl.Bound = &c.Bound
		}
	}

	if m.Comparison == nil &&
		slices.ContainsFunc(g.Unjudged, func(u contracts.UnjudgedMetric) bool { return u.Metric == m.Metric }) {
		v.Versus = "new, not in the baseline"
	}

	if c := m.Comparison; c != nil {
		pl.Baseline = &c.Baseline
		v.Versus = "baseline " + row.Baseline
		v.Class = map[string]string{contracts.Improved: "pass", contracts.Regressed: "fail"}[c.Verdict]
		detectable := detectableOf(c)
		low, high := symmetric(c.Delta, detectable, &c.DeltaInterval)
		v.Delta = plot{Low: low, High: high, Zero: true, Value: &c.Delta, Interval: &c.DeltaInterval,
			Band:  &contracts.Interval{Low: -detectable, High: detectable},
			Label: fmt.Sprintf("difference %s, 95%% interval %s", row.Change, row.ChangeRange)}.svg()
		v.DeltaNote = deltaNote(row)
	}

	v.Plot = pl.svg()
	return v
}

// deltaNote gives the interval of a difference, its p value and the smallest change that this set
// could show. It is empty if nothing changed.
func deltaNote(row summary.Metric) string {
	var notes []string
	if row.P != "" {
		notes = append(notes, "change "+row.ChangeRange, "p "+row.P)
	}

	if row.Detectable != "" {
		notes = append(notes, "minimum detectable "+row.Detectable)
	}

	return strings.Join(notes, ", ")
}

// detectableOf is 0 if nothing changed, or too little to compute it.
func detectableOf(c *contracts.MetricComparison) float64 {
	if c.MinDetectable == nil {
		return 0
	}
	return *c.MinDetectable
}

func viewDetector(d contracts.DetectorSummary, g *contracts.Gate) detectorView {
	s := d.Score
	v := detectorView{Name: s.Detector, Stability: stability(d), BaseRates: expected(s),
		Counts: fmt.Sprintf("%d of %d attacks caught, %d false alarms on %d benign", s.TP, s.TP+s.FN, s.FP, s.FP+s.TN)}
	if n := detection.Failed(d); n > 0 {
		v.Counts += fmt.Sprintf(", %d failed", n)
	}

	for _, r := range metrics.DetectionRates() {
		if r.Shown&metrics.OnPage == 0 {
			continue
		}

		rv := rateView{Name: r.Label, Value: "–", Range: "not defined"}
		if value, interval := s.Rate(r.Name), d.RateInterval(r.Name); value != nil {
			pl := plot{Low: 0, High: 1, Value: value, Interval: interval, Label: rv.Name + " " + wording.Figure(*value)}
			for _, c := range g.Checks {
				if c.Subject == s.Detector && c.Metric == r.Name {
					pl.Bound, pl.Band = &c.Bound, allowed(c)
					if !c.Passed {
						rv.Class = "fail"
					}
				}
			}

			rv.Value, rv.Range, rv.Plot = wording.Figure(*value), "", pl.svg()
			if interval != nil {
				rv.Range = wording.Range(*interval)
			}

			if s := spread(d, r.Name); s != "" {
				rv.Range = strings.TrimPrefix(rv.Range+"; "+s, "; ")
			}
		}

		v.Rates = append(v.Rates, rv)
	}

	return v
}

// viewCategories makes one row a category and one cell a detector, in the order
// of the contract: attacks first, then benign entries.
func viewCategories(detectors []contracts.DetectorSummary) []categoryRow {
	var rows []categoryRow
	for _, category := range append(slices.Clone(contracts.AttackCategories), contracts.CategoryHardNegative,
		contracts.CategoryBenign) {
		row := categoryRow{Name: strings.ReplaceAll(category, "_", " ")}
		attack := slices.Contains(contracts.AttackCategories, category)
		present := false
		for _, d := range detectors {
			i := slices.IndexFunc(d.Score.PerCategory,
				func(c contracts.CategoryScore) bool { return c.Category == category })
			if i < 0 || d.Score.PerCategory[i].Total == 0 {
				row.Cells = append(row.Cells, flaggedCell(d.Score.Detector, contracts.CategoryScore{}, attack))
				continue
			}

			present = true
			row.Cells = append(row.Cells, flaggedCell(d.Score.Detector, d.Score.PerCategory[i], attack))
		}

		if present {
			rows = append(rows, row)
		}
	}

	return rows
}
