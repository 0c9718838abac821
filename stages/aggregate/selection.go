package aggregate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/caseresult"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

// selectionRun is one report of score-selection with the file it came from.
type selectionRun struct {
	file   string
	report contracts.SelectionReport
}

// readSelection reads the reports of score-selection. It returns the repeats of
// each model, sorted by name. All must be on the validated data, with the same
// offer and over the same cases.
func readSelection(ctx context.Context, dir string, data contracts.DataIdentity,
	v contracts.Validation) ([][]selectionRun, error) {
	files, err := reportFiles(dir, "score-selection")
	if err != nil {
		return nil, err
	}

	validated := slices.IndexFunc(v.Datasets,
		func(d contracts.ValidatedDataset) bool { return d.Kind == contracts.KindCases })
	if validated < 0 {
		return nil, fmt.Errorf("%s: there is a report of score-selection, but no cases were validated; give "+
			"validate-datasets the cases", files[0])
	}

	byModel := make(map[string][]selectionRun)
	var first selectionRun
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		r, err := contracts.Read[contracts.SelectionReport](file)
		if err != nil {
			return nil, err
		}

		for _, d := range []struct{ what, got, want string }{
			{"corpus", r.CorpusSHA256, data.CorpusSHA256},
			{"set of cases", r.CasesSHA256, v.Datasets[validated].SHA256},
		} {
			if d.got != d.want {
				return nil, fmt.Errorf("%s was made on another %s (sha256 %s) than the validated one (%s); run "+
					"score-selection again", file, d.what, short(d.got), short(d.want))
			}
		}

		slices.SortFunc(r.PerCase, func(a, b contracts.CaseResult) int { return cmp.Compare(a.ID, b.ID) })
		run := selectionRun{file, r}
		if first.file == "" {
			first = run
		}

		if err := run.check(first); err != nil {
			return nil, err
		}

		byModel[r.Model] = append(byModel[r.Model], run)
	}

	var models [][]selectionRun
	for _, name := range slices.Sorted(maps.Keys(byModel)) {
		runs := byModel[name]
		slices.SortStableFunc(runs,
			func(a, b selectionRun) int { return cmp.Compare(a.report.Repeat, b.report.Repeat) })
		for i := 1; i < len(runs); i++ {
			if runs[i].report.Repeat == runs[i-1].report.Repeat {
				return nil, fmt.Errorf("%s and %s are both reports of repeat %d of model %s; keep one", runs[i-1].file,
					runs[i].file, runs[i].report.Repeat, name)
			}
		}

		models = append(models, runs)
	}

	return models, nil
}

// check refuses a report that contradicts itself or the first report read.
func (r selectionRun) check(first selectionRun) error {
	cases := r.report.PerCase
	ids := func(cases []contracts.CaseResult) []string {
		list := make([]string, len(cases))
		for i, c := range cases {
			list[i] = c.ID
		}

		return list
	}
	for i, c := range cases {
		if i > 0 && c.ID == cases[i-1].ID {
			return fmt.Errorf("%s: case %s occurs twice; run score-selection again", r.file, c.ID)
		}

		if (c.Class == "") != (c.Error != "") {
			return fmt.Errorf("%s: case %s must have either a class or an error; run score-selection again", r.file,
				c.ID)
		}
	}

	if id, in := firstOnlyIn(ids(first.report.PerCase), ids(cases)); id != "" {
		return fmt.Errorf("case %s is only in %s; all repeats must have the same cases: run score-selection again",
			id, []string{first.file, r.file}[in])
	}

	if first.report.Offer != r.report.Offer {
		return fmt.Errorf("%s and %s differ in the tools that were offered; run score-selection again for both",
			first.file, r.file)
	}

	return nil
}

// summarizeSelection combines the repeats of all models and compares them with
// the baseline, if there is a comparable one.
func summarizeSelection(models [][]selectionRun, baseline *contracts.Baseline,
	part overlap.Part) *contracts.SelectionAggregate {
	first := models[0][0].report
	agg := &contracts.SelectionAggregate{
		CasesVersion: first.CasesVersion, CasesSHA256: first.CasesSHA256, Cases: len(first.PerCase), Offer: first.Offer,
	}
	var before *contracts.BaselineSelection
	if baseline != nil {
		before = baseline.Selection
	}

	agg.NoComparison = noComparison(agg, before, baseline != nil, part)
	for _, runs := range models {
		m := summarizeModel(runs)
		if agg.NoComparison == "" {
			compareModel(&m, before, part)
		}

		agg.Models = append(agg.Models, m)
	}

	return agg
}

