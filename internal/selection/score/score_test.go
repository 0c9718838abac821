package score

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

func TestSimilarity(t *testing.T) {
	const set, date, enum = `{"uniqueItems":true}`, `{"format":"date"}`, `{"enum":["A b"]}`
	for _, tc := range []struct {
		expected, actual, schema string
		want                     float64
	}{
		{`1`, `1.0`, `{}`, 1}, {`100`, `1e2`, `{}`, 1}, {`0.1`, `0.10`, `{}`, 1}, {`1`, `1.0000000000000000001`, `{}`, 0},
		{`9007199254740993`, `9007199254740992`, `{}`, 0}, {`1e999999999`, `1e999999999`, `{}`, 1}, {`1e999999999`, `1e999999998`, `{}`, 0},
		{`5`, `"5"`, `{}`, 0}, {`true`, `true`, `{}`, 1}, {`true`, `"true"`, `{}`, 0}, {`false`, `0`, `{}`, 0}, {`null`, `null`, `{}`, 1}, {`null`, `""`, `{}`, 0},
		{`"Paris"`, `"paris"`, `{}`, 1}, {`"New  York"`, `" new york "`, `{}`, 1}, {`"id_A"`, `"id_a"`, `{}`, 0}, {`"README.md"`, `"readme.md"`, `{}`, 1}, {`"/Home"`, `"/home"`, `{}`, 0},
		{`"A b"`, `"a b"`, enum, 0}, {`"A b"`, `"A b"`, enum, 1}, {`"stra\u00dfe"`, `"STRASSE"`, `{}`, 1}, {`"e\u0301"`, `"\u00e9"`, enum, 1},
		{`"2026-11-22"`, `"22 November 2026"`, date, 1}, {`"2026-11-22"`, `"2026-11-23"`, date, 0},
		{`"2026-11-22T10:00:00Z"`, `"2026-11-22T11:00:00+01:00"`, `{}`, 1}, {`"2026-11-22T10:00:00Z"`, `"2026-11-22"`, `{}`, 0},
		{`"https://Example.com"`, `"HTTPS://example.com:443/"`, `{}`, 1}, {`"https://example.com/A"`, `"https://example.com/a"`, `{}`, 0},
		{`[1,2]`, `[1,2]`, `{}`, 1}, {`[1,2]`, `[2,1]`, `{}`, 0}, {`[1,2]`, `[2,1]`, set, 1}, {`[1,2]`, `[1,2,3,4]`, `{}`, 0.5}, {`[1,2,3,4]`, `[1,2]`, set, 0.5}, {`[]`, `[]`, `{}`, 1}, {`[]`, `[1]`, `{}`, 0},
		{`[{"a":1,"b":2},{"a":1,"b":1}]`, `[{"a":1,"b":1},{"a":1,"b":2}]`, set, 1},
		{`{"a":1,"b":{"c":2,"d":3}}`, `{"a":1,"b":{"c":2,"d":4},"e":5}`, `{}`, 0.75}, {`{}`, `{"a":1}`, `{}`, 1}, {`{"a":1}`, `[]`, `{}`, 0},
		{`{"a":1}`, `{}`, `{"properties":{"a":{"default":1}}}`, 1},
		{`{"a":[2,1]}`, `{"a":[1,2]}`, `{"properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"uniqueItems":true}}}`, 1},
		{`{"a":"X y"}`, `{"a":"x y"}`, `{"anyOf":[{"properties":{"a":{"const":"X y"}}}]}`, 0},
	} {
		tree := func(text string) any {
			v, err := decode([]byte(text))
			if err != nil {
				t.Fatal(text, err)
			}
			return v
		}
		if got := similarity(tree(tc.expected), tree(tc.actual), newNode(tree(tc.schema))); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("%s and %s under %s: got %g, want %g", tc.expected, tc.actual, tc.schema, got, tc.want)
		}
	}
}

const weather = `{"type":"object","required":["city"],"additionalProperties":false,"properties":{
	"city":{"type":"string"},"days":{"type":"integer","minimum":1,"default":3},
	"units":{"type":"string","enum":["metric","imperial"],"default":"metric"},"at":{"type":"string","format":"date-time"},
	"tags":{"type":"array","items":{"type":"string"}}}}`

