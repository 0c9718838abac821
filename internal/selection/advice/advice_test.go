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
	tool("a", "Search", "Search the archive, if asked for it", `{}`),
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
		{"the same name", "predict the rain", expect("a", "forecast", ""), []selection.MadeCall{call("b", "forecast", `{}`)}, 0.9, "same_name", "forecast", "high", "b:forecast has the same name", "b:forecast"},
		{"without confidence", "predict the rain", expect("a", "forecast", ""), []selection.MadeCall{call("b", "forecast", `{}`)}, 0.2, "same_name", "forecast", "medium", "", ""},
		{"nothing of when to use it", "sales", expect("b", "forecast", ""), []selection.MadeCall{call("a", "search", `{}`)}, 0.9, "no_when_to_use", "forecast", "high", "was expected and not called: its description does not say when to use it", ""},
		{"none was called, undescribed", "umbrella?", expect("a", "mute", ""), nil, 0.9, "undescribed", "mute", "high", "has no description", ""},
		{"one that is not offered", "rain", expect("a", "forecast", ""), []selection.MadeCall{{Unknown: "get_rain"}}, 0.9, "unknown_tool", "", "high", `"get_rain"`, "get_rain"},
		{"not wanted", "write a poem", nil, []selection.MadeCall{call("a", "Search", `{}`)}, 0.9, "same_verb_and_object", "Search", "high", "was called and not expected: a:search has a name of the same words", "a:search"},
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

// No word of a query is ever advised to be added to a description.
func TestNoTextIsProposed(t *testing.T) {
	c := selection.Case{Query: "Order 40 pizzas", Expected: []selection.Call{{Server: "a", Tool: "forecast"}}}
	for _, calls := range [][]selection.MadeCall{nil, {{Server: "a", Tool: "search"}}} {
		for _, r := range advise(t, c, 0.9, calls...) {
			if strings.Contains(r.Text, "40") || strings.Contains(r.Text, "pizza") {
				t.Errorf("%+v", r)
			}
		}
	}
}

// A call as text and a refusal are not cured by descriptions.
func TestNoAdviceAboutDescriptionsOfOtherFaults(t *testing.T) {
	c := selection.Case{Query: "rain", Expected: []selection.Call{{Server: "b", Tool: "forecast"}}}
	for want, said := range map[string]selection.Said{
		"call_as_text": {Text: "{}", CallAsText: []string{"b:forecast"}}, "": {Refusal: "I cannot help with that."},
	} {
		a := selection.Answer{Said: said}
		e, scored, err := score.Evaluate(c, tools, a, nil)
		if err != nil || e.Classification != selection.FN {
			t.Fatal(e, err)
		}
		var kinds []string
		for _, r := range Recommend(c, tools, a, e, scored) {
			kinds = append(kinds, r.Kind)
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("%+v: got %q", said, got)
		}
	}
}

func TestCheck(t *testing.T) {
	kinds := func(f ToolFindings) string {
		var list []string
		for _, x := range f.Findings {
			list = append(list, string(x.Kind))
		}
		return strings.Join(list, " ")
	}
	const whole = `{"type":"object","properties":{"city":{"type":"string","description":"the name"}}}`
	all := []selection.Tool{
		tool("s", "get_weather", "Get the forecast of a city. Use it when the user asks for rain.", whole),
		tool("s", "do", "", `{"properties":{"x":{},"y":{"type":"string"}}}`),
		tool("s", "weather_get", "Read the weather, if nothing else has it.", `{"type":"nonsense"}`),
		tool("o", "do", "Read the weather, if nothing else has it.", `{}`),
		tool("o", "plain", "Does stuff.", `{}`),
	}
	for i, want := range []string{
		"same_verb_and_object", "undescribed same_name undescribed_parameters untyped_parameters",
		"shared_description same_verb_and_object unusable_schema", "shared_description same_name", "no_when_to_use",
	} {
		if got := kinds(Check(all[i:i+1], all)[0]); got != want {
			t.Errorf("%s: got %q, want %q", all[i].Name, got, want)
		}
	}
	one := 1.0
	checked := Check(all[:1], all)
	SetWrong(checked, []score.Observation{
		{Case: "right", Tools: []string{"s:get_weather"}, Classification: selection.TP, Confidence: &one},
		{Case: "missed", Tools: []string{"s:get_weather"}, Selects: "o:do", Classification: selection.FN},
		{Case: "taken", Tools: []string{"o:do"}, Selects: "s:get_weather", Classification: selection.FN},
		{Case: "taken", Tools: []string{"o:do"}, Selects: "s:get_weather", Classification: selection.FN},
		{Case: "failed", Tools: []string{"s:get_weather"}, Failed: true},
		{Case: "another", Tools: []string{"o:do"}, Selects: "o:plain", Classification: selection.FN},
	})
	if got := strings.Join(checked[0].Wrong, " "); got != "missed taken" {
		t.Errorf("got %q", got)
	}
}
