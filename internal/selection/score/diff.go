package score

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// CallDiff compares one call with the expected one. Expected is nil for a call
// that was not expected, and Made for one that was not made.
type CallDiff struct {
	Expected *selection.Call     `json:"expected,omitempty"`
	Made     *selection.MadeCall `json:"made,omitempty"`
	// Forbidden is the reason why the call makes the run wrong.
	Forbidden selection.ForbiddenBy `json:"forbidden,omitempty"`
	// Parameters are compared if the expected tool was called. Otherwise the
	// list is empty, because the parameters of two tools are not comparable.
	Parameters []ParameterDiff `json:"parameters"`
	// SchemaProblem is the reason why the input schema of the tool cannot be
	// used.
	SchemaProblem string `json:"schema_problem,omitempty"`
}

// ParameterDiff is a parameter with the places at which its value differs.
type ParameterDiff struct {
	Parameter
	// Changes is set if an object or a list is partly right.
	Changes []Change `json:"changes,omitempty"`
}

// Change is one place in a value. Path is a JSON Pointer (RFC 6901) from the
// call's parameters. In a list whose order does not count, it has the index of
// the element in the value that contains it.
type Change struct {
	Path     string          `json:"path"`
	State    ParameterState  `json:"state"` // Different, Missing or Additional
	Expected json.RawMessage `json:"expected,omitempty"`
	Actual   json.RawMessage `json:"actual,omitempty"`
}

// maxChanges bounds the number of changes of one parameter.
const maxChanges = 200

// Diff compares the calls of a run with those that its case expects. judged
// pairs the indexes in c.Expected and made, like Match; an index that
// the case does not have is ignored. tools are the offered tools.
func Diff(c selection.Case, tools []selection.Tool, made []selection.MadeCall,
	judged []selection.JudgedCall, verdicts Verdicts) ([]CallDiff, error) {
	diffs := []CallDiff{}
	for _, j := range judged {
		d := CallDiff{Parameters: []ParameterDiff{}, Forbidden: j.Forbidden}
		if j.Expected >= 0 && j.Expected < len(c.Expected) {
			if choices := c.Expected[j.Expected].Choices(); j.Alternative < len(choices) {
				d.Expected = &choices[j.Alternative]
			}
		}

		if j.Made >= 0 && j.Made < len(made) {
			d.Made = &made[j.Made]
		}

		if d.Expected == nil && d.Made == nil {
			continue
		}

		if err := d.compare(tools, c.Query, verdicts); err != nil {
			return nil, err
		}

		diffs = append(diffs, d)
	}

	return diffs, nil
}

func (d *CallDiff) compare(tools []selection.Tool, query string, verdicts Verdicts) error {
	want, made := d.Expected, d.Made
	if want == nil || made == nil || made.Unknown != "" || made.Server != want.Server || made.Tool != want.Tool {
		return nil
	}

	t, _ := toolOf(tools, want.Server, want.Tool)
	p := Malformed(*want)
	if made.Malformed == "" {
		var err error
		if p, err = ScoreParameters(*want, made.Parameters, t.InputSchema, query, verdicts); err != nil {
			return fmt.Errorf("tool %q of server %q: %w", want.Tool, want.Server, err)
		}
	}

	d.SchemaProblem = p.SchemaProblem
	root := schemaNode(t.InputSchema)
	for _, detail := range p.Details {
		diff := ParameterDiff{Parameter: detail}
		if detail.State == Different && detail.Expected != nil {
			expected, err := decode(detail.Expected)
			if err != nil {
				return err
			}

			actual, err := decode(detail.Actual)
			if err != nil {
				return err
			}

			if composite(expected) && composite(actual) {
				diff.changes(Pointer(detail.Name), expected, actual, root.property(detail.Name))
			}
		}

		d.Parameters = append(d.Parameters, diff)
	}

	return nil
}

func composite(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// changes adds the places at which two values differ, by the rules of
// similarity.
func (d *ParameterDiff) changes(path string, expected, actual any, s node) {
	switch want := expected.(type) {
	case map[string]any:
		if got, ok := actual.(map[string]any); ok {
			d.memberChanges(path, want, got, s)
			return
		}
	case []any:
		got, ok := actual.([]any)
		if ok && s.unique() && max(len(want), len(got)) <= maxSet {
			d.setChanges(path, want, got, s.items())
			return
		}

		if ok {
			d.listChanges(path, want, got, s.items())
			return
		}
	}

	if similarity(expected, actual, s) < 1 {
		d.add(Change{Path: path, State: Different, Expected: encode(expected), Actual: encode(actual)})
	}
}

func (d *ParameterDiff) memberChanges(path string, want, got map[string]any, s node) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		member := s.property(name)
		if v, ok := got[name]; ok {
			d.changes(jsonpointer.Join(path, name), want[name], v, member)
		} else if v, ok := member.defaultValue(); !ok || similarity(want[name], v, member) < 1 {
			d.add(Change{Path: jsonpointer.Join(path, name), State: Missing, Expected: encode(want[name])})
		}
	}

	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			d.add(Change{Path: jsonpointer.Join(path, name), State: Additional, Actual: encode(got[name])})
		}
	}
}

func (d *ParameterDiff) listChanges(path string, want, got []any, items node) {
	for i := range max(len(want), len(got)) {
		at := jsonpointer.Join(path, strconv.Itoa(i))
		switch {
		case i >= len(got):
			d.add(Change{Path: at, State: Missing, Expected: encode(want[i])})
		case i >= len(want):
			d.add(Change{Path: at, State: Additional, Actual: encode(got[i])})
		default:
			d.changes(at, want[i], got[i], items)
		}
	}
}

// setChanges adds the elements without an equal partner.
func (d *ParameterDiff) setChanges(path string, want, got []any, items node) {
	taken := make([]bool, len(got))
	for i, w := range want {
		partner := -1
		for j := range got {
			if !taken[j] && similarity(w, got[j], items) == 1 {
				partner = j
				break
			}
		}

		if partner < 0 {
			d.add(Change{Path: jsonpointer.Join(path, strconv.Itoa(i)), State: Missing, Expected: encode(w)})
			continue
		}

		taken[partner] = true
	}

	for j, g := range got {
		if !taken[j] {
			d.add(Change{Path: jsonpointer.Join(path, strconv.Itoa(j)), State: Additional, Actual: encode(g)})
		}
	}
}

func (d *ParameterDiff) add(c Change) {
	if len(d.Changes) < maxChanges {
		d.Changes = append(d.Changes, c)
	}
}

// Pointer returns the JSON Pointer of a parameter.
func Pointer(name string) string { return jsonpointer.Join("", name) }
