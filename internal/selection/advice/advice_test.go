package advice

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

func tool(server, name, description, schema string) selection.Tool {
	return selection.Tool{Server: server, Name: name, Description: description, InputSchema: json.RawMessage(schema)}
}

const citySchema = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","description":"how many days"}},"required":["city"]}`

var tools = []selection.Tool{
	tool("a", "forecast", "Predict temperature and rain for a place", citySchema),
	tool("a", "search", "Search the web. Finds the weather, news and pages for any city.", `{}`),
	tool("b", "forecast", "Predict sales", `{}`),
	tool("a", "mute", "", `{}`),
	tool("a", "broken", "Break things to see what happens", `{"type":17}`),
}

func advise(t *testing.T, c selection.Case, confidence float64, calls ...selection.MadeCall) []selection.Recommendation {
	t.Helper()
	a := selection.Answer{Calls: calls, Confidence: &confidence}
	e, scored, err := score.Evaluate(c, tools, a, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := Recommend(c, tools, a, e, scored)
	if again := Recommend(c, tools, a, e, scored); !reflect.DeepEqual(got, again) {
		t.Error("the same run gets other advice")
	}
	return got
}

func TestRecommend(t *testing.T) {
	expect := func(server, name, params string) []selection.Call {
		return []selection.Call{{Server: server, Tool: name, Parameters: json.RawMessage(params)}}
	}
	call := func(server, name, params string) selection.MadeCall {
		return selection.MadeCall{Server: server, Tool: name, Parameters: json.RawMessage(params)}
	}
	for _, tc := range []struct {
		name       string
		query      string
		expected   []selection.Call
		calls      []selection.MadeCall
		confidence float64
		kind, tool string
		priority   string
		text       string
		evidence   string
	}{
		{"another tool was called because of its words", "What is the weather in my city?", expect("a", "forecast", ""), []selection.MadeCall{call("a", "search", `{}`)}, 0.9, "misleading_words", "search", "high", `because of its words "weather"`, "Finds the weather, news and pages for any city"},
		{"another tool was called without confidence", "What is the weather?", expect("a", "forecast", ""), []selection.MadeCall{call("a", "search", `{}`)}, 0.2, "misleading_words", "search", "medium", "", ""},
		{"the same name", "predict the rain", expect("a", "forecast", ""), []selection.MadeCall{call("b", "forecast", `{}`)}, 0.9, "same_name", "forecast", "high", "Servers a and b both have a tool forecast", "b:forecast"},
		{"overlap", "predict temperature", expect("a", "forecast", ""), []selection.MadeCall{call("b", "forecast", `{}`)}, 0.9, "overlap", "forecast", "high", `words "predict"`, ""},
		{"none was called", "umbrella tomorrow?", expect("a", "forecast", ""), nil, 0.9, "not_called", "forecast", "high", `"umbrella", "tomorrow"`, "umbrella"},
		{"none was called, undescribed", "umbrella?", expect("a", "mute", ""), nil, 0.9, "undescribed", "mute", "high", "has no description", ""},
		{"one that is not offered", "rain", expect("a", "forecast", ""), []selection.MadeCall{{Unknown: "get_rain"}}, 0.9, "unknown_tool", "forecast", "high", `"get_rain"`, "get_rain"},
		{"not wanted", "write a poem about the weather", nil, []selection.MadeCall{call("a", "search", `{}`)}, 0.9, "too_broad", "search", "high", `"weather"`, "Finds the weather"},
		{"not wanted, without a word", "sing", nil, []selection.MadeCall{call("a", "search", `{}`)}, 0.9, "too_broad", "search", "high", "shares no word", ""},
		{"unclear", "rain", expect("a", "forecast", ""), []selection.MadeCall{call("a", "forecast", `{"city":"x"}`)}, 0.3, "unclear", "forecast", "low", "The most similar tool is", ""},
		{"an undescribed parameter", "rain in Paris", expect("a", "forecast", `{"city":"Paris"}`), []selection.MadeCall{call("a", "forecast", `{"city":"Rome"}`)}, 0.9, "parameter_undescribed", "forecast", "high", "The parameter city of forecast is different", `given "Rome"`},
		{"a missing parameter", "rain in Paris", expect("a", "forecast", `{"city":"Paris","days":3}`), []selection.MadeCall{call("a", "forecast", `{"city":"Paris"}`)}, 0.9, "parameter_missing", "forecast", "medium", "optional parameter days", "expected 3"},
		{"a parameter of the wrong type", "rain in Paris", expect("a", "forecast", `{"city":"Paris","days":3}`), []selection.MadeCall{call("a", "forecast", `{"city":"Paris","days":"3"}`)}, 0.9, "parameter_type", "forecast", "medium", "violates the input schema", ""},
		{"an invented parameter", "rain in Paris", expect("a", "forecast", `{"city":"Paris"}`), []selection.MadeCall{call("a", "forecast", `{"city":"Paris","mood":"x"}`)}, 0.9, "invented_parameter", "forecast", "medium", "additionalProperties to false", ""},
		{"a parameter that is not declared", "rain in Paris", expect("a", "forecast", `{"town":"Paris"}`), []selection.MadeCall{call("a", "forecast", `{"city":"Paris"}`)}, 0.9, "parameter_undeclared", "forecast", "high", "does not have it", ""},
		{"a schema that is none", "break", expect("a", "broken", `{}`), []selection.MadeCall{call("a", "broken", `{}`)}, 0.9, "schema", "broken", "high", "cannot be used", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := advise(t, selection.Case{Query: tc.query, Expected: tc.expected}, tc.confidence, tc.calls...)
			for _, r := range got {
				if r.Kind == tc.kind && r.Tool == tc.tool {
					if r.Priority != tc.priority || !strings.Contains(r.Text, tc.text) || !strings.Contains(strings.Join(r.Evidence, "|"), tc.evidence) || r.FromModel {
						t.Errorf("got %+v", r)
					}
					return
				}
			}
			t.Errorf("not among %+v", got)
		})
	}
	if got := advise(t, selection.Case{Query: "rain in Paris", Expected: expect("a", "forecast", `{"city":"Paris"}`)}, 0.9, call("a", "forecast", `{"city":"Paris"}`)); len(got) != 0 {
		t.Errorf("a faultless run gets %+v", got)
	}
	if got := advise(t, selection.Case{Query: "poem"}, 0.9); len(got) != 0 {
		t.Errorf("a faultless run gets %+v", got)
	}
}