func TestScoreParameters(t *testing.T) {
	const query = "weather in Paris, 5 days, please"
	for _, tc := range []struct {
		name, expected, actual, schema string
		completeness, correctness      float64
		conformance                    float64 // negative: not judged
		hallucinated, problems         string
	}{
		{"all right", `{"city":"Paris","days":5}`, `{"city":"paris","days":5.0}`, weather, 1, 1, 1, "", ""},
		{"one missing", `{"city":"Paris","days":5}`, `{"city":"Paris"}`, weather, 0.5, 0.5, 1, "", ""},
		{"one wrong", `{"city":"Paris","days":5}`, `{"city":"Rome","days":5}`, weather, 1, 0.5, 1, "", ""},
		{"the default is left out", `{"city":"Paris","days":3}`, `{"city":"Paris"}`, weather, 1, 1, 1, "", ""},
		{"the default is given", `{"city":"Paris"}`, `{"city":"Paris","units":"metric"}`, weather, 1, 1, 1, "", ""},
		{"another is given, from the query", `{"city":"Paris"}`, `{"city":"Paris","days":5}`, weather, 1, 1, 1, "", ""},
		{"another is given, from nowhere", `{"city":"Paris"}`, `{"city":"Paris","days":9}`, weather, 1, 1, 1, "days", ""},
		{"one that is not declared", `{"city":"Paris"}`, `{"city":"Paris","country":"Paris"}`, weather, 1, 1, 0.5, "country", "country"},
		{"none expected, none given", `{}`, `{}`, `{"type":"object"}`, 1, 1, 1, "", ""},
		{"none expected, one invented", `{}`, `{"x":"zzz"}`, `{"type":"object"}`, 1, 1, 1, "x", ""},
		{"not said what is expected", ``, `{"city":"Lyon","units":"imperial"}`, weather, 1, 1, 1, "units", ""},
		{"said that none is expected", `{}`, `{"city":"Lyon"}`, weather, 1, 1, 1, "city", ""},
		{"the wrong type", `{"city":"Paris","days":5}`, `{"city":"Paris","days":"5"}`, weather, 1, 0.5, 0.5, "", "days"},
		{"required and missing", `{"city":"Paris"}`, `{}`, weather, 0, 0, 0, "", "city"},
		{"a format", `{"at":"2026-11-22T10:00:00Z"}`, `{"city":"Paris","at":"noon"}`, weather, 1, 0, 0.5, "", "at"},
		{"an element", `{"tags":["a"]}`, `{"city":"Paris","tags":["a",1]}`, weather, 1, 0.5, 0.5, "", "tags"},
		{"a number out of range", `{"days":1}`, `{"city":"Paris","days":1e999999999}`, weather, 1, 0, 0.5, "", "days"},
		{"a rule over all", `{}`, `{}`, `{"type":"object","minProperties":1}`, 1, 1, 0, "", ""},
		{"a schema that is none", `{"a":1}`, `{"a":1}`, `{"type":17}`, 1, 1, -1, "", ""},
		{"a schema that refers elsewhere", `{"a":1}`, `{"a":1}`, `{"$ref":"file:///etc/passwd"}`, 1, 1, -1, "", ""},
		{"a schema that refers to itself", `{"a":1}`, `{"a":1}`, `{"$ref":"#"}`, 1, 1, -1, "", ""},
		{"a schema that is true", `{"a":1}`, `{"a":1}`, `true`, 1, 1, 1, "", ""},
		{"a schema that allows nothing", `{"a":1}`, `{"a":1}`, `false`, 1, 1, 0, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := ScoreParameters(selection.Call{Parameters: json.RawMessage(tc.expected)}, json.RawMessage(tc.actual), json.RawMessage(tc.schema), query, nil)
			if err != nil {
				t.Fatal(err)
			}
			conformance := -1.0
			if p.Conformance != nil {
				conformance = *p.Conformance
			}
			if p.Completeness != tc.completeness || p.Correctness != tc.correctness || conformance != tc.conformance || strings.Join(p.Hallucinated, " ") != tc.hallucinated {
				t.Errorf("got %g %g %g %v", p.Completeness, p.Correctness, conformance, p.Hallucinated)
			}
			if (p.SchemaProblem != "") != (tc.conformance < 0) {
				t.Errorf("schema problem %q", p.SchemaProblem)
			}
			var problems []string
			for _, d := range p.Details {
				if d.Problem != "" && d.Name != whole {
					problems = append(problems, d.Name)
				}
			}
			if strings.Join(problems, " ") != tc.problems {
				t.Errorf("problems %v", p.Details)
			}
		})
	}
}

