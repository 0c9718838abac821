package score

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// ParameterState is the result for one parameter.
type ParameterState string

const (
	Equal      ParameterState = "equal"
	Defaulted  ParameterState = "defaulted" // left out, and the schema's default equals the expected value
	Different  ParameterState = "different"
	Missing    ParameterState = "missing"
	Additional ParameterState = "additional" // not expected, and the case does not forbid it
	Invented   ParameterState = "invented"   // not expected, and hallucinated
	Forbidden  ParameterState = "forbidden"  // given, although the case forbids it
	Unjudged   ParameterState = "unjudged"   // given, under a rule that no judge model checked
)

// Parameter is one parameter that was expected or given.
type Parameter struct {
	Name     string          `json:"name"`
	State    ParameterState  `json:"state"`
	Expected json.RawMessage `json:"expected,omitempty"`
	// Match is the case's rule, if it is another one than a right value.
	Match  *selection.Matcher `json:"match,omitempty"`
	Actual json.RawMessage    `json:"actual,omitempty"`
	// JudgedBy is the model that judged the value, and Judgement its reason.
	JudgedBy  string `json:"judged_by,omitempty"`
	Judgement string `json:"judgement,omitempty"`
	// Score is 0 to 1: how much of the expected value was given.
	Score float64 `json:"score"`
	// Problem describes how the value violates the input schema.
	Problem string `json:"problem,omitempty"`
}

// IsExpected reports whether the case has a value or a rule for the parameter.
func (p Parameter) IsExpected() bool { return p.Expected != nil || p.Match != nil }

// Parameters are the scores of one call of the right tool, each 0 to 1.
type Parameters struct {
	// Completeness is the share of expected parameters that were given, or left
	// out if the schema's default is right. It is 1 if none is expected.
	Completeness float64 `json:"completeness"`
	// Correctness is the mean of the expected parameters' scores: 1 for a right
	// value, less for a list or an object that is partly right, 0 for a missing
	// one. A given parameter that the case forbids counts as one more with 0, and
	// one that was not judged does not count. It is 1 if none is expected.
	Correctness float64 `json:"correctness"`
	// Conformance is the share of given and required parameters without a
	// problem under the input schema. It is 0 if the call as a whole violates
	// the schema, and nil if the schema itself is invalid.
	Conformance *float64 `json:"type_conformance"`
	// Hallucinated names the parameters that the model invented, sorted by
	// name. A parameter that the case does not expect is invented if
	//
	//   - the input schema has properties and not this one, or
	//   - its value is neither the schema's default nor in the query. If the
	//     case does not specify the right parameters, those that the schema
	//     requires are exempt, because the model had to fill them in.
	Hallucinated []string `json:"hallucinated_parameters"`
	// Unexpected names the given parameters that the case does not name, sorted by
	// name, if it says which are right: declared ones and invented ones.
	Unexpected []string    `json:"unexpected_parameters"`
	Details    []Parameter `json:"parameters"`
	// Malformed is set if the parameters were not a JSON object.
	Malformed bool `json:"malformed,omitempty"`
	// SchemaProblem is the reason why the input schema cannot be used.
	SchemaProblem string `json:"schema_problem,omitempty"`
}

// ScoreParameters compares the parameters of a call of the right tool with those
// that the case expects. verdicts are those of a judge model on described rules.
func ScoreParameters(want selection.Call, actual, schema json.RawMessage, query string, verdicts Verdicts) (Parameters,
	error) {
	p, err := argumentsOf(want, actual, schema, query, verdicts)
	if err != nil {
		return p, err
	}

	got, err := object(actual)
	if err != nil {
		return p, err
	}

	p.conform(schema, got, schemaNode(schema))
	return p, nil
}

// CheckParameters compares parameters with themselves, for the problems that they
// have under the input schema.
func CheckParameters(parameters, schema json.RawMessage, query string) (Parameters, error) {
	return ScoreParameters(selection.Call{Parameters: parameters}, parameters, schema, query, nil)
}

// CheckCall checks the rules of an expected call. call is one, or a value that is
// one as JSON.
func CheckCall(call any) error {
	raw, err := json.Marshal(call)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var c selection.Call
	if err := d.Decode(&c); err != nil {
		return err
	}
	return c.Check()
}

func schemaNode(schema json.RawMessage) node {
	tree, err := decode(schema)
	if err != nil {
		return node{}
	}
	return newNode(tree)
}