func TestQuality(t *testing.T) {
	good := tool("s", "get_weather", "Get the weather forecast of a city. Use it when the user asks for rain or temperature. Returns a list of days.",
		`{"type":"object","properties":{"city":{"type":"string","description":"the city's name"}}}`)
	poor := tool("s", "do", "", `{"properties":{"x":{},"y":{"type":"string"}}}`)
	bad := tool("s", "bad_schema", "Bad schema", `{"type":"nonsense"}`)
	long := tool("s", "long", strings.Repeat("This tool does something useful to texts. ", 40), `{}`)
	twin := tool("s", "twin", good.Description, `{}`)
	q := Quality("s", []selection.Tool{good, poor, bad, long, twin})
	byName := map[string]ToolQuality{}
	for _, rated := range q.Tools {
		byName[rated.Tool] = rated
		for _, v := range []float64{rated.Clarity, rated.Completeness, rated.Conciseness, rated.SchemaCoverage, rated.Overall} {
			if v < 0 || v > 10 {
				t.Errorf("%+v", rated)
			}
		}
	}
	if g := byName["get_weather"]; g.Completeness != 10 || g.Conciseness != 10 || g.SchemaCoverage != 10 || g.Clarity != 5 {
		t.Errorf("%+v", g)
	}
	if p := byName["do"]; p.Clarity != 0 || p.SchemaCoverage != 2.5 || p.Completeness != 0 {
		t.Errorf("%+v", p)
	}
	if b := byName["bad_schema"]; b.SchemaCoverage != 0 || b.Completeness > 5 {
		t.Errorf("%+v", b)
	}
	if l := byName["long"]; l.Conciseness > 5 {
		t.Errorf("%+v", l)
	}
	if q.Overall == nil || *q.Overall <= *q.SchemaCoverage/10 {
		t.Errorf("%+v", q)
	}
	if alone := Quality("s", []selection.Tool{good}); alone.Tools[0].Clarity != 10 || len(alone.Tools[0].Reasons) != 0 {
		t.Errorf("%+v", alone)
	}
	if empty := Quality("s", nil); empty.Overall != nil || len(empty.Tools) != 0 {
		t.Errorf("%+v", empty)
	}
}

func FuzzQuality(f *testing.F) {
	f.Add("x", "Do. Do. \xff", `{"properties":{"a":true,"b":{"type":["string"],"description":7}},"required":[1]}`)
	f.Fuzz(func(t *testing.T, name, description, schema string) {
		q := Quality("s", []selection.Tool{tool("s", name, description, schema)})
		if v := q.Tools[0].Overall; !(v >= 0 && v <= 10) {
			t.Errorf("%+v", q)
		}
	})
}