// A schema of a few lines whose alternatives multiply to 2^40 is refused.
func TestSchemasThatExplodeAreRefused(t *testing.T) {
	defs := map[string]any{"d40": map[string]any{"type": "object"}}
	for i := range 40 {
		next := map[string]any{"$ref": fmt.Sprintf("#/$defs/d%d", i+1)}
		defs[fmt.Sprintf("d%d", i)] = map[string]any{"anyOf": []any{next, next}}
	}
	raw, err := json.Marshal(map[string]any{"$ref": "#/$defs/d0", "$defs": defs})
	if err != nil {
		t.Fatal(err)
	}
	p, err := ScoreParameters(selection.Call{}, json.RawMessage(`{"a":1}`), raw, "", nil)
	if err != nil || p.Conformance != nil || !strings.Contains(p.SchemaProblem, "multiply") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestEvaluate(t *testing.T) {
	tools := []selection.Tool{
		{Server: "a", Name: "weather", InputSchema: json.RawMessage(weather)},
		{Server: "b", Name: "weather", InputSchema: json.RawMessage(weather)},
		{Server: "a", Name: "news", InputSchema: json.RawMessage(`{}`)},
	}
	call := func(server, tool, params string) selection.MadeCall {
		return selection.MadeCall{Server: server, Tool: tool, Parameters: json.RawMessage(params)}
	}
	paris := selection.Call{Server: "a", Tool: "weather", Parameters: json.RawMessage(`{"city":"Paris","days":5}`)}
	news := selection.Call{Server: "a", Tool: "news"}
	confidence := 0.9
	for _, tc := range []struct {
		name     string
		expected []selection.Call
		made     []selection.MadeCall
		class    selection.Classification
		category selection.ConfidenceCategory
		scores   string
		reason   string
	}{
		{"right", []selection.Call{paris}, []selection.MadeCall{call("a", "weather", `{"city":"Paris"}`)}, selection.TP, selection.Robust, "0.5 0.5 1", "as expected. Parameters missing: days."},
		{"right but unreadable", []selection.Call{paris}, []selection.MadeCall{{Server: "a", Tool: "weather", Malformed: "{"}}, selection.TP, selection.Robust, "0 0 0", "are not a JSON object"},
		{"of another server", []selection.Call{paris}, []selection.MadeCall{call("b", "weather", `{"city":"Paris","days":5}`)}, selection.FN, selection.Misleading, "0 0 0", "is of another server"},
		{"unknown", []selection.Call{paris}, []selection.MadeCall{{Unknown: "wether"}}, selection.FN, selection.Misleading, "0 0 0", "No tool of that name was offered"},
		{"none", []selection.Call{paris}, nil, selection.FN, selection.Misleading, "0 0 0", "called no tool, but weather of server a was expected"},
		{"not wanted", nil, []selection.MadeCall{call("a", "news", `{}`)}, selection.FP, selection.Misleading, "0 0 0", "No tool was expected"},
		{"none wanted", nil, nil, selection.TN, selection.Robust, "- - -", "no tool, as expected"},
		{"two", []selection.Call{paris, news}, []selection.MadeCall{call("a", "news", `{}`), call("a", "weather", `{"city":"Paris","days":6}`)}, selection.TP, selection.Robust, "1 0.75 1", "Call 1: Parameters different"},
		{"one of two", []selection.Call{paris, news}, []selection.MadeCall{call("a", "news", `{}`)}, selection.FN, selection.Misleading, "0 0 0", "weather of server a and news of server a were expected"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, _, err := Evaluate(selection.Case{Query: "q", Expected: tc.expected}, tools, selection.Answer{Calls: tc.made, Confidence: &confidence}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var scores []string
			for _, v := range []*float64{e.ParameterCompleteness, e.ParameterCorrectness, e.ParameterConformance} {
				text := "-"
				if v != nil {
					text = fmt.Sprint(*v)
				}
				scores = append(scores, text)
			}
			if e.Classification != tc.class || e.ConfidenceCategory != tc.category || strings.Join(scores, " ") != tc.scores || !strings.Contains(e.Reasoning, tc.reason) {
				t.Errorf("got %s %q %v: %s", e.Classification, e.ConfidenceCategory, scores, e.Reasoning)
			}
		})
	}
}

func observe(id, model string, repeat int, class selection.Classification, correctness float64, confidence float64) Observation {
	o := Observation{
		RunID: fmt.Sprint(id, model, repeat), CaseID: id, Case: "case " + id, Servers: []string{"s"}, Model: model, Repeat: repeat, Classification: class,
		Made: class == selection.TP || class == selection.FP, Selects: string(class), Tags: []string{"all", "t" + id},
		Confidence: &confidence, Source: selection.FromAnswer, Category: selection.Categorize(class.Correct(), &confidence), DurationMS: int64(repeat),
	}
	o.Correctness, o.Completeness, o.Conformance = &correctness, &correctness, &correctness
	return o
}

func TestSummarize(t *testing.T) {
	wrong := observe("3", "m", 1, selection.FN, 0, 0.9)
	wrong.Made = true
	observations := []Observation{
		observe("1", "m", 1, selection.TP, 1, 0.95), observe("1", "m", 2, selection.TP, 0.5, 0.65),
		observe("2", "m", 1, selection.TN, 0, 0.8), observe("2", "m", 2, selection.FP, 0, 0.75),
		wrong, observe("3", "m", 2, selection.FN, 0, 0.1),
		{RunID: "f", CaseID: "4", Model: "m", Failed: true},
	}
	s := Summarize(observations)
	for name, c := range map[string]struct{ got, want any }{
		"counts":       {[]int{s.Runs, s.Failed, s.Cases, s.TP, s.FP, s.TN, s.FN}, []int{7, 1, 4, 2, 1, 1, 2}},
		"precision":    {*s.Precision.Value, 2.0 / 3},
		"recall":       {*s.Recall.Value, 0.5},
		"F1":           {*s.F1, 4.0 / 7},
		"accuracy":     {*s.Accuracy.Value, 0.5},
		"wrong tool":   {[]int{s.WrongTool.Count, s.WrongTool.Of}, []int{1, 4}},
		"parameters":   {[]int{s.ParameterAccuracy.Count, s.ParameterAccuracy.Of}, []int{1, 2}},
		"correctness":  {*s.Correctness.Value, 0.75},
		"misleading":   {[]int{s.Misleading.Count, s.Misleading.Of}, []int{2, 6}},
		"robust":       {s.Robust.Count, 2},
		"unclear":      {s.NeedsClarity.Count, 1},
		"pass@k":       {s.PassAt, []float64{0.5, 2.0 / 3}},
		"pass^k":       {s.PassAll, []float64{0.5, 1.0 / 3}},
		"consistency":  {*s.Consistency, 2.0 / 3},
		"calibrations": {len(s.Calibration), 1},
		"median":       {s.MedianMS, int64(1)},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
	if *s.Accuracy.Low <= 0 || *s.Accuracy.High >= 1 || *s.Accuracy.Low > 0.5 {
		t.Errorf("%+v", s.Accuracy)
	}
	shuffled := append([]Observation{}, observations...)
	rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if !reflect.DeepEqual(Summarize(shuffled), s) {
		t.Error("the order of the runs changes the summary")
	}
	groups := By(observations[:6], ByTag)
	if len(groups) != 4 || groups[0].Name != "all" || groups[1].Summary.TP != 2 {
		t.Errorf("%+v", groups)
	}
	empty := Summarize(nil)
	if empty.Accuracy.Value != nil || empty.F1 != nil || empty.Consistency != nil {
		t.Errorf("nothing has figures: %+v", empty)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

func TestCompare(t *testing.T) {
	var first, second []Observation
	for i := range 12 {
		id := fmt.Sprintf("%02d", i)
		a, b := selection.TP, selection.TP
		if i < 1 {
			a = selection.FN
		} else if i < 9 {
			b = selection.FN
		}
		first = append(first, observe(id, "a", 1, a, 1, 1))
		second = append(second, observe(id, "b", 1, b, 1, 1))
	}
	// Two more wrong repeats outvote the one that is right.
	second = append(second, observe("11", "b", 2, selection.FN, 0, 1), observe("11", "b", 3, selection.FN, 0, 1))
	first = append(first, observe("x", "a", 1, selection.TP, 1, 1))
	second = append(second, Observation{CaseID: "x", Failed: true}, observe("y", "b", 1, selection.TP, 1, 1))
	c := Compare(first, second)
	if c.Cases != 12 || c.BothRight != 2 || len(c.Lost) != 9 || len(c.Gained) != 1 || c.BothWrong != 0 {
		t.Fatalf("%+v", c)
	}
	if want := 22.0 / 1024; c.P != want {
		t.Errorf("p is %g, not %g", c.P, want)
	}
	if strings.Join(c.OnlyFirst, " ") != "case x" || strings.Join(c.OnlySecond, " ") != "case y" || c.First.Runs != 12 || c.Second.Runs != 14 {
		t.Errorf("%+v", c)
	}
	if c.Lost[8].First != "TP" || c.Lost[8].Second != "FN" {
		t.Errorf("%+v", c.Lost[8])
	}
}

func FuzzScoreParameters(f *testing.F) {
	f.Add(`{"city":"Paris"}`, `{"city":"paris","days":1e5}`, weather, "in Paris")
	f.Add(`{"a":[{"b":null}]}`, `{"a":[1]}`, `{"properties":{"a":{"items":{"$ref":"#"},"uniqueItems":true}},"anyOf":[{"$ref":"#"}]}`, "")
	f.Add(``, `{"x":1e-999999}`, `{"multipleOf":1e400}`, "\xff")
	f.Fuzz(func(t *testing.T, expected, actual, schema, query string) {
		p, err := ScoreParameters(selection.Call{Parameters: json.RawMessage(expected)}, json.RawMessage(actual), json.RawMessage(schema), query, nil)
		if err != nil {
			return
		}
		for _, v := range []float64{p.Completeness, p.Correctness} {
			if !(v >= 0 && v <= 1) {
				t.Errorf("score %g", v)
			}
		}
		if p.Conformance != nil && !(*p.Conformance >= 0 && *p.Conformance <= 1) {
			t.Errorf("conformance %g", *p.Conformance)
		}
		same, err := ScoreParameters(selection.Call{Parameters: json.RawMessage(actual)}, json.RawMessage(actual), json.RawMessage(schema), query, nil)
		if err == nil && (same.Correctness != 1 || len(same.Hallucinated) != 0) {
			t.Errorf("%s is not itself: %+v", actual, same)
		}
	})
}

// The reasoning of a run with several calls names what differs, and only that.
func TestReasoningOfSeveralCalls(t *testing.T) {
	tools := []selection.Tool{
		{Server: "a", Name: "first", InputSchema: json.RawMessage(`{"type":"object"}`)},
		{Server: "a", Name: "second", InputSchema: json.RawMessage(`{"type":"object"}`)},
	}
	call := func(tool, malformed string) selection.MadeCall {
		m := selection.MadeCall{Server: "a", Tool: tool, Malformed: malformed}
		if malformed == "" {
			m.Parameters = json.RawMessage(`{}`)
		}
		return m
	}
	c := selection.Case{Query: "q", Ordered: true, Expected: []selection.Call{{Server: "a", Tool: "first"}, {Server: "a", Tool: "second"}}}
	for _, tc := range []struct {
		made []selection.MadeCall
		want string
	}{
		{[]selection.MadeCall{call("first", ""), call("second", "")}, "The model called first of server a and second of server a, as expected."},
		{
			[]selection.MadeCall{call("second", ""), call("first", "")},
			"The model made the expected calls in another order: second of server a and first of server a instead of first of server a and second of server a.",
		},
		{
			[]selection.MadeCall{call("first", ""), call("second", ""), call("second", "")},
			"The model called first of server a and second of server a, as expected. It made 1 further call that was not expected.",
		},
		{
			[]selection.MadeCall{call("first", ""), call("second", `{"x":`)},
			`The model called first of server a and second of server a, as expected. The parameters that it gave to second of server a are not a JSON object: {"x":`,
		},
	} {
		e, _, err := Evaluate(c, tools, selection.Answer{Calls: tc.made}, nil)
		if err != nil || e.Reasoning != tc.want {
			t.Errorf("got %q, %v; want %q", e.Reasoning, err, tc.want)
		}
	}
}

// Unexpected calls beside the right ones are counted, and a call that violates
// the schema is not one with right parameters.
func TestSummaryOfImperfectCalls(t *testing.T) {
	one, half := 1.0, 0.5
	right := Observation{Made: true, Classification: selection.TP, Completeness: &one, Correctness: &one, Conformance: &one}
	violating, extra, wrong := right, right, right
	violating.Conformance = &half
	extra.Extra = 2
	wrong.Classification, wrong.Forbidden = selection.FN, 1
	s := Summarize([]Observation{right, violating, extra, wrong})
	if s.ExtraCalls != 2 || s.ParameterAccuracy.Count != 2 || s.ParameterAccuracy.Of != 3 {
		t.Errorf("%d extra calls, parameters right in %d of %d", s.ExtraCalls, s.ParameterAccuracy.Count, s.ParameterAccuracy.Of)
	}
}
