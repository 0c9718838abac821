package score_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

const orderSchema = `{"type":"object","properties":{
	"to":{"type":"string"},
	"size":{"type":"integer","default":10},
	"tags":{"type":"array","uniqueItems":true,"items":{"type":"string"}},
	"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"count":{"type":"integer","default":1}}}},
	"a/b":{"type":"object","properties":{"x~y":{"type":"number"}}}
}}`

// diffOf compares one call of the right tool, and gives a line for each
// parameter and each change.
func diffOf(t *testing.T, expected, actual string) []string {
	t.Helper()
	c := selection.Case{Query: "order tea for Ada", Expected: []selection.Call{{Server: "shop", Tool: "order", Parameters: json.RawMessage(expected)}}}
	made := []selection.MadeCall{{Server: "shop", Tool: "order", Parameters: json.RawMessage(actual)}}
	tools := []selection.Tool{{Server: "shop", Name: "order", InputSchema: json.RawMessage(orderSchema)}}
	_, judged := score.Match(c, nil, made)
	diffs, err := score.Diff(c, tools, made, judged, nil)
	if err != nil || len(diffs) != 1 {
		t.Fatalf("%d diffs, %v", len(diffs), err)
	}
	lines := []string{}
	for _, p := range diffs[0].Parameters {
		lines = append(lines, fmt.Sprintf("%s %s", p.Name, p.State))
		for _, x := range p.Changes {
			lines = append(lines, fmt.Sprintf("%s %s %s->%s", x.Path, x.State, x.Expected, x.Actual))
		}
	}
	return lines
}

func TestDiff(t *testing.T) {
	for _, test := range []struct {
		name, expected, actual string
		want                   []string
	}{
		{"equal", `{"to":"Ada"}`, `{"to":"ada"}`, []string{"to equal"}},
		{"missing, invented and defaulted", `{"to":"Ada","size":10}`, `{"gift":true}`, []string{"size defaulted", "to missing", "gift invented"}},
		{"a text", `{"to":"Ada"}`, `{"to":"Bob"}`, []string{"to different"}},
		{
			"a list of objects", `{"items":[{"name":"tea","count":1},{"name":"milk","count":2},{"name":"oats"}]}`, `{"items":[{"name":"tea"},{"name":"cream","count":2}]}`,
			[]string{"items different", `/items/1/name different "milk"->"cream"`, `/items/2 missing {"name":"oats"}->`},
		},
		{
			"a set in another order", `{"tags":["a","b","c"]}`, `{"tags":["c","d","a"]}`,
			[]string{"tags different", `/tags/1 missing "b"->`, `/tags/1 additional ->"d"`},
		},
		{
			"names that need escapes", `{"a/b":{"x~y":1}}`, `{"a/b":{"x~y":2,"z":3}}`,
			[]string{"a/b different", `/a~1b/x~0y different 1->2`, `/a~1b/z additional ->3`},
		},
		{"another type", `{"items":[1]}`, `{"items":"1"}`, []string{"items different"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := diffOf(t, test.expected, test.actual); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// The parameters of another tool, of an unknown one and of a call that was not
// expected are shown and not compared.
func TestDiffOfOtherTools(t *testing.T) {
	expected := []selection.Call{{Server: "shop", Tool: "order", Parameters: json.RawMessage(`{"to":"Ada"}`)}}
	for name, made := range map[string][]selection.MadeCall{
		"none":           nil,
		"another":        {{Server: "shop", Tool: "cancel", Parameters: json.RawMessage(`{"to":"Ada"}`)}},
		"another server": {{Server: "store", Tool: "order", Parameters: json.RawMessage(`{"to":"Ada"}`)}},
		"unknown":        {{Unknown: "order", Parameters: json.RawMessage(`{"to":"Ada"}`)}},
	} {
		c := selection.Case{Query: "order", Expected: expected}
		_, judged := score.Match(c, nil, made)
		diffs, err := score.Diff(c, nil, made, judged, nil)
		if err != nil || len(diffs) != 1+len(made) || diffs[0].Expected == nil || diffs[0].Made != nil {
			t.Errorf("%s: %+v, %v", name, diffs, err)
			continue
		}
		for _, d := range diffs {
			if d.Parameters == nil || len(d.Parameters) > 0 {
				t.Errorf("%s: parameters %v, want an empty list", name, d.Parameters)
			}
		}
	}
}

// Positions of a case that has fewer expected calls by now are left out.
func TestDiffOfChangedCase(t *testing.T) {
	diffs, err := score.Diff(selection.Case{}, nil, nil, []selection.JudgedCall{{Expected: 3, Made: -1}}, nil)
	if err != nil || len(diffs) != 0 {
		t.Errorf("%+v, %v", diffs, err)
	}
}
