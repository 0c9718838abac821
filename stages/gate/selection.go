package gate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// selectionProblems lists thresholds of models that would judge nothing.
func selectionProblems(agg contracts.Aggregate, b contracts.Baseline) []string {
	var problems []string
	for i, t := range b.Thresholds.Selection {
		if _, ok := model(agg, t.Model); !ok {
			problems = append(problems, fmt.Sprintf("model %s has a threshold but was not measured; add it to the "+
				"models, or remove its threshold", t.Model))
		}

		if !bounded(t) {
			problems = append(problems,
				fmt.Sprintf("the threshold of model %s has no bound; add one, or remove the threshold", t.Model))
		}

		if slices.ContainsFunc(b.Thresholds.Selection[:i],
			func(o contracts.SelectionThreshold) bool { return o.Model == t.Model }) {
			problems = append(problems,
				fmt.Sprintf("model %s has two thresholds in the baseline; keep one of them", t.Model))
		}
	}

	return problems
}

func bounded(t contracts.SelectionThreshold) bool {
	return slices.ContainsFunc(metrics.SelectionRates(), func(r metrics.SelectionRate) bool {
		return r.Threshold != "" && t.Bound(r.Threshold) != nil
	})
}

// selectionChecks judges each model that has a threshold: every bounded rate,
// and the share of cases without an answer.
func selectionChecks(agg contracts.Aggregate, b contracts.Baseline, moved *moveSet) []contracts.GateCheck {
	var checks []contracts.GateCheck
	for _, t := range b.Thresholds.Selection {
		m, _ := model(agg, t.Model)
		for _, declared := range metrics.SelectionRates() {
			bound := t.Bound(declared.Threshold)
			if declared.Threshold == "" || bound == nil {
				continue
			}

			rate, _ := m.Rate(declared.Name)
			c := rateCheck(declared, rate, *bound, b.Version)
			c.Subject = t.Model
			c.Changed = moved.ids(t.Model, func(m move) bool { return m.State != contracts.ChangeErrored })
			c.Passed = holds(c)
			checks = append(checks, c)
		}

		n := failedCases(m)
		c := contracts.GateCheck{
			Subject: t.Model, Metric: "errored", Value: share(n, len(m.PerCase)), Bound: b.Thresholds.MaxErrored,
			Comparison: atMost,
			Rule: fmt.Sprintf("%d of %d cases have no answer in at least one repeat; %s (max_errored of %s)", n,
				len(m.PerCase), mayFail("case", b.Thresholds.MaxErrored), b.Version),
			Changed: moved.ids(t.Model, func(m move) bool { return m.State == contracts.ChangeErrored }),
		}
		c.Passed = holds(c)
		checks = append(checks, c)
	}

	return checks
}

// limitChecks judges the numbers of calls that the reports of a model limit, with or
// without a threshold.
func limitChecks(agg contracts.Aggregate) []contracts.GateCheck {
	if agg.Selection == nil {
		return nil
	}

	var checks []contracts.GateCheck
	for _, m := range agg.Selection.Models {
		if m.Limits == nil {
			continue
		}

		for _, l := range []struct {
			metric, what, variable string
			limit                  *int
			calls                  int
			of                     func(contracts.CaseSummary) int
		}{
			{"forbidden_calls", "calls that the cases forbid, or unexpected ones of destructive tools",
				"selection.max_forbidden", m.Limits.ForbiddenCalls, m.ForbiddenCalls,
				func(c contracts.CaseSummary) int { return c.ForbiddenCalls }},
			{"extra_calls", "calls beside expected ones",
				"selection.max_extra_calls", m.Limits.ExtraCalls, m.ExtraCalls,
				func(c contracts.CaseSummary) int { return c.ExtraCalls }},
		} {
			if l.limit == nil {
				continue
			}

			rule := fmt.Sprintf("%d %s in a repeat; at most %d are allowed (%s)", l.calls, l.what, *l.limit, l.variable)
			c := contracts.GateCheck{
				Subject: m.Model, Metric: l.metric, Value: float64(l.calls), Bound: float64(*l.limit),
				Comparison: atMost, Rule: rule + inCases(m.PerCase, l.of),
			}
			c.Passed = holds(c)
			checks = append(checks, c)
		}
	}

	return checks
}

