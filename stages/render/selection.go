package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/junit"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Lists of the page and of report.md hold at most this many cases of a model,
// and pairs of tools. report.json has all.
const (
	shownCases = 20
	shownPairs = 20
)

// selectionView holds the results of models on the cases.
type selectionView struct {
	Note, NoComparison string
	Models             []modelView
}

type modelView struct {
	Name, Kind, Counts string
	Rates              []rateView
	Facts              []string
	Tags               []tagView
	Cases              []caseView
	More               string
}

type tagView struct{ Name, Rate, Range, Counts string }

type caseView struct{ ID, Right, Query, Expected, Called, Why string }

// kindOf describes the source of the answers, so that a baseline is not
// mistaken for a model.
func kindOf(m contracts.ModelSummary) string {
	if m.AnsweredBy == contracts.AnsweredByBaseline {
		return "a baseline without a model, which matches words"
	}
	return "recorded answers"
}

func viewSelection(s *contracts.SelectionAggregate, g *contracts.Gate) *selectionView {
	if s == nil {
		return nil
	}
	v := &selectionView{Note: offerNote(s), NoComparison: s.NoComparison}
	for _, m := range s.Models {
		v.Models = append(v.Models, viewModel(m, g))
	}
	return v
}

// offerNote describes the cases and the offered tools.
func offerNote(s *contracts.SelectionAggregate) string {
	offer := "all tools of the corpus, or of the servers that the case names"
	if s.Offer.Tools == contracts.OfferSearch {
		offer = fmt.Sprintf("the first %d tools that the search of %s finds", s.Offer.TopK,
			wording.Shorten(s.Offer.Proxy, 100))
	}
	note := fmt.Sprintf("%s. For each case, a model is offered %s.", wording.CountOf(s.Cases, "1 case", "%d cases"),
		offer)
	if s.Offer.Degraded != "" {
		note += fmt.Sprintf(" The index was degraded on purpose: %s.", s.Offer.Degraded)
	}
	return note
}

func viewModel(m contracts.ModelSummary, g *contracts.Gate) modelView {
	v := modelView{Name: m.Model, Kind: kindOf(m),
		Counts: fmt.Sprintf("%s: TP %d, FP %d, TN %d, FN %d", wording.CountOf(m.Repeats, "1 repeat", "%d repeats"),
			m.TP, m.FP, m.TN, m.FN)}
	if m.Errored > 0 {
		v.Counts += fmt.Sprintf(", %d failed", m.Errored)
	}

	for _, declared := range metrics.SelectionRates() {
		if r, ok := m.Rate(declared.Name); ok && declared.Shown&metrics.OnPage != 0 {
			v.Rates = append(v.Rates, viewSelectionRate(m.Model, declared, r, g))
		}
	}

	v.Facts = modelFacts(m)
	for _, t := range m.Tags {
		if t.Accuracy.Value != nil {
			v.Tags = append(v.Tags, tagView{wording.Shorten(t.Tag, 60), wording.Figure(*t.Accuracy.Value),
				rangeOf(t.Accuracy.Interval), fmt.Sprintf("%d of %d", t.Accuracy.Count, t.Accuracy.Of)})
		}
	}

	wrong := worstCases(m)
	for _, c := range wrong[:min(len(wrong), shownCases)] {
		v.Cases = append(v.Cases, viewCase(c))
	}

	if n := len(wrong) - len(v.Cases); n > 0 {
		v.More = fmt.Sprintf("%s: report.json has them.",
			wording.CountOf(n, "1 more case is not shown", "%d more cases are not shown"))
	}

	return v
}

func viewSelectionRate(model string, declared metrics.SelectionRate, r contracts.RateSummary,
	g *contracts.Gate) rateView {
	v := rateView{Name: declared.Label, Value: "–", Range: "not defined"}
	if r.Value == nil {
		return v
	}

	pl := plot{Low: 0, High: 1, Value: r.Value, Interval: r.Interval, Baseline: r.Baseline, Label: declared.Label +
		" " + wording.Figure(*r.Value)}
	for _, c := range g.Checks {
		if c.Subject == model && c.Metric == declared.Name {
			pl.Bound, pl.Band = &c.Bound, allowed(c)
			if !c.Passed {
				v.Class = "fail"
			}
		}
	}

	v.Value, v.Range, v.Plot = wording.Figure(*r.Value),
		fmt.Sprintf("%s, %d of %d", rangeOf(r.Interval), r.Count, r.Of), pl.svg()
	return v
}

func rangeOf(i *contracts.Interval) string {
	if i == nil {
		return ""
	}
	return wording.Range(*i)
}