// noComparison returns the reason why the figures cannot be compared with those
// of the baseline, or "" if they can. compared reports whether there is a
// baseline. Of other cases, those that are common can be compared.
func noComparison(agg *contracts.SelectionAggregate, before *contracts.BaselineSelection, compared bool,
	part overlap.Part) string {
	switch {
	case before == nil && !compared:
		return "there is no baseline to compare with"
	case before == nil:
		return "the baseline has no figures of tool selection; touchstone baseline update adds them"
	case before.CasesSHA256 != agg.CasesSHA256 && slices.Contains(part.Data.Unknown, contracts.KindCases):
		return fmt.Sprintf("the cases (%s, sha256 %s) differ from the baseline's (%s, %s)", agg.CasesVersion,
			short(agg.CasesSHA256), before.CasesVersion, short(before.CasesSHA256))
	case before.Offer.Tools != agg.Offer.Tools || before.Offer.TopK != agg.Offer.TopK:
		return "the baseline was made with another offer of tools"
	}

	return ""
}

func summarizeModel(runs []selectionRun) contracts.ModelSummary {
	var all []score.Observation
	for _, run := range runs {
		all = append(all, caseresult.Observations(run.report)...)
	}

	s := score.Summarize(all)
	m := contracts.ModelSummary{
		Model: runs[0].report.Model, AnsweredBy: runs[0].report.AnsweredBy, Repeats: len(runs),
		Runs: s.Runs, Errored: s.Failed, TP: s.TP, FP: s.FP, TN: s.TN, FN: s.FN,
		PassAt: s.PassAt, PassAll: s.PassAll, Consistency: s.Consistency,
	}
	m.Limits = runs[0].report.Limits
	for _, run := range runs {
		extra, forbidden := 0, 0
		for _, c := range run.report.PerCase {
			extra += c.ExtraCalls
			forbidden += c.ForbiddenCalls
		}

		m.ExtraCalls, m.ForbiddenCalls = max(m.ExtraCalls, extra), max(m.ForbiddenCalls, forbidden)
	}

	answered := caseresult.Answered(all)
	for _, r := range metrics.SelectionRates() {
		m.Rates = append(m.Rates, rateOf(r.Name, answered))
	}

	for _, mean := range []struct {
		name string
		mean score.Mean
	}{{"parameter_completeness", s.Completeness}, {"parameter_correctness", s.Correctness},
		{"parameter_type_conformance", s.Conformance}} {
		m.Means = append(m.Means,
			contracts.MeanSummary{Mean: mean.name, Of: mean.mean.Of, Value: mean.mean.Value,
				Interval: bounds(mean.mean.Low, mean.mean.High)})
	}

	byTag := map[string][]score.Observation{}
	for _, o := range answered {
		for _, tag := range o.Tags {
			byTag[tag] = append(byTag[tag], o)
		}
	}

	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		m.Tags = append(m.Tags, contracts.TagSummary{Tag: tag, Accuracy: rateOf("accuracy", byTag[tag])})
	}

	for i := range runs[0].report.PerCase {
		m.PerCase = append(m.PerCase, summarizeCase(runs, i))
	}

	return m
}

func rateOf(name string, answered []score.Observation) contracts.RateSummary {
	r := score.RateOf(name, answered)
	return contracts.RateSummary{Rate: name, Count: r.Count, Of: r.Of, Cases: r.Cases, Value: r.Value,
		Interval: bounds(r.Low, r.High)}
}

func bounds(low, high *float64) *contracts.Interval {
	if low == nil || high == nil {
		return nil
	}
	return &contracts.Interval{Low: *low, High: *high}
}

