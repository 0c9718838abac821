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
	low    = "low"
)

// Recommend returns recommendations after a run. scored are the parameters of
// the calls from score.Evaluate.
func Recommend(c selection.Case, tools []selection.Tool, a selection.Answer, e selection.Evaluation,
	scored []score.Parameters) []selection.Recommendation {
	r := run{c: c, tools: tools, list: []selection.Recommendation{}, priority: medium}
	if e.ConfidenceCategory == selection.Misleading {
		r.priority = high
	}

	switch e.Classification {
	case selection.FN:
		r.missed(a)
	case selection.FP:
		for _, m := range a.Calls[:1] {
			r.unwanted(m)
		}
	case selection.TP:
		for i, want := range c.Expected {
			if t, ok := r.tool(want.Server, want.Tool); ok && i < len(scored) {
				r.parameters(t, scored[i])
				if e.ConfidenceCategory == selection.NeedsClarity {
					r.unclear(t)
				}
			}
		}
	}

	return r.list
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

// missed handles a run in which an expected tool was not called.
func (r *run) missed(a selection.Answer) {
	for _, want := range r.c.Expected {
		called := slices.ContainsFunc(a.Calls,
			func(m selection.MadeCall) bool { return m.Server == want.Server && m.Tool == want.Tool })
		t, ok := r.tool(want.Server, want.Tool)
		if !ok || called && len(r.c.Expected) > 1 {
			continue
		}

		if len(a.Calls) == 0 {
			r.notFound(t)
			continue
		}

		m := a.Calls[0]
		if m.Unknown != "" {
			r.add("unknown_tool", r.priority, t, []string{m.Unknown},
				"The model called %q, which no server offers, but %s was expected. If users would use this name, "+
					"add it to the description of %s.", m.Unknown, t.Name, t.Name)
			continue
		}

		if sibling, ok := r.tool(m.Server, m.Tool); ok {
			r.taken(t, sibling)
		}
	}
}

// notFound handles an expected tool when no tool was called.
func (r *run) notFound(t selection.Tool) {
	if strings.TrimSpace(t.Description) == "" {
		r.add("undescribed", high, t, nil, "%s has no description, so the model could not tell that it serves this "+
			"query: describe what it does and when to use it.", t.Name)
		return
	}

	_, missing := common(keywords(r.c.Query), toolStems(t))
	if len(missing) == 0 {
		r.add("not_called", r.priority, t, nil, "%s has all words of the query but was not called: state in its "+
			"description when to use it.", t.Name)
		return
	}

	r.add("not_called", r.priority, t, missing,
		"No tool was called. The query contains %s, but neither the description nor the parameters of %s do: add "+
			"those words that fit the tool.", quote(missing), t.Name)
}

// taken handles another tool that was called instead of the expected one.
func (r *run) taken(t, sibling selection.Tool) {
	if t.Name == sibling.Name {
		r.add("same_name", high, t, []string{t.Server + ":" + t.Name, sibling.Server + ":" + sibling.Name},
			"Servers %s and %s both have a tool %s, and the one of %s was called instead: give the two different "+
				"names, or state in each description what the other is for.",
			t.Server, sibling.Server, t.Name, sibling.Server)
	}

	if strings.TrimSpace(t.Description) == "" {
		r.add("undescribed", high, t, nil, "%s has no description, and %s of server %s was called instead: describe "+
			"what it does and when to use it.", t.Name, sibling.Name, sibling.Server)
		return
	}

	words, own, theirs := keywords(r.c.Query), toolStems(t), toolStems(sibling)
	inTheirs, _ := common(words, theirs)
	_, misleading := common(inTheirs, own) // the sibling has them, the expected tool does not
	shared, _ := common(inTheirs, own)
	_, missing := common(words, own)
	if len(misleading) > 0 {
		r.add("misleading_words", r.priority, sibling, sentencesWith(sibling.Name+". "+sibling.Description, misleading),
			"%s of server %s was called instead because of its words %s, which %s does not have. Remove them from "+
				"%s if they do not fit it, or state there what it does not do, and add them to %s.",
			sibling.Name, sibling.Server, quote(misleading), t.Name, sibling.Name, t.Name)
		return
	}

	if len(missing) > 0 {
		r.add("missing_words", r.priority, t, missing,
			"%s of server %s was called instead. The query contains %s, but %s does not: add those words that fit "+
				"the tool.", sibling.Name, sibling.Server, quote(missing), t.Name)
	}

	if len(shared) > 0 {
		r.add("overlap", r.priority, sibling, sentencesWith(sibling.Name+". "+sibling.Description, shared),
			"%s and %s of server %s both have the query's words %s, which therefore do not distinguish them: state "+
				"in each what the other is for.", t.Name, sibling.Name, sibling.Server, quote(shared))
	}

	if len(misleading)+len(missing)+len(shared) == 0 {
		r.add("overlap", r.priority, sibling, nil,
			"%s of server %s was called instead, although it has no word of the query: state in %s when to use it, "+
				"and when not.", sibling.Name, sibling.Server, t.Name)
	}
}

// unwanted handles a tool that was called although none was expected.
func (r *run) unwanted(m selection.MadeCall) {
	t, ok := r.tool(m.Server, m.Tool)
	if !ok {
		return
	}

	shared, _ := common(keywords(r.c.Query), toolStems(t))
	if len(shared) == 0 {
		r.add("too_broad", r.priority, t, []string{clip(t.Description, 200)},
			"%s was called for a query that no tool serves, although it shares no word with it: restrict its "+
				"description to what it does.", t.Name)
		return
	}

	r.add("too_broad", r.priority, t, sentencesWith(t.Name+". "+t.Description, shared),
		"%s was called for a query that no tool serves, because of its words %s: state in its description what it "+
			"does not do.", t.Name, quote(shared))
}

// unclear handles the right tool, called with little confidence.
func (r *run) unclear(t selection.Tool) {
	own := toolStems(t)
	var nearest selection.Tool
	best := 0
	for _, other := range r.tools {
		if other.Server == t.Server && other.Name == t.Name {
			continue
		}

		in, _ := common(keywords(other.Name+" "+other.Description), own)
		if len(in) > best {
			nearest, best = other, len(in)
		}
	}

	if best == 0 {
		r.add("unclear", low, t, nil, "%s was called with little confidence: state more precisely in its "+
			"description when to use it.", t.Name)
		return
	}

	shared, _ := common(keywords(nearest.Name+" "+nearest.Description), own)
	r.add("unclear", low, t, sentencesWith(nearest.Description, shared),
		"%s was called with little confidence. The most similar tool is %s of server %s, with the words %s: state "+
			"in each what the other is for.", t.Name, nearest.Name, nearest.Server, quote(shared))
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
	missing := d.State == score.Missing && d.Expected != nil
	evidence := valuesOf(d)
	switch {
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
	case d.Expected != nil && !ok && d.State != score.Equal && d.State != score.Defaulted:
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
		evidence = append(evidence, "expected "+clip(string(d.Expected), 100))
	}
	if d.Actual != nil {
		evidence = append(evidence, "given "+clip(string(d.Actual), 100))
	}
	return evidence
}

func stateText(d score.Parameter) string {
	if d.State == score.Missing {
		return "missing"
	}
	return "different from what was expected"
}