// modelFacts formats the figures that are not rates, as sentences.
func modelFacts(m contracts.ModelSummary) []string {
	var facts []string
	for _, mean := range m.Means {
		if mean.Value != nil {
			facts = append(facts, fmt.Sprintf("%s %s (%s)", capital(strings.ReplaceAll(mean.Mean, "_", " ")),
				wording.Figure(*mean.Value), rangeOf(mean.Interval)))
		}
	}

	if k := len(m.PassAt); k > 1 && k == len(m.PassAll) {
		facts = append(facts, fmt.Sprintf("pass@%d %s, pass^%d %s", k, wording.Figure(m.PassAt[k-1]), k,
			wording.Figure(m.PassAll[k-1])))
	}

	if m.Consistency != nil {
		facts = append(facts, "Consistency "+wording.Figure(*m.Consistency))
	}

	if c := m.Comparison; c != nil {
		facts = append(facts, fmt.Sprintf("Against the baseline: %d lost, %d gained %s (McNemar p %s)", len(c.Lost),
			len(c.Gained), wording.VerdictSign(c.Verdict), wording.Probability(c.PValue)))
	}

	return facts
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// worstCases lists the cases that are wrong or errored in some repeat: first
// those that the baseline had right, then by the share of right answers.
func worstCases(m contracts.ModelSummary) []contracts.CaseSummary {
	lost := func(c contracts.CaseSummary) int {
		if m.Comparison != nil && slices.Contains(m.Comparison.Lost, c.ID) {
			return 0
		}
		return 1
	}
	share := func(c contracts.CaseSummary) float64 {
		return float64(c.Right) / float64(max(1, c.Answers+c.Errored))
	}
	var list []contracts.CaseSummary
	for _, c := range m.PerCase {
		if c.Errored > 0 || c.Right < c.Answers {
			list = append(list, c)
		}
	}

	slices.SortStableFunc(list, func(a, b contracts.CaseSummary) int {
		return cmp.Or(lost(a)-lost(b), cmp.Compare(share(a), share(b)), cmp.Compare(a.ID, b.ID))
	})
	return list
}

func viewCase(c contracts.CaseSummary) caseView {
	v := caseView{ID: c.ID, Right: fmt.Sprintf("%d of %d", c.Right, c.Answers), Query: wording.Shorten(c.Query, 200),
		Expected: expectedNames(c.Expected), Called: calledNames(c), Why: wording.Shorten(c.Reasoning, 400)}
	if c.Errored > 0 {
		v.Right += fmt.Sprintf(", %d failed", c.Errored)
		if c.Answers == 0 {
			v.Called, v.Why = "–", wording.Shorten(c.Error, 400)
		}
	}

	if len(c.Withheld) > 0 {
		v.Why += " Not on offer: " + wording.Shorten(strings.Join(c.Withheld, ", "), 200) + "."
	}

	return v
}

func expectedNames(calls []contracts.ExpectedCall) string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Server + ":" + c.Tool
	}
	return wording.Shorten(cmp.Or(strings.Join(names, ", "), "no tool"), 200)
}

func calledNames(c contracts.CaseSummary) string {
	names := make([]string, len(c.Calls))
	for i, m := range c.Calls {
		names[i] = m.Server + ":" + m.Tool
		if m.Unknown != "" {
			names[i] = "unknown tool " + wording.Plain(m.Unknown)
		}
	}
	return wording.Shorten(cmp.Or(strings.Join(names, ", "), "no tool"), 200)
}

func markdownSelection(r *contracts.Report) []string {
	s := r.Aggregate.Selection
	if s == nil {
		return nil
	}

	rates := slices.DeleteFunc(metrics.SelectionRates(),
		func(r metrics.SelectionRate) bool { return r.Shown&metrics.InTables == 0 })
	names := []string{"model"}
	for _, r := range rates {
		names = append(names, r.Label)
	}

	rows := []string{fmt.Sprintf("<details><summary>Tool selection: %s</summary>\n\n%s\n\n",
		wording.CountOf(s.Cases, "1 case", "%d cases"), wording.Markdown(offerNote(s))) +
		wording.TableHead(append(names, wording.Failed))}
	for _, m := range s.Models {
		cells := []string{wording.Markdown(m.Model)}
		if m.AnsweredBy == contracts.AnsweredByBaseline {
			cells[0] += " (a baseline, no model)"
		}

		for _, declared := range rates {
			measured, _ := m.Rate(declared.Name)
			cells = append(cells, wording.Rate(measured.Value, measured.Interval))
		}

		rows = append(rows, fmt.Sprintf("| %s | %d |\n", strings.Join(cells, " | "), m.Errored))
	}

	for _, m := range s.Models {
		for _, fact := range modelFacts(m) {
			rows = append(rows, fmt.Sprintf("\n%s: %s\n", wording.Markdown(m.Model), wording.Markdown(fact)))
		}

		wrong := worstCases(m)
		if len(wrong) == 0 {
			continue
		}

		rows = append(rows, fmt.Sprintf("\nWorst cases of %s:\n\n", wording.Markdown(m.Model))+
			wording.TableHead([]string{"case", "right", "expected", "called"}))
		for _, c := range wrong[:min(len(wrong), shownCases)] {
			v := viewCase(c)
			rows = append(rows, fmt.Sprintf("| %s %s | %s | %s | %s |\n", wording.Markdown(v.ID),
				wording.Markdown(wording.Shorten(v.Query, 120)), v.Right, wording.Markdown(v.Expected),
				wording.Markdown(v.Called)))
		}
	}

	return append(rows, "</details>\n\n")
}

