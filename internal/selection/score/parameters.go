package score

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ParameterState is the result for one parameter.
type ParameterState string

const (
	Equal      ParameterState = "equal"
	Defaulted  ParameterState = "defaulted" // left out, and the schema's default equals the expected value
	Different  ParameterState = "different"
	Missing    ParameterState = "missing"
	Additional ParameterState = "additional" // not expected, but harmless
	Invented   ParameterState = "invented"   // not expected, and hallucinated
)

// Parameter is one parameter that was expected or given.
type Parameter struct {
	Name     string          `json:"name"`
	State    ParameterState  `json:"state"`
	Expected json.RawMessage `json:"expected,omitempty"`
	Actual   json.RawMessage `json:"actual,omitempty"`
	// Score is 0 to 1: how much of the expected value was given.
	Score float64 `json:"score"`
	// Problem describes how the value violates the input schema.
	Problem string `json:"problem,omitempty"`
}

// Parameters are the scores of one call of the right tool, each 0 to 1.
type Parameters struct {
	// Completeness is the share of expected parameters that were given, or left
	// out if the schema's default equals the expected value. It is 1 if none is
	// expected.
	Completeness float64 `json:"completeness"`
	// Correctness is the mean of the expected parameters' scores: 1 for an
	// equal value, less for a list or an object that is partly right, 0 for a
	// missing one. It is 1 if none is expected.
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
	Hallucinated []string    `json:"hallucinated_parameters"`
	Details      []Parameter `json:"parameters"`
	// Malformed is set if the parameters were not a JSON object.
	Malformed bool `json:"malformed,omitempty"`
	// SchemaProblem is the reason why the input schema cannot be used.
	SchemaProblem string `json:"schema_problem,omitempty"`
}

// ScoreParameters compares the parameters of a call of the right tool. expected
// is nil if the case does not specify the right ones.
func ScoreParameters(expected, actual, schema json.RawMessage, query string) (Parameters, error) {
	want, err := object(expected)
	if err != nil {
		return Parameters{}, fmt.Errorf("the expected parameters: %w", err)
	}

	got, err := object(actual)
	if err != nil {
		return Parameters{}, fmt.Errorf("the parameters of the call: %w", err)
	}

	p := Parameters{Completeness: 1, Correctness: 1, Hallucinated: []string{}, Details: []Parameter{}}
	var s node
	if tree, err := decode(schema); err == nil {
		s = newNode(tree)
	}

	p.scoreExpected(want, got, s)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; ok {
			continue
		}

		d := Parameter{Name: name, State: Additional, Actual: encode(got[name])}
		exempt := len(expected) == 0 && s.requires(name)
		if invented(name, got[name], s, query) && !exempt {
			d.State = Invented
			p.Hallucinated = append(p.Hallucinated, name)
		}

		p.Details = append(p.Details, d)
	}

	p.conform(schema, got, s)
	return p, nil
}

func (p *Parameters) scoreExpected(want, got map[string]any, s node) {
	if len(want) == 0 {
		return
	}

	given, sum := 0, 0.0
	for _, name := range slices.Sorted(maps.Keys(want)) {
		d := Parameter{Name: name, State: Missing, Expected: encode(want[name])}
		member := s.property(name)
		if v, ok := got[name]; ok {
			d.Actual = encode(v)
			d.Score = similarity(want[name], v, member)
			d.State = Different
			if d.Score == 1 {
				d.State = Equal
			}
		} else if v, ok := member.defaultValue(); ok && similarity(want[name], v, member) == 1 {
			d.State, d.Score = Defaulted, 1
		}

		if d.State != Missing {
			given++
		}

		sum += d.Score
		p.Details = append(p.Details, d)
	}

	p.Completeness = float64(given) / float64(len(want))
	p.Correctness = sum / float64(len(want))
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
func Malformed(expected json.RawMessage) Parameters {
	zero := 0.0
	p := Parameters{Conformance: &zero, Hallucinated: []string{}, Details: []Parameter{}, Malformed: true}
	want, err := object(expected)
	if err != nil {
		return p
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		p.Details = append(p.Details, Parameter{Name: name, State: Missing, Expected: encode(want[name])})
	}
	return p
}
