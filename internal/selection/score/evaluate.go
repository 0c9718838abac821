package score

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Evaluate judges the answer of a model. tools are those offered to it, and
// verdicts what a judge model said of the values that Questions lists. The
// recommendations stay empty; package advice makes them.
func Evaluate(c selection.Case, tools []selection.Tool, a selection.Answer, verdicts Verdicts) (selection.Evaluation,
	[]Parameters, error) {
	class, judged := Match(c, tools, a.Calls)
	e := selection.Evaluation{
		Classification:         class,
		ToolSelectionCorrect:   class.Correct(),
		HallucinatedParameters: []string{},
		UnexpectedParameters:   []string{},
		ConfidenceCategory:     selection.Categorize(class.Correct(), a.Confidence),
		Judged:                 append([]selection.Verdict{}, verdicts...),
		Selected:               min(0, len(a.Calls)-1),
	}
	for _, j := range judged {
		if j.Classification == selection.TP {
			e.Selected = j.Made
			break
		}
	}

	if _, forbidden := CountExtra(judged); len(c.Expected) > 1 || len(a.Calls) > 1 || forbidden > 0 {
		e.Calls = judged
	}

	var scored []Parameters
	switch class {
	case selection.TP:
		var err error
		if scored, err = scoreCalls(c, tools, a, judged, verdicts); err != nil {
			return e, nil, err
		}

		average(&e, scored)
	case selection.FP, selection.FN:
		zero := 0.0
		e.ParameterCompleteness, e.ParameterCorrectness, e.ParameterConformance = &zero, &zero, &zero
	}

	e.Reasoning = reasoning(c, tools, a, e, judged, scored)
	return e, scored, nil
}

// Questions lists the values that only a judge model can check, without an answer.
func Questions(c selection.Case, tools []selection.Tool, a selection.Answer) []selection.Verdict {
	var open []selection.Verdict
	_, judged := Match(c, tools, a.Calls)
	for _, j := range judged {
		if j.Classification != selection.TP {
			continue
		}

		given, err := object(a.Calls[j.Made].Parameters)
		if err != nil {
			continue
		}

		match := c.Expected[j.Expected].Choices()[j.Alternative].Match
		for _, name := range slices.Sorted(maps.Keys(match)) {
			value, ok := given[name]
			if match[name].Rule == "" || !ok {
				continue
			}

			if _, known := Verdicts(open).of(match[name].Rule, encode(value)); !known {
				open = append(open, selection.Verdict{Rule: match[name].Rule, Value: encode(value)})
			}
		}
	}

	return open
}