// argumentsOf is ScoreParameters without the check of the input schema.
func argumentsOf(want selection.Call, actual, schema json.RawMessage, query string, verdicts Verdicts) (Parameters,
	error) {
	rules, err := rulesOf(want)
	if err != nil {
		return Parameters{}, fmt.Errorf("the expected parameters: %w", err)
	}

	got, err := object(actual)
	if err != nil {
		return Parameters{}, fmt.Errorf("the parameters of the call: %w", err)
	}

	p := Parameters{Hallucinated: []string{}, Unexpected: []string{}, Details: []Parameter{}}
	s := schemaNode(schema)
	var sum sums
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		value, given := got[name]
		p.Details = append(p.Details, sum.expected(name, rules[name], value, given, s.property(name), verdicts)...)
	}

	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := rules[name]; ok {
			continue
		}

		d := Parameter{Name: name, State: Additional, Actual: encode(got[name])}
		exempt := !want.Specified() && s.requires(name)
		if invented(name, got[name], s, query) && !exempt {
			d.State = Invented
			p.Hallucinated = append(p.Hallucinated, name)
		}

		if want.Specified() {
			p.Unexpected = append(p.Unexpected, name)
		}

		if want.OtherParameters == selection.OthersForbidden {
			d.State = Forbidden
			sum.judged++
		}

		p.Details = append(p.Details, d)
	}

	p.Completeness, p.Correctness = sum.completeness(), sum.correctness()
	return p, nil
}

// sums count the parameters of one call.
type sums struct {
	asked, given int // parameters that have to be given, and those that are
	judged       int
	score        float64
}

func (s sums) completeness() float64 { return ratio(float64(s.given), s.asked) }

func (s sums) correctness() float64 { return ratio(s.score, s.judged) }

func ratio(v float64, of int) float64 {
	if of == 0 {
		return 1
	}
	return v / float64(of)
}

// expected judges one parameter that the case has a rule for. It returns nothing
// for one that is rightly absent.
func (s *sums) expected(name string, m selection.Matcher, value any, given bool, member node,
	verdicts Verdicts) []Parameter {
	d := Parameter{Name: name, State: Missing, Expected: m.Equal}
	if m.Kind() != "equal" {
		d.Match = &m
	}

	if given {
		d.Actual = encode(value)
	}

	if m.Absent {
		s.judged++
		if d.State = Forbidden; given {
			return []Parameter{d}
		}

		s.score++
		return nil
	}

	s.asked++
	switch {
	case given:
		s.given++
		d.judge(m, value, member, verdicts)
	case m.Kind() != "any" && m.Kind() != "rule":
		if v, ok := member.defaultValue(); ok && satisfied(m, v, member) == 1 {
			s.given++
			d.State, d.Score = Defaulted, 1
		}
	}

	if d.State != Unjudged {
		s.judged++
		s.score += d.Score
	}

	return []Parameter{d}
}

func (p *Parameter) judge(m selection.Matcher, value any, member node, verdicts Verdicts) {
	switch m.Kind() {
	case "any":
		p.Score = 1
	case "rule":
		v, ok := verdicts.of(m.Rule, p.Actual)
		if !ok {
			p.State = Unjudged
			return
		}

		p.Score, p.JudgedBy, p.Judgement = truth(v.Holds), v.By, v.Why
	default:
		p.Score = satisfied(m, value, member)
	}

	if p.State = Different; p.Score == 1 {
		p.State = Equal
	}
}

// invented reports whether an unexpected parameter has no source.
func invented(name string, value any, s node, query string) bool {
	if declared, some := s.declares(name); some && !declared {
		return true
	}
	if v, ok := s.property(name).defaultValue(); ok && similarity(v, value, s.property(name)) == 1 {
		return false
	}
	return !grounded(value, folded(query))
}

// grounded reports whether a value is in the query: its words, its number, or all
// of its elements. Booleans, null and empty values always count as grounded.
func grounded(value any, query string) bool {
	switch v := value.(type) {
	case json.Number:
		return hasWord(query, v.String())
	case string:
		text := strings.Trim(folded(v), " .,;:!?\"'")
		return text == "" || hasWord(query, text)
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !grounded(e, query) })
	case map[string]any:
		for _, e := range v {
			if !grounded(e, query) {
				return false
			}
		}
	}

	return true
}

func object(raw json.RawMessage) (map[string]any, error) {
	if len(raw) == 0 {
		return nil, nil
	}

	v, err := decode(raw)
	if err != nil {
		return nil, err
	}

	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("they are not a JSON object")
	}

	return m, nil
}

// encode returns a decoded value as JSON, with the members of objects sorted.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // decoded JSON can always be encoded
		panic(err)
	}
	return b
}

// Malformed returns the scores of a call of the right tool whose parameters
// cannot be parsed.
func Malformed(want selection.Call) Parameters {
	zero := 0.0
	p := Parameters{Conformance: &zero, Hallucinated: []string{}, Unexpected: []string{}, Details: []Parameter{},
		Malformed: true}
	rules, err := rulesOf(want)
	if err != nil {
		return p
	}

	for _, name := range slices.Sorted(maps.Keys(rules)) {
		m := rules[name]
		d := Parameter{Name: name, State: Missing, Expected: m.Equal}
		if m.Kind() != "equal" {
			d.Match = &m
		}

		p.Details = append(p.Details, d)
	}

	return p
}
