package score

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

func made(names ...string) []selection.MadeCall {
	var calls []selection.MadeCall
	for _, n := range names {
		server, tool, _ := strings.Cut(n, ":")
		tool, params, _ := strings.Cut(tool, "=")
		if server == "?" {
			calls = append(calls, selection.MadeCall{Unknown: tool})
			continue
		}
		calls = append(calls, selection.MadeCall{Server: server, Tool: tool, Parameters: json.RawMessage(params)})
	}
	return calls
}

func expect(names ...string) []selection.Call {
	var calls []selection.Call
	for _, m := range made(names...) {
		calls = append(calls, selection.Call{Server: m.Server, Tool: m.Tool, Parameters: m.Parameters})
	}
	return calls
}

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		name     string
		expected []selection.Call
		made     []selection.MadeCall
		ordered  bool
		want     selection.Classification
		calls    string // expected>made=class
	}{
		{"the expected tool", expect("a:x"), made("a:x"), false, selection.TP, "0>0=TP"},
		{"none expected, one selected", nil, made("a:x"), false, selection.FP, "-1>0=FP"},
		{"none expected, an unknown one selected", nil, made("?:x"), false, selection.FP, "-1>0=FP"},
		{"none expected, none selected", nil, nil, false, selection.TN, ""},
		{"expected, none selected", expect("a:x"), nil, false, selection.FN, "0>-1=FN"},
		{"expected, another selected", expect("a:x"), made("a:y"), false, selection.FN, "0>-1=FN -1>0=FP"},
		{"the same name on another server", expect("a:x"), made("b:x"), false, selection.FN, "0>-1=FN -1>0=FP"},
		{"a name that was not offered", expect("a:x"), made("?:x"), false, selection.FN, "0>-1=FN -1>0=FP"},
		{"another call before", expect("a:x"), made("a:y", "a:x"), false, selection.TP, "0>1=TP -1>0=FP"},
		{"a further call", expect("a:x"), made("a:x", "a:y"), false, selection.TP, "0>0=TP -1>1=FP"},
		{"two in any order", expect("a:x", "b:y"), made("b:y", "a:x"), false, selection.TP, "0>1=TP 1>0=TP"},
		{"two in the wrong order", expect("a:x", "b:y"), made("b:y", "a:x"), true, selection.FN, "0>1=TP 1>-1=FN -1>0=FP"},
		{"two in order with one between", expect("a:x", "b:y"), made("a:x", "a:z", "b:y"), true, selection.TP, "0>0=TP 1>2=TP -1>1=FP"},
		{"one of two", expect("a:x", "b:y"), made("b:y"), false, selection.FN, "0>-1=FN 1>0=TP"},
		{"one call is no two", expect("a:x", "a:x"), made("a:x"), false, selection.FN, "0>0=TP 1>-1=FN"},
		{"equal parameters are paired first", expect(`a:x={"n":1}`, `a:x={"n":2}`), made(`a:x={"n": 2}`, `a:x={"n":3}`), false, selection.TP, "0>1=TP 1>0=TP"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			class, judged := Match(selection.Case{Expected: tc.expected, Ordered: tc.ordered}, nil, tc.made)
			var calls []string
			for _, j := range judged {
				b, _ := json.Marshal([]int{j.Expected, j.Made})
				calls = append(calls, strings.Trim(strings.ReplaceAll(string(b), ",", ">"), "[]")+"="+string(j.Classification))
			}
			if got := strings.Join(calls, " "); class != tc.want || got != tc.calls {
				t.Errorf("got %s, %s", class, got)
			}
		})
	}
}

// Optional calls, alternatives, and calls that make a run wrong. Calls that the
// name of a tool ends with "?" are optional, and "|" separates alternatives.
func TestMatchOfCallsThatMayOrMustNotBeMade(t *testing.T) {
	tools := []selection.Tool{
		{Server: "a", Name: "x"}, {Server: "a", Name: "y"}, {Server: "a", Name: "z"},
		{Server: "a", Name: "drop", Annotations: json.RawMessage(`{"destructiveHint":true}`)},
		{Server: "a", Name: "peek", Annotations: json.RawMessage(`{"destructiveHint":true,"readOnlyHint":true}`)},
	}
	calls := func(text string) (list []selection.Call) {
		for _, entry := range strings.Fields(text) {
			var choices []selection.Call
			for _, name := range strings.Split(strings.TrimSuffix(entry, "?"), "|") {
				choices = append(choices, selection.Call{Server: "a", Tool: name})
			}
			call := choices[0]
			call.Alternatives, call.Optional = choices[1:], strings.HasSuffix(entry, "?")
			list = append(list, call)
		}
		return list
	}
	for _, tc := range []struct {
		expected, made string
		ordered        bool
		forbidden      string
		want           selection.Classification
		extra, against int
	}{
		{"x|y", "y", false, "", selection.TP, 0, 0},
		{"x|y x", "x y", false, "", selection.TP, 0, 0},
		{"x|y x", "y x", true, "", selection.TP, 0, 0},
		{"x x|y", "y x", true, "", selection.FN, 1, 0},
		{"x y?", "x", false, "", selection.TP, 0, 0},
		{"x y?", "y", false, "", selection.FN, 0, 0},
		{"x y?", "y x", false, "", selection.TP, 0, 0},
		{"y? x", "x y", true, "", selection.TP, 1, 0},
		{"x?", "", false, "", selection.TN, 0, 0},
		{"x?", "x", false, "", selection.TP, 0, 0},
		{"x?", "y", false, "", selection.FP, 0, 0},
		{"x", "x y", false, "", selection.TP, 1, 0},
		{"x", "x y", false, "y", selection.FN, 1, 1},
		{"x", "x drop", false, "", selection.FN, 1, 1},
		{"x", "drop", false, "", selection.FN, 0, 1},
		{"x drop", "x drop", false, "", selection.TP, 0, 0},
		{"x drop", "x drop drop", false, "", selection.FN, 1, 1},
		{"x", "x peek", false, "", selection.TP, 1, 0},
		{"", "drop", false, "", selection.FP, 0, 1},
		{"", "", false, "y", selection.TN, 0, 0},
	} {
		c := selection.Case{Expected: calls(tc.expected), Ordered: tc.ordered}
		if tc.forbidden != "" {
			c.Forbidden = []selection.ToolName{{Server: "a", Tool: tc.forbidden}}
		}
		var made []selection.MadeCall
		for _, name := range strings.Fields(tc.made) {
			made = append(made, selection.MadeCall{Server: "a", Tool: name})
		}
		class, judged := Match(c, tools, made)
		if extra, against := CountExtra(judged); class != tc.want || extra != tc.extra || against != tc.against {
			t.Errorf("%+v: got %s, %d extra, %d forbidden: %+v", tc, class, extra, against, judged)
		}
	}
}
