package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Evaluate judges the answer of a model. tools are those offered to it. The
// recommendations stay empty; package advice makes them.
func Evaluate(c selection.Case, tools []selection.Tool, a selection.Answer) (selection.Evaluation, []Parameters,
	error) {
	class, judged := selection.Match(c.Expected, a.Calls, c.Ordered)
	e := selection.Evaluation{
		Classification:         class,
		ToolSelectionCorrect:   class.Correct(),
		HallucinatedParameters: []string{},
		ConfidenceCategory:     selection.Categorize(class.Correct(), a.Confidence),
	}
	if len(c.Expected) > 1 || len(a.Calls) > 1 {
		e.Calls = judged
	}

	var scored []Parameters
	switch class {
	case selection.TP:
		var err error
		if scored, err = scoreCalls(c, tools, a, judged); err != nil {
			return e, nil, err
		}

		average(&e, scored)
	case selection.FP, selection.FN:
		zero := 0.0
		e.ParameterCompleteness, e.ParameterCorrectness, e.ParameterConformance = &zero, &zero, &zero
	}

	e.Reasoning = reasoning(c, a, e, scored)
	return e, scored, nil
}

// scoreCalls scores the parameters of every expected call, in their order.
func scoreCalls(c selection.Case, tools []selection.Tool, a selection.Answer,
	judged []selection.JudgedCall) ([]Parameters, error) {
	var scored []Parameters
	for _, j := range judged {
		if j.Classification != selection.TP {
			continue
		}

		want, made := c.Expected[j.Expected], a.Calls[j.Made]
		if made.Malformed != "" {
			scored = append(scored, Malformed(want.Parameters))
			continue
		}

		at := slices.IndexFunc(tools,
			func(t selection.Tool) bool { return t.Server == want.Server && t.Name == want.Tool })
		if at < 0 {
			return nil, fmt.Errorf("tool %q of server %q was called but is not among those offered", want.Tool,
				want.Server)
		}

		p, err := ScoreParameters(want.Parameters, made.Parameters, tools[at].InputSchema, c.Query)
		if err != nil {
			return nil, fmt.Errorf("tool %q of server %q: %w", want.Tool, want.Server, err)
		}

		scored = append(scored, p)
	}

	return scored, nil
}

// average sets the means over the expected calls.
func average(e *selection.Evaluation, scored []Parameters) {
	var completeness, correctness, conformance float64
	judged := 0
	for _, p := range scored {
		completeness += p.Completeness
		correctness += p.Correctness
		if p.Conformance != nil {
			conformance += *p.Conformance
			judged++
		}

		for _, name := range p.Hallucinated {
			if !slices.Contains(e.HallucinatedParameters, name) {
				e.HallucinatedParameters = append(e.HallucinatedParameters, name)
			}
		}
	}

	n := float64(len(scored))
	completeness /= n
	correctness /= n
	e.ParameterCompleteness, e.ParameterCorrectness = &completeness, &correctness
	if judged > 0 {
		conformance /= float64(judged)
		e.ParameterConformance = &conformance
	}
}

// reasoning explains the run's classification and scores in sentences.
func reasoning(c selection.Case, a selection.Answer, e selection.Evaluation, scored []Parameters) string {
	var b strings.Builder
	switch e.Classification {
	case selection.TP:
		fmt.Fprintf(&b, "The model called %s, as expected.", callNames(c.Expected))
	case selection.TN:
		b.WriteString("The model called no tool, as expected.")
	case selection.FP:
		fmt.Fprintf(&b, "No tool was expected, but the model called %s.", madeNames(a.Calls))
	case selection.FN:
		missedReasoning(&b, c, a)
	}

	switch extra := len(a.Calls) - len(c.Expected); {
	case e.Classification != selection.TP || extra <= 0:
	case extra == 1:
		b.WriteString(" It made 1 further call that was not expected.")
	default:
		fmt.Fprintf(&b, " It made %d further calls that were not expected.", extra)
	}

	for i, p := range scored {
		var text strings.Builder
		p.reasoning(&text)
		if len(scored) > 1 && text.Len() > 0 {
			fmt.Fprintf(&b, " Call %d:", i+1)
		}

		b.WriteString(text.String())
	}

	for _, m := range a.Calls {
		if m.Malformed != "" {
			fmt.Fprintf(&b, " The parameters that it gave to %s are not a JSON object: %s", madeName(m),
				selection.Clip(m.Malformed, 200))
		}
	}

	return b.String()
}

