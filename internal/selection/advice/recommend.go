package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// Priorities of recommendations.
const (
	high   = "high"
	medium = "medium"
)

// Recommend returns recommendations after a run. scored are the parameters of
// the calls from score.Evaluate.
func Recommend(c selection.Case, tools []selection.Tool, a selection.Answer, e selection.Evaluation,
	scored []score.Parameters) []selection.Recommendation {
	r := run{c: c, tools: tools, list: []selection.Recommendation{}, priority: medium}
	if e.ConfidenceCategory == selection.Misleading {
		r.priority = high
	}

	// No description teaches a model to make calls, or to answer what it refuses.
	if len(a.CallAsText) > 0 {
		r.list = append(r.list, selection.Recommendation{Kind: "call_as_text", Priority: high, Evidence: a.CallAsText,
			Text: "The model wrote the call as text: check the chat template of the model, or turn on native tool " +
				"calling."})
		return r.list
	}

	switch {
	case a.Refusal != "" && len(a.Calls) == 0:
	case e.Classification == selection.TP:
		for i, want := range calledOf(c, tools, a) {
			if t, ok := r.tool(want.Server, want.Tool); ok && i < len(scored) {
				r.parameters(t, scored[i])
			}
		}
	case e.Classification == selection.FN || e.Classification == selection.FP:
		r.wrongChoice(a)
	}

	return r.list
}

// calledOf are the expected calls that were made, in their order.
func calledOf(c selection.Case, tools []selection.Tool, a selection.Answer) []selection.Call {
	var calls []selection.Call
	_, judged := score.Match(c, tools, a.Calls)
	for _, j := range judged {
		if j.Classification == selection.TP {
			calls = append(calls, c.Expected[j.Expected].Choices()[j.Alternative])
		}
	}
	return calls
}

type run struct {
	c        selection.Case
	tools    []selection.Tool
	priority string
	list     []selection.Recommendation
}

func (r *run) tool(server, name string) (selection.Tool, bool) {
	i := slices.IndexFunc(r.tools, func(t selection.Tool) bool { return t.Server == server && t.Name == name })
	if i < 0 {
		return selection.Tool{}, false
	}
	return r.tools[i], true
}

func (r *run) add(kind, priority string, t selection.Tool, evidence []string, format string, args ...any) {
	r.list = append(r.list, selection.Recommendation{
		Kind: kind, Server: t.Server, Tool: t.Name, Priority: priority, Text: fmt.Sprintf(format, args...),
		Evidence: evidence,
	})
}

// wrongChoice lists the findings of the tools that took part in a wrong choice:
// those that were expected and not called, and those that were called and not
// expected. A tool that the model invented has none.
func (r *run) wrongChoice(a selection.Answer) {
	_, judged := score.Match(r.c, r.tools, a.Calls)
	for _, j := range judged {
		switch j.Classification {
		case selection.FN:
			for _, want := range r.c.Expected[j.Expected].Choices() {
				if t, ok := r.tool(want.Server, want.Tool); ok {
					r.found(t, "was expected and not called")
				}
			}
		case selection.FP:
			m := a.Calls[j.Made]
			if m.Unknown != "" {
				r.list = append(r.list, selection.Recommendation{Kind: "unknown_tool", Priority: r.priority,
					Text:     fmt.Sprintf("The model called %q, which no server offers.", m.Unknown),
					Evidence: []string{m.Unknown}})
				continue
			}

			if t, ok := r.tool(m.Server, m.Tool); ok {
				r.found(t, "was called and not expected")
			}
		}
	}
}

func (r *run) found(t selection.Tool, what string) {
	for _, f := range check(t, r.tools) {
		if f.Kind == UndescribedParameters || f.Kind == UntypedParameters {
			continue // they matter to a call, and not to the choice
		}

		r.add(string(f.Kind), r.priority, t, f.Evidence, "%s of server %s %s: %s.", t.Name, t.Server, what, f.Text)
	}
}