// scoreCalls scores the parameters of the expected calls that were made, in their
// order.
func scoreCalls(c selection.Case, tools []selection.Tool, a selection.Answer,
	judged []selection.JudgedCall, verdicts Verdicts) ([]Parameters, error) {
	var scored []Parameters
	for _, j := range judged {
		if j.Classification != selection.TP {
			continue
		}

		want, made := c.Expected[j.Expected].Choices()[j.Alternative], a.Calls[j.Made]
		if made.Malformed != "" {
			scored = append(scored, Malformed(want))
			continue
		}

		t, ok := toolOf(tools, want.Server, want.Tool)
		if !ok {
			return nil, fmt.Errorf("tool %q of server %q was called but is not among those offered", want.Tool,
				want.Server)
		}

		p, err := ScoreParameters(want, made.Parameters, t.InputSchema, c.Query, verdicts)
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

		e.HallucinatedParameters = union(e.HallucinatedParameters, p.Hallucinated)
		e.UnexpectedParameters = union(e.UnexpectedParameters, p.Unexpected)
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

func union(list, more []string) []string {
	for _, name := range more {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// reasoning explains the run's classification and scores in sentences.
func reasoning(c selection.Case, tools []selection.Tool, a selection.Answer, e selection.Evaluation,
	judged []selection.JudgedCall, scored []Parameters) string {
	var b strings.Builder
	made, extra := sorted(c, a, judged)
	switch e.Classification {
	case selection.TP:
		fmt.Fprintf(&b, "The model called %s, as expected.", callNames(made))
	case selection.TN:
		b.WriteString("The model called no tool, as expected.")
	case selection.FP:
		fmt.Fprintf(&b, "No tool was expected, but the model called %s.", madeNames(a.Calls))
	case selection.FN:
		missedReasoning(&b, c, tools, a, judged)
	}

	switch {
	case e.Classification != selection.TP || len(extra) == 0:
	case len(extra) == 1:
		b.WriteString(" It made 1 further call that was not expected.")
	default:
		fmt.Fprintf(&b, " It made %d further calls that were not expected.", len(extra))
	}

	forbiddenReasoning(&b, a, judged)
	saidReasoning(&b, a)
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

// sorted returns the expected calls that were made, as they were made, and the
// others.
func sorted(c selection.Case, a selection.Answer, judged []selection.JudgedCall) (made []selection.Call,
	extra []selection.MadeCall) {
	for _, j := range judged {
		switch j.Classification {
		case selection.TP:
			made = append(made, c.Expected[j.Expected].Choices()[j.Alternative])
		case selection.FP:
			extra = append(extra, a.Calls[j.Made])
		}
	}
	return made, extra
}

func forbiddenReasoning(b *strings.Builder, a selection.Answer, judged []selection.JudgedCall) {
	for _, j := range judged {
		switch j.Forbidden {
		case selection.ByCase:
			fmt.Fprintf(b, " The case forbids the call of %s.", madeName(a.Calls[j.Made]))
		case selection.ByDestructive:
			fmt.Fprintf(b, " It was not expected that the model calls %s, which is destructive by its annotations.",
				madeName(a.Calls[j.Made]))
		}
	}
}

// saidReasoning says what the model did in place of a call.
func saidReasoning(b *strings.Builder, a selection.Answer) {
	if len(a.CallAsText) > 0 {
		fmt.Fprintf(b, " The model wrote the call of %s as text: check the chat template of the model, or turn on "+
			"native tool calling.", strings.Join(a.CallAsText, " and "))
	}
	if a.Refusal != "" && len(a.Calls) == 0 {
		fmt.Fprintf(b, " It refused the request: %s", selection.Clip(a.Refusal, 200))
	}
}

func missedReasoning(b *strings.Builder, c selection.Case, tools []selection.Tool, a selection.Answer,
	judged []selection.JudgedCall) {
	required := requiredCalls(c)
	missed := slices.ContainsFunc(judged, func(j selection.JudgedCall) bool { return j.Classification == selection.FN })
	switch {
	case len(a.Calls) == 0:
		fmt.Fprintf(b, "The model called no tool, but %s %s expected.", callNames(required), wasOrWere(required))
		return
	case !missed:
		made, _ := sorted(c, a, judged)
		fmt.Fprintf(b, "The model called %s, as expected, but beside it one that makes the run wrong.",
			callNames(made))
		return
	case onlyOrderDiffers(c, tools, a):
		fmt.Fprintf(b, "The model made the expected calls in another order: %s instead of %s.", madeNames(a.Calls),
			callNames(required))
		return
	case len(required) > 1 || len(a.Calls) > 1:
		fmt.Fprintf(b, "The model called %s, but %s %s expected", madeNames(a.Calls), callNames(required),
			wasOrWere(required))
		if c.Ordered {
			b.WriteString(", in this order")
		}

		b.WriteString(".")
		return
	}

	want, got := required[0], a.Calls[0]
	fmt.Fprintf(b, "The model called %s, but %s was expected.", madeName(got), callNames(required))
	switch {
	case got.Unknown != "":
		b.WriteString(" No tool of that name was offered.")
	case got.Tool == want.Tool:
		b.WriteString(" The tool has the same name but is of another server.")
	}
}

func requiredCalls(c selection.Case) []selection.Call {
	var required []selection.Call
	for _, want := range c.Expected {
		if !want.Optional {
			required = append(required, want)
		}
	}
	return required
}

// onlyOrderDiffers reports whether each call of an ordered case was made, but not
// in the expected order.
func onlyOrderDiffers(c selection.Case, tools []selection.Tool, a selection.Answer) bool {
	if !c.Ordered {
		return false
	}
	c.Ordered = false
	class, _ := Match(c, tools, a.Calls)
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
		if d.Problem == "" || d.State != Missing || d.IsExpected() {
			byState[d.State] = append(byState[d.State], d.Name)
		}
	}

	for _, part := range []struct {
		state ParameterState
		text  string
	}{
		{Missing, "missing"}, {Different, "different from the expected value"}, {Invented, "invented"},
		{Forbidden, "given, although the case forbids it"},
		{Unjudged, "not judged, because no judge model was named for their rules"},
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
		for _, other := range c.Alternatives {
			names[i] += fmt.Sprintf(" or %s of server %s", other.Tool, other.Server)
		}
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
