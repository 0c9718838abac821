package scoreselection

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/caseresult"
)

// Run runs the stage.
func Run(ctx context.Context, opts Options) error {
	if opts.Repeat < 1 {
		return fmt.Errorf("--repeat %d is out of range: repeats are counted from 1", opts.Repeat)
	}

	corpus, corpusSHA256, err := contracts.ReadDigested[contracts.Corpus](opts.Corpus)
	if err != nil {
		return err
	}

	cases, casesSHA256, err := contracts.ReadDigested[contracts.CaseSet](opts.Cases)
	if err != nil {
		return err
	}

	if cases.CorpusVersion != corpus.Version {
		return fmt.Errorf("the cases %s are for corpus version %q, but %s has version %q: use the corpus of the cases",
			opts.Cases, cases.CorpusVersion, opts.Corpus, corpus.Version)
	}

	s, err := newSubject(opts)
	if err != nil {
		return err
	}

	o, err := newOfferer(ctx, opts, corpus)
	if err != nil {
		return err
	}

	defer o.stop()
	report := contracts.SelectionReport{
		CorpusVersion: corpus.Version, CorpusSHA256: corpusSHA256, CasesVersion: cases.Version,
		CasesSHA256:        casesSHA256,
		SystemPromptSHA256: s.settings.SystemPromptSHA256, ToolChoice: s.settings.ToolChoice,
		ParallelToolCalls: s.settings.ParallelToolCalls,
		Model:             opts.Model, AnsweredBy: s.answeredBy, Repeat: opts.Repeat, Offer: o.describe(),
		Limits: opts.limits(),
	}
	a := caseRunner{subject: s, offer: o, repeat: opts.Repeat}
	asked := a.askAll(ctx, cases.Cases, &report)
	// Answers that were paid for are kept, even if a later case failed.
	if s.record != nil {
		if err := s.record.Save(opts.Record); err != nil {
			return errors.Join(asked, err)
		}
	}

	if asked != nil {
		return asked
	}

	if err := contracts.Write(opts.Out, report); err != nil {
		return err
	}

	if opts.Progress != nil {
		opts.Progress(summary(report))
	}

	return nil
}

// limits are the limits of calls for the report. A number below 0 is no limit.
func (opts Options) limits() *contracts.CallLimits {
	limit := func(n int) *int {
		if n < 0 {
			return nil
		}
		return &n
	}
	l := contracts.CallLimits{ExtraCalls: limit(opts.MaxExtraCalls), ForbiddenCalls: limit(opts.MaxForbidden)}
	if l == (contracts.CallLimits{}) {
		return nil
	}

	return &l
}

// caseRunner sends cases to a model.
type caseRunner struct {
	subject subject
	offer   offerer
	repeat  int
}

// askAll sends the cases one at a time and adds the results to the report,
// sorted by id.
func (a caseRunner) askAll(ctx context.Context, cases []contracts.SelectionCase,
	report *contracts.SelectionReport) error {
	for _, c := range cases {
		r, err := a.ask(ctx, c)
		var ended *endedError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &ended):
			return ended.error
		case err != nil:
			r.Error = selection.Clip(err.Error(), 2000)
		}

		report.PerCase = append(report.PerCase, r)
	}

	slices.SortFunc(report.PerCase, func(a, b contracts.CaseResult) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

// ask sends one case. On an error the result describes only the request.
func (a caseRunner) ask(ctx context.Context, c contracts.SelectionCase) (contracts.CaseResult, error) {
	r := contracts.CaseResult{ID: c.ID, Query: c.Query, Tags: c.Tags, Expected: c.Expected}
	tools, err := a.offer.tools(ctx, c)
	if err != nil {
		return r, err
	}

	r.Offered = len(tools)
	for _, want := range c.Expected {
		if !slices.ContainsFunc(want.Choices(), func(w contracts.AlternativeCall) bool {
			return slices.ContainsFunc(tools,
				func(t selection.Tool) bool { return t.Server == w.Server && t.Name == w.Tool })
		}) {
			r.Withheld = append(r.Withheld, want.Server+":"+want.Tool)
		}
	}

	answer, err := a.subject.model.Ask(ctx, model.Request{
		Query: c.Query, Tools: tools, Settings: a.subject.settings, Repeat: a.repeat,
	})
	if err != nil {
		return r, err
	}

	converted, err := caseOf(c)
	if err != nil {
		return r, err
	}

	e, _, err := score.Evaluate(converted, tools, answer, nil)
	if err != nil {
		return r, fmt.Errorf("score the answer: %w", err)
	}

	r.ExtraCalls, r.ForbiddenCalls = score.CountExtra(e.Calls)

	r.Calls = callsOf(answer.Calls)
	r.Class = string(e.Classification)
	r.Completeness, r.Correctness, r.Conformance = e.ParameterCompleteness, e.ParameterCorrectness,
		e.ParameterConformance
	r.Invented, r.Unexpected = clipped(e.HallucinatedParameters), clipped(e.UnexpectedParameters)

	r.Confidence, r.ConfidenceSource = answer.Confidence, string(answer.ConfidenceSource)
	r.Reasoning = selection.Clip(e.Reasoning, 4000)
	return r, nil
}

func clipped(names []string) []string {
	var list []string
	for _, name := range names[:min(len(names), maxListed)] {
		list = append(list, selection.Clip(name, 500))
	}
	return list
}

// caseOf converts a case. What says how it is judged has the same form in both.
func caseOf(c contracts.SelectionCase) (selection.Case, error) {
	converted := selection.Case{ID: c.ID, Name: c.ID, Query: c.Query, Servers: c.Servers, Ordered: c.Ordered,
		Tags: c.Tags}
	for into, from := range map[any]any{&converted.Expected: c.Expected, &converted.Forbidden: c.Forbidden} {
		b, err := json.Marshal(from)
		if err != nil {
			return converted, err
		}

		if err := json.Unmarshal(b, into); err != nil {
			return converted, err
		}
	}
	return converted, nil
}

// maxListed bounds the number of calls and parameters of one answer that a
// report lists.
const maxListed = 1000

func callsOf(made []selection.MadeCall) []contracts.MadeCall {
	var calls []contracts.MadeCall
	for _, m := range made {
		call := contracts.MadeCall{Server: m.Server, Tool: m.Tool, Unknown: selection.Clip(m.Unknown, 500),
			Parameters: m.Parameters, Malformed: m.Malformed}
		// Values that the contract does not allow, such as a repeated member,
		// must not make the whole report unwritable.
		if _, err := contracts.CanonicalJSON(m.Parameters); len(m.Parameters) > 0 && err != nil {
			call.Parameters, call.Malformed = nil, string(m.Parameters)
		}

		call.Malformed = selection.Clip(call.Malformed, 2000)
		calls = append(calls, call)
	}

	return calls[:min(len(calls), maxListed)]
}

// summary is the summary of a repeat in one line.
func summary(r contracts.SelectionReport) string {
	all := caseresult.Observations(r)
	answered := caseresult.Answered(all)
	line := fmt.Sprintf("%s, repeat %d: %d cases, %d failed", r.Model, r.Repeat, len(all), len(all)-len(answered))
	if r.AnsweredBy == contracts.AnsweredByBaseline {
		line = "baseline " + line
	}

	for _, rate := range metrics.SelectionRates() {
		if rate.Shown&metrics.InSummary == 0 {
			continue
		}

		if v := score.RateOf(rate.Name, answered).Value; v != nil {
			line += fmt.Sprintf(", %s %.4f", rate.Label, *v)
		}
	}

	return line
}
