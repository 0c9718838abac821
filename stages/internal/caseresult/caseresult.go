// Package caseresult converts the results of cases in reports to the
// observations from which the figures of tool selection are computed.
// score-selection and the stages after it share it.
package caseresult

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// Observations returns one observation for each case of a report.
func Observations(r contracts.SelectionReport) []score.Observation {
	list := make([]score.Observation, len(r.PerCase))
	for i, c := range r.PerCase {
		list[i] = observation(r, c)
	}
	return list
}

func observation(r contracts.SelectionReport, c contracts.CaseResult) score.Observation {
	class := selection.Classification(c.Class)
	o := score.Observation{
		CaseID: c.ID, Case: c.ID, Model: r.Model, Tags: c.Tags, Repeat: r.Repeat,
		Failed: c.Error != "", Error: c.Error, Selects: Selects(c.Calls), Made: len(c.Calls) > 0,
		Classification: class, Completeness: c.Completeness, Correctness: c.Correctness, Conformance: c.Conformance,
		Extra: c.ExtraCalls, Forbidden: c.ForbiddenCalls,
		Hallucinated: len(c.Invented), Confidence: c.Confidence, Source: selection.ConfidenceSource(c.ConfidenceSource),
		Category: selection.Categorize(class.Correct(), c.Confidence),
	}
	for _, call := range c.Expected {
		if !slices.Contains(o.Servers, call.Server) {
			o.Servers = append(o.Servers, call.Server)
		}
	}

	return o
}

// Answered returns the observations that have an answer.
func Answered(all []score.Observation) []score.Observation {
	var list []score.Observation
	for _, o := range all {
		if !o.Failed {
			list = append(list, o)
		}
	}
	return list
}

// Selects formats the calls: server:tool for each call, or "no tool".
func Selects(calls []contracts.MadeCall) string {
	if len(calls) == 0 {
		return score.NoTool
	}
	names := make([]string, len(calls))
	for i, m := range calls {
		names[i] = score.Selects(&selection.MadeCall{Server: m.Server, Tool: m.Tool, Unknown: m.Unknown})
	}
	return strings.Join(names, ", ")
}