// similarityView lists the tools that a model may confuse.
type similarityView struct {
	Note   string
	Pairs  []pairView
	More   string
	Groups []string
}

type pairView struct{ A, B, Score, Why string }

func viewSimilarity(s *contracts.SimilarityReport) *similarityView {
	if s == nil {
		return nil
	}

	v := &similarityView{Note: similarityNote(s)}
	for _, p := range s.Flagged[:min(len(s.Flagged), shownPairs)] {
		var reasons []string
		for _, i := range p.Issues {
			reasons = append(reasons, wording.Shorten(i.Description, 200))
		}

		v.Pairs = append(v.Pairs,
			pairView{wording.Shorten(p.A, 120), wording.Shorten(p.B, 120), wording.Figure(p.Score),
				strings.Join(reasons, " ")})
	}

	if n := s.FlaggedTotal - len(v.Pairs); n > 0 {
		v.More = fmt.Sprintf("%s: report.json lists %d.",
			wording.CountOf(n, "1 more pair is not shown", "%d more pairs are not shown"), len(s.Flagged))
	}

	for _, group := range s.Clusters[:min(len(s.Clusters), shownPairs)] {
		v.Groups = append(v.Groups, wording.Shorten(strings.Join(group, ", "), 600))
	}

	return v
}

func similarityNote(s *contracts.SimilarityReport) string {
	return fmt.Sprintf("%s with a word similarity of at least %s (%s), and %s with at least that overlap of texts "+
		"and parameters.",
		wording.CountOf(s.FlaggedTotal, "1 pair", "%d pairs"), wording.Figure(s.Threshold), s.Method,
		wording.CountOf(s.OverlapTotal, "1 pair", "%d pairs"))
}

func markdownSimilarity(r *contracts.Report) []string {
	s := r.Aggregate.Similarity
	if s == nil || s.FlaggedTotal == 0 {
		return nil
	}

	v := viewSimilarity(s)
	rows := []string{fmt.Sprintf("<details><summary>Similar tools: %s</summary>\n\n%s\n\n",
		wording.CountOf(s.FlaggedTotal, "1 pair", "%d pairs"), wording.Markdown(v.Note)) +
		wording.TableHead([]string{"tool", "tool", "similarity"})}
	for _, p := range v.Pairs {
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", wording.Markdown(p.A), wording.Markdown(p.B), p.Score))
	}

	return append(rows, "</details>\n\n")
}

// junitSelection writes a test case for each model. It is informative only:
// checks of the gate fail, models do not.
func junitSelection(s *contracts.SelectionAggregate) junit.Suite {
	suite := junit.Suite{Name: "selection"}
	for _, m := range s.Models {
		var b strings.Builder
		fmt.Fprintf(&b, "%s. %s\n", capital(kindOf(m)), offerNote(s))
		for _, declared := range metrics.SelectionRates() {
			if r, _ := m.Rate(declared.Name); r.Value != nil {
				fmt.Fprintf(&b, "%s %s (%s), %d of %d\n", declared.Label, wording.Figure(*r.Value), rangeOf(r.Interval),
					r.Count, r.Of)
			}
		}

		for _, fact := range modelFacts(m) {
			fmt.Fprintln(&b, fact)
		}

		wrong := worstCases(m)
		for _, c := range wrong[:min(len(wrong), shownCases)] {
			v := viewCase(c)
			fmt.Fprintf(&b, "%s (%s right): %s expected, %s called: %s\n", v.ID, v.Right, v.Expected, v.Called, v.Query)
		}

		suite.Add(junit.Case{Class: "selection", Name: m.Model, Output: strings.TrimSpace(b.String())})
	}

	return suite
}