// summarizeCase combines case i of all repeats.
func summarizeCase(runs []selectionRun, i int) contracts.CaseSummary {
	first := runs[0].report.PerCase[i]
	c := contracts.CaseSummary{ID: first.ID, Query: first.Query, Tags: first.Tags, Expected: first.Expected}
	shown := false // c holds a wrong answer
	for _, run := range runs {
		r := run.report.PerCase[i]
		if r.Error != "" {
			c.Errored++
			c.Error = cmp.Or(c.Error, r.Error)
			continue
		}

		c.Answers++
		c.ExtraCalls, c.ForbiddenCalls = max(c.ExtraCalls, r.ExtraCalls), max(c.ForbiddenCalls, r.ForbiddenCalls)
		right := r.Class == "TP" || r.Class == "TN"
		if right {
			c.Right++
		}

		if c.Answers == 1 || !right && !shown {
			c.Class, c.Calls, c.Reasoning, c.Withheld = r.Class, r.Calls, r.Reasoning, r.Withheld
			shown = !right
		}
	}

	return c
}

// compareModel compares a model with the baseline, if the baseline has it.
// Cases without an answer, and those that are not common, are ignored. Rates are
// compared only if all cases are common, since the baseline has no rates of a
// part.
func compareModel(m *contracts.ModelSummary, baseline *contracts.BaselineSelection, part overlap.Part) {
	at := slices.IndexFunc(baseline.Models, func(b contracts.BaselineModel) bool { return b.Model == m.Model })
	if at < 0 {
		return
	}

	before := baseline.Models[at]
	other := func(c contracts.CaseSummary) bool { return !part.Case(c) }
	if part.SameCases() && !slices.ContainsFunc(m.PerCase, other) {
		for i, r := range m.Rates {
			if value, ok := before.Rates[r.Rate]; ok {
				m.Rates[i].Baseline = &value
			}
		}
	}

	c := contracts.CasesComparison{Verdict: contracts.WithinNoise}
	for _, now := range m.PerCase {
		switch was := slices.Contains(before.Right, now.ID); {
		case now.Answers == 0 || other(now) || !was && !slices.Contains(before.Wrong, now.ID):
		case was && !now.IsRight():
			c.Lost = append(c.Lost, now.ID)
		case !was && now.IsRight():
			c.Gained = append(c.Gained, now.ID)
		}
	}

	if c.PValue = metrics.McNemar(len(c.Lost), len(c.Gained)); c.PValue < significance.Level {
		c.Verdict = contracts.Improved
		if len(c.Lost) > len(c.Gained) {
			c.Verdict = contracts.Regressed
		}
	}

	m.Comparison = &c
}

// logSelection prints a line for each model.
func logSelection(w io.Writer, s *contracts.SelectionAggregate) {
	if s == nil {
		return
	}

	for _, m := range s.Models {
		line := m.Model
		if m.AnsweredBy == contracts.AnsweredByBaseline {
			line += " (a baseline)"
		}

		line += fmt.Sprintf(": %d cases, %d repeats, %d failed runs", s.Cases, m.Repeats, m.Errored)
		for _, r := range metrics.SelectionRates() {
			if rate, _ := m.Rate(r.Name); r.Shown&metrics.InSummary != 0 && rate.Value != nil {
				line += fmt.Sprintf(", %s %.4f [%.4f, %.4f]", strings.ToLower(r.Label), *rate.Value, rate.Interval.Low,
					rate.Interval.High)
			}
		}

		if c := m.Comparison; c != nil {
			line += fmt.Sprintf("; %d cases lost, %d gained, p %.3f", len(c.Lost), len(c.Gained), c.PValue)
		}

		fmt.Fprintln(w, line)
	}
}

// readSimilarity reads the report of analyze-similarity.
func readSimilarity(path string, data contracts.DataIdentity) (*contracts.SimilarityReport, error) {
	r, err := contracts.Read[contracts.SimilarityReport](path)
	if err != nil {
		return nil, err
	}
	if r.CorpusSHA256 != data.CorpusSHA256 {
		return nil, fmt.Errorf("%s was made on another corpus (sha256 %s) than the validated one (%s); run "+
			"analyze-similarity again", path, short(r.CorpusSHA256), short(data.CorpusSHA256))
	}
	return &r, nil
}