// parameters handles the parameters of the right tool.
func (r *run) parameters(t selection.Tool, p score.Parameters) {
	if p.Malformed {
		return // no description teaches a model to write JSON
	}

	if p.SchemaProblem != "" {
		r.add("schema", high, t, nil, "The input schema of %s cannot be used: %s. Correct it: models and clients "+
			"read it too.", t.Name, p.SchemaProblem)
	}

	declared := map[string]parameter{}
	for _, d := range parametersOf(t.InputSchema) {
		declared[d.name] = d
	}

	for _, d := range p.Details {
		r.parameter(t, d, declared)
	}
}

func (r *run) parameter(t selection.Tool, d score.Parameter, declared map[string]parameter) {
	known, ok := declared[d.Name]
	undescribed := ok && strings.TrimSpace(known.description) == ""
	missing := d.State == score.Missing && d.IsExpected()
	evidence := valuesOf(d)
	switch {
	case d.State == score.Forbidden:
		r.add("forbidden_parameter", medium, t, evidence,
			"The model gave the parameter %s of %s, which the case forbids: state in its description when to omit it.",
			d.Name, t.Name)
	case d.State == score.Invented && !ok && !closed(t.InputSchema):
		r.add("invented_parameter", medium, t, evidence,
			"The model invented the parameter %s of %s: set additionalProperties to false in the input schema, so "+
				"that such calls are refused.", d.Name, t.Name)
	case d.State == score.Invented && !ok:
		r.add("invented_parameter", medium, t, evidence,
			"The model invented the parameter %s of %s, which the input schema refuses: if users ask for it, add it.",
			d.Name, t.Name)
	case d.State == score.Invented:
		r.add("invented_parameter", medium, t, evidence,
			"The model gave the parameter %s of %s a value that is not in the query: state in its description to "+
				"omit it unless it is requested, or give it a default.", d.Name, t.Name)
	case d.IsExpected() && !ok && d.State != score.Equal && d.State != score.Defaulted:
		r.add("parameter_undeclared", high, t, evidence,
			"The case expects the parameter %s, but the input schema of %s does not have it: add it, or correct the "+
				"case.", d.Name, t.Name)
	case (missing || d.State == score.Different) && undescribed:
		r.add("parameter_undescribed", high, t, evidence,
			"The parameter %s of %s is %s, and has no description: describe what belongs in it, with an example.",
			d.Name, t.Name, stateText(d))
	case missing && !known.required:
		r.add("parameter_missing", medium, t, evidence,
			"The optional parameter %s of %s was left out: state in its description when it is needed, or make it "+
				"required.", d.Name, t.Name)
	case missing:
		r.add("parameter_missing", medium, t, evidence,
			"The required parameter %s of %s was left out: state in its description where its value comes from.",
			d.Name, t.Name)
	case d.State == score.Different && known.text:
		r.add("parameter_different", medium, t, evidence,
			"The parameter %s of %s has another value: declare its values (enum) or its form (format, pattern) in "+
				"the schema, or give an example in its description.", d.Name, t.Name)
	case d.State == score.Different:
		r.add("parameter_different", medium, t, evidence,
			"The parameter %s of %s has another value: give an example in its description.", d.Name, t.Name)
	}

	if d.Problem != "" && d.Actual != nil && d.State != score.Invented {
		r.add("parameter_type", medium, t, append(evidence, d.Problem),
			"The parameter %s of %s violates the input schema: state its type and form in its description too.", d.Name,
			t.Name)
	}
}

// valuesOf is the evidence about a parameter: the expected and the given value.
func valuesOf(d score.Parameter) []string {
	evidence := []string{}
	if d.Expected != nil {
		evidence = append(evidence, "expected "+selection.Clip(string(d.Expected), 100))
	}
	if d.Actual != nil {
		evidence = append(evidence, "given "+selection.Clip(string(d.Actual), 100))
	}
	return evidence
}

func stateText(d score.Parameter) string {
	if d.State == score.Missing {
		return "missing"
	}
	return "different from what was expected"
}