// namedCases is the number of cases that a rule names.
const namedCases = 5

// inCases names the cases that have such calls.
func inCases(cases []contracts.CaseSummary, of func(contracts.CaseSummary) int) string {
	var ids []string
	for _, c := range cases {
		if of(c) > 0 {
			ids = append(ids, c.ID)
		}
	}

	switch n := len(ids); {
	case n == 0:
		return ""
	case n > namedCases:
		return fmt.Sprintf(", in %s and %d more cases", strings.Join(ids[:namedCases], ", "), n-namedCases)
	}

	return ", in " + strings.Join(ids, ", ")
}

// rateCheck judges one rate. A rate over no runs has its worst value, so that a
// check cannot pass for lack of data.
func rateCheck(declared metrics.SelectionRate, rate contracts.RateSummary, bound float64,
	version string) contracts.GateCheck {
	c := contracts.GateCheck{Metric: declared.Name, Interval: rate.Interval, Bound: bound, Comparison: atLeast}
	has := "must be at least %s"
	if declared.LowerIsBetter {
		c.Comparison, c.Value, has = atMost, 1, "must be at most %s"
	}

	what := fmt.Sprintf("no run is counted (%s), which is judged as the worst value", declared.Formula)
	if rate.Value != nil {
		c.Value = *rate.Value
		what = fmt.Sprintf("%d of %d runs count, of %d cases (%s)", rate.Count, rate.Of, rate.Cases, declared.Formula)
	}

	c.Rule = fmt.Sprintf("%s; the share "+has+" (%s of %s)", what, figure(bound), declared.Threshold, version)
	return c
}

// failedCases counts the cases without an answer in any repeat.
func failedCases(m contracts.ModelSummary) int {
	n := 0
	for _, c := range m.PerCase {
		if c.Errored > 0 {
			n++
		}
	}
	return n
}

func model(agg contracts.Aggregate, name string) (contracts.ModelSummary, bool) {
	if agg.Selection == nil {
		return contracts.ModelSummary{}, false
	}
	for _, m := range agg.Selection.Models {
		if m.Model == name {
			return m, true
		}
	}
	return contracts.ModelSummary{}, false
}

// caseMoves compares the cases of each model with the baseline. For a judged
// model it always lists a case without an answer.
func caseMoves(agg contracts.Aggregate, b contracts.Baseline) []move {
	if agg.Selection == nil {
		return nil
	}

	var found []move
	for _, m := range agg.Selection.Models {
		judged := slices.ContainsFunc(b.Thresholds.Selection,
			func(t contracts.SelectionThreshold) bool { return t.Model == m.Model })
		weight := 0.0
		if judged {
			weight = 1
		}

		for _, c := range m.PerCase {
			mv := move{weight: weight, Change: contracts.Change{Subject: m.Model, ID: c.ID, Title: c.Query}}
			switch {
			case c.Errored > 0 && (judged || m.Comparison != nil):
				mv.State, mv.Error = contracts.ChangeErrored, c.Error
			case m.Comparison == nil:
				continue
			case slices.Contains(m.Comparison.Lost, c.ID):
				mv.State, mv.Before, mv.After = contracts.ChangeRegressed, "right", called(c)
			case slices.Contains(m.Comparison.Gained, c.ID):
				mv.State, mv.Before, mv.After = contracts.ChangeFixed, "wrong", "right"
			default:
				continue
			}

			found = append(found, mv)
		}
	}

	return found
}

// called describes the calls of a wrong answer.
func called(c contracts.CaseSummary) string {
	if len(c.Calls) == 0 {
		return "no call"
	}
	first := c.Calls[0]
	if first.Unknown == "" {
		return fmt.Sprintf("called %.100s:%.100s", first.Server, first.Tool)
	}
	// The model may have used any name.
	return fmt.Sprintf("called %+.100q, which is not a tool", fmt.Sprintf("%.30s", first.Unknown))
}

