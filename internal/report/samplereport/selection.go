package samplereport

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// HostileName is a name that the contracts allow.
const HostileName = "</script><img src=x onerror=window.pwned=1> @someone #1"

// selection has a baseline and a recorded model with 30 wrong cases, of
// which the first called what attacks every format.
func selection() *contracts.SelectionAggregate {
	sum := strings.Repeat("0123456789abcdef", 4)
	s := &contracts.SelectionAggregate{CasesVersion: "v1", CasesSHA256: sum, Cases: 45,
		Offer: contracts.SelectionOffer{Tools: contracts.OfferSearch, TopK: 10, Proxy: "reference"}}
	for _, name := range []string{"lexical/bm25", "replay/test/model"} {
		m := contracts.ModelSummary{Model: name, AnsweredBy: contracts.AnsweredByRecording, Repeats: 3, Runs: 135,
			Errored: 1, TP: 40, FP: 10, TN: 20, FN: 64}
		if name == "lexical/bm25" {
			m.AnsweredBy = contracts.AnsweredByBaseline
		}

		for i, r := range metrics.SelectionRates() {
			value, before := float64(i+1)/20, float64(i+2)/20
			m.Rates = append(m.Rates,
				contracts.RateSummary{Rate: r.Name, Count: 6 * (i + 1), Of: 120, Cases: 40, Value: &value,
					Interval: &contracts.Interval{Low: value - 0.01, High: value + 0.02}, Baseline: &before})
		}

		m.Rates[3] = contracts.RateSummary{Rate: m.Rates[3].Rate}
		correct, same := 0.75, 0.875
		m.Means = []contracts.MeanSummary{{Mean: "parameter_correctness", Of: 40, Value: &correct,
			Interval: &contracts.Interval{Low: 0.7, High: 0.8}}, {Mean: "parameter_completeness"}}
		m.PassAt, m.PassAll, m.Consistency = []float64{0.5, 0.6, 0.65}, []float64{0.5, 0.4, 0.35}, &same
		m.Tags = []contracts.TagSummary{{Tag: HostileName, Accuracy: m.Rates[0]}, {Tag: "none", Accuracy: m.Rates[3]}}
		m.Comparison = &contracts.CasesComparison{Lost: []string{"c020"}, Gained: []string{}, PValue: 1,
			Verdict: contracts.WithinNoise}
		for i := range 31 {
			c := contracts.CaseSummary{ID: fmt.Sprintf("c%03d", i), Query: "request",
				Expected: []contracts.ExpectedCall{{Server: "git", Tool: "close"}}, Answers: 3, Right: 1, Class: "FN",
				Calls: []contracts.MadeCall{{Server: "git",
					Tool: "open"}}, Reasoning: "The model called open.", Withheld: []string{"git:close"}}
			switch i {
			case 0:
				c.Right, c.Query, c.Calls, c.Reasoning = 0, Hostile, []contracts.MadeCall{{Unknown: Hostile}}, Hostile
			case 1:
				c.Right, c.Answers, c.Errored, c.Error, c.Calls, c.Expected = 0, 0, 3, "no recording "+Hostile, nil, nil
			case 30:
				c.Right = 3
			}

			m.PerCase = append(m.PerCase, c)
		}

		s.Models = append(s.Models, m)
	}

	return s
}

func similarity() *contracts.SimilarityReport {
	s := &contracts.SimilarityReport{CorpusVersion: "v1", CorpusSHA256: strings.Repeat("0123456789abcdef", 4),
		Tools: 228, Method: "tfidf", Threshold: 0.4, FlaggedTotal: 70, OverlapTotal: 1}
	for i := range 30 {
		s.Flagged = append(s.Flagged,
			contracts.SimilarPair{A: fmt.Sprintf("git:close_%d", i), B: "git:" + HostileName,
				Score: 0.9 - float64(i)/100,
				Issues: []contracts.SimilarityIssue{{Type: "naming_clarity", Description: "The names share words. " +
					Hostile}}})
	}
	s.Clusters = [][]contracts.ToolID{{"git:close", "git:open"}}
	return s
}