func missedReasoning(b *strings.Builder, c selection.Case, a selection.Answer) {
	switch {
	case len(a.Calls) == 0:
		fmt.Fprintf(b, "The model called no tool, but %s %s expected.", callNames(c.Expected), wasOrWere(c.Expected))
		return
	case onlyOrderDiffers(c, a):
		fmt.Fprintf(b, "The model made the expected calls in another order: %s instead of %s.", madeNames(a.Calls),
			callNames(c.Expected))
		return
	case len(c.Expected) > 1:
		fmt.Fprintf(b, "The model called %s, but %s %s expected", madeNames(a.Calls), callNames(c.Expected),
			wasOrWere(c.Expected))
		if c.Ordered {
			b.WriteString(", in this order")
		}

		b.WriteString(".")
		return
	}

	want, got := c.Expected[0], a.Calls[0]
	fmt.Fprintf(b, "The model called %s, but %s was expected.", madeName(got), callNames(c.Expected))
	switch {
	case got.Unknown != "":
		b.WriteString(" No tool of that name was offered.")
	case got.Tool == want.Tool:
		b.WriteString(" The tool has the same name but is of another server.")
	}
}

// onlyOrderDiffers reports whether each call of an ordered case was made, but not
// in the expected order.
func onlyOrderDiffers(c selection.Case, a selection.Answer) bool {
	if !c.Ordered {
		return false
	}
	class, _ := selection.Match(c.Expected, a.Calls, false)
	return class == selection.TP
}

func wasOrWere(calls []selection.Call) string {
	if len(calls) > 1 {
		return "were"
	}
	return "was"
}

func (p Parameters) reasoning(b *strings.Builder) {
	if p.Malformed {
		return // the text that was sent says it
	}

	byState := map[ParameterState][]string{}
	for _, d := range p.Details {
		if d.Problem == "" || d.State != Missing || d.Expected != nil {
			byState[d.State] = append(byState[d.State], d.Name)
		}
	}

	for _, part := range []struct {
		state ParameterState
		text  string
	}{
		{Missing, "missing"}, {Different, "different from the expected value"}, {Invented, "invented"},
	} {
		if names := byState[part.state]; len(names) > 0 {
			fmt.Fprintf(b, " Parameters %s: %s.", part.text, strings.Join(names, ", "))
		}
	}

	for _, d := range p.Details {
		switch {
		case d.Problem == "":
		case d.Name == whole:
			fmt.Fprintf(b, " The parameters violate the input schema: %s.", d.Problem)
		default:
			fmt.Fprintf(b, " Parameter %s violates the input schema: %s.", d.Name, d.Problem)
		}
	}

	if p.SchemaProblem != "" {
		fmt.Fprintf(b, " Types were not checked, because the input schema cannot be used: %s.", p.SchemaProblem)
	}
}

func callNames(calls []selection.Call) string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = fmt.Sprintf("%s of server %s", c.Tool, c.Server)
	}
	return join(names)
}

func madeNames(calls []selection.MadeCall) string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = madeName(c)
	}
	return join(names)
}

func madeName(c selection.MadeCall) string {
	if c.Unknown != "" {
		return fmt.Sprintf("%q", c.Unknown)
	}
	return fmt.Sprintf("%s of server %s", c.Tool, c.Server)
}

func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