// newBaselineSelection keeps the figures that later ones are compared with. It
// refuses cases without an answer, as queries without one are refused.
func newBaselineSelection(s *contracts.SelectionAggregate) (*contracts.BaselineSelection, error) {
	if s == nil {
		return nil, nil
	}

	b := &contracts.BaselineSelection{
		CasesVersion: s.CasesVersion, CasesSHA256: s.CasesSHA256,
		Offer: contracts.SelectionOffer{Tools: s.Offer.Tools, TopK: s.Offer.TopK},
	}
	for _, m := range s.Models {
		if n := failedCases(m); n > 0 {
			i := slices.IndexFunc(m.PerCase, func(c contracts.CaseSummary) bool { return c.Errored > 0 })
			return nil, fmt.Errorf("%d of %d cases have no answer of model %s; record all of them first (%s: %s)", n,
				len(m.PerCase), m.Model, m.PerCase[i].ID, m.PerCase[i].Error)
		}

		kept := contracts.BaselineModel{Model: m.Model, Repeats: m.Repeats, Rates: make(map[string]float64)}
		for _, r := range m.Rates {
			if r.Value != nil {
				kept.Rates[r.Rate] = *r.Value
			}
		}

		for _, c := range m.PerCase {
			if c.IsRight() {
				kept.Right = append(kept.Right, c.ID)
			} else {
				kept.Wrong = append(kept.Wrong, c.ID)
			}
		}

		b.Models = append(b.Models, kept)
	}

	return b, nil
}

// defaultSelection returns the bounds of a first baseline for each model with
// recorded answers: every rate that can be bounded may be worse by 0.02.
// Baselines without a model are reported but not judged.
func defaultSelection(agg contracts.Aggregate) []contracts.SelectionThreshold {
	if agg.Selection == nil {
		return nil
	}

	const worse = 0.02
	var list []contracts.SelectionThreshold
	for _, m := range agg.Selection.Models {
		if m.AnsweredBy != contracts.AnsweredByRecording {
			continue
		}

		t := contracts.SelectionThreshold{Model: m.Model}
		for _, declared := range metrics.SelectionRates() {
			r, _ := m.Rate(declared.Name)
			if declared.Threshold == "" || r.Value == nil {
				continue
			}

			bound := max(0, hundredths(*r.Value-worse, math.Floor))
			if declared.LowerIsBetter {
				bound = min(1, hundredths(*r.Value+worse, math.Ceil))
			}

			t.SetBound(declared.Threshold, &bound)
		}

		if bounded(t) {
			list = append(list, t)
		}
	}

	return list
}

// selectionChanges lists the changes of tool selection in a new baseline for
// BaselineChanges: what, before and after.
func selectionChanges(was, next *contracts.BaselineSelection) [][3]string {
	text := func(s *contracts.BaselineSelection, name string) string {
		for _, m := range modelsOf(s) {
			if m.Model != name {
				continue
			}

			parts := []string{}
			for _, r := range metrics.SelectionRates() {
				if v, ok := m.Rates[r.Name]; ok && r.Shown&metrics.InTables != 0 {
					parts = append(parts, fmt.Sprintf("%s %.4f", strings.ToLower(r.Label), v))
				}
			}

			return strings.Join(append(parts, fmt.Sprintf("%d cases right", len(m.Right))), ", ")
		}

		return ""
	}
	data := func(s *contracts.BaselineSelection) string {
		if s == nil {
			return ""
		}

		offer := s.Offer.Tools
		if s.Offer.TopK > 0 {
			offer = fmt.Sprintf("%s, top %d", offer, s.Offer.TopK)
		}

		return fmt.Sprintf("%s (sha256 %.12s), offered: %s", s.CasesVersion, s.CasesSHA256, offer)
	}
	changes := [][3]string{{"cases", data(was), data(next)}}
	names := map[string]bool{}
	for _, m := range append(slices.Clone(modelsOf(was)), modelsOf(next)...) {
		names[m.Model] = true
	}

	for _, name := range slices.Sorted(maps.Keys(names)) {
		changes = append(changes, [3]string{name, text(was, name), text(next, name)})
	}

	return changes
}

func modelsOf(s *contracts.BaselineSelection) []contracts.BaselineModel {
	if s == nil {
		return nil
	}
	return s.Models
}
