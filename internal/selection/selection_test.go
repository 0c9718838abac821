package selection

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func made(names ...string) []MadeCall {
	var calls []MadeCall
	for _, n := range names {
		server, tool, _ := strings.Cut(n, ":")
		tool, params, _ := strings.Cut(tool, "=")
		if server == "?" {
			calls = append(calls, MadeCall{Unknown: tool})
			continue
		}
		calls = append(calls, MadeCall{Server: server, Tool: tool, Parameters: json.RawMessage(params)})
	}
	return calls
}

func expect(names ...string) []Call {
	var calls []Call
	for _, m := range made(names...) {
		calls = append(calls, Call{Server: m.Server, Tool: m.Tool, Parameters: m.Parameters})
	}
	return calls
}

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		name     string
		expected []Call
		made     []MadeCall
		ordered  bool
		want     Classification
		calls    string // expected>made=class
	}{
		{"the expected tool", expect("a:x"), made("a:x"), false, TP, "0>0=TP"},
		{"none expected, one selected", nil, made("a:x"), false, FP, "-1>0=FP"},
		{"none expected, an unknown one selected", nil, made("?:x"), false, FP, "-1>0=FP"},
		{"none expected, none selected", nil, nil, false, TN, ""},
		{"expected, none selected", expect("a:x"), nil, false, FN, "0>-1=FN"},
		{"expected, another selected", expect("a:x"), made("a:y"), false, FN, "0>-1=FN -1>0=FP"},
		{"the same name on another server", expect("a:x"), made("b:x"), false, FN, "0>-1=FN -1>0=FP"},
		{"a name that was not offered", expect("a:x"), made("?:x"), false, FN, "0>-1=FN -1>0=FP"},
		{"the selection is the first call", expect("a:x"), made("a:y", "a:x"), false, FN, "0>-1=FN -1>0=FP -1>1=FP"},
		{"a further call", expect("a:x"), made("a:x", "a:y"), false, TP, "0>0=TP -1>1=FP"},
		{"two in any order", expect("a:x", "b:y"), made("b:y", "a:x"), false, TP, "0>1=TP 1>0=TP"},
		{"two in the wrong order", expect("a:x", "b:y"), made("b:y", "a:x"), true, FN, "0>1=TP 1>-1=FN -1>0=FP"},
		{"two in order with one between", expect("a:x", "b:y"), made("a:x", "a:z", "b:y"), true, TP, "0>0=TP 1>2=TP -1>1=FP"},
		{"one of two", expect("a:x", "b:y"), made("b:y"), false, FN, "0>-1=FN 1>0=TP"},
		{"one call is no two", expect("a:x", "a:x"), made("a:x"), false, FN, "0>0=TP 1>-1=FN"},
		{"equal parameters are paired first", expect(`a:x={"n":1}`, `a:x={"n":2}`), made(`a:x={"n": 2}`, `a:x={"n":3}`), false, TP, "0>1=TP 1>0=TP"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			class, judged := Match(tc.expected, tc.made, tc.ordered)
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

func TestCategorize(t *testing.T) {
	at := func(f float64) *float64 { return &f }
	for _, tc := range []struct {
		correct    bool
		confidence *float64
		want       ConfidenceCategory
	}{
		{true, at(0.7), Robust}, {true, at(0.69999), NeedsClarity}, {true, at(0), NeedsClarity},
		{false, at(0.7), Misleading}, {false, at(0.69999), ""}, {true, nil, ""}, {false, nil, ""},
	} {
		if got := Categorize(tc.correct, tc.confidence); got != tc.want {
			t.Errorf("%v %v: got %q, want %q", tc.correct, tc.confidence, got, tc.want)
		}
	}
}

func TestServerValidate(t *testing.T) {
	for _, tc := range []struct {
		server Server
		want   string // the error, or the resulting URL and transport
	}{
		{Server{Name: "a", URL: "https://h/mcp"}, "https://h/mcp streamable-http"},
		{Server{Name: "a", URL: "http://h/sse", Transport: SSE}, "http://h/sse sse"},
		{Server{Name: "a", URL: "stdio:npx  -y 'a b'"}, "stdio:npx -y 'a b' stdio"},
		{Server{Name: "", URL: "https://h"}, "the name of a server is empty"},
		{Server{Name: strings.Repeat("ä", 101), URL: "https://h"}, "longer than 100 characters"},
		{Server{Name: "a\x1b", URL: "https://h"}, "control character"},
		{Server{Name: "a\xff", URL: "https://h"}, "UTF-8"},
		{Server{Name: "a", URL: "ftp://h"}, "not an http or https URL"},
		{Server{Name: "a", URL: "https://u:p@h/"}, "password"},
		{Server{Name: "a", URL: "https://h", Transport: Stdio}, "does not begin with"},
		{Server{Name: "a", URL: "stdio:"}, "empty"},
		{Server{Name: "a", URL: "stdio:x 'y"}, "not closed"},
		{Server{Name: "a", URL: "https://h", Transport: "http"}, "unknown"},
	} {
		s := tc.server
		got := ""
		if err := s.Validate(); err != nil {
			got = err.Error()
		} else {
			got = s.URL + " " + string(s.Transport)
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%+v: got %q, want %q", tc.server, got, tc.want)
		}
	}
}

func TestCommandURLReadsBack(t *testing.T) {
	for _, command := range [][]string{{"npx", "-y", "x"}, {"a b", "", "it's", `"q"`, `back\slash`, "$HOME", "tab\there"}} {
		got, err := Server{URL: CommandURL(command)}.Command()
		if err != nil || !reflect.DeepEqual(got, command) {
			t.Errorf("%q: got %q, %v", command, got, err)
		}
	}
}

func TestCaseValidate(t *testing.T) {
	ok := func() Case {
		return Case{
			Name: "n", Query: "q", Servers: []string{"b", "a", "b"}, Tags: []string{"t"},
			Expected: []Call{{Server: "a", Tool: "x", Parameters: json.RawMessage(` { "n" : 1 } `)}},
		}
	}
	c := ok()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if strings.Join(c.Servers, ",") != "a,b" || string(c.Expected[0].Parameters) != `{"n":1}` {
		t.Errorf("%+v", c)
	}
	for want, change := range map[string]func(*Case){
		"name of a case is empty": func(c *Case) { c.Name = " " },
		"query is empty":          func(c *Case) { c.Query = "" },
		"offers no tools":         func(c *Case) { c.Servers = nil },
		"belong together":         func(c *Case) { c.Expected[0].Tool = "" },
		"is not among":            func(c *Case) { c.Expected[0].Server = "z" },
		"not a JSON object":       func(c *Case) { c.Expected[0].Parameters = json.RawMessage(`[1]`) },
		"a tag is empty":          func(c *Case) { c.Tags = []string{""} },
		"longer than 100000":      func(c *Case) { c.Query = strings.Repeat("x", MaxQuery+1) },
	} {
		c := ok()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
	c = ok()
	c.Expected = nil
	if err := c.Validate(); err != nil {
		t.Errorf("no tool expected: %v", err)
	}
}

func TestSettingsComeFromRequestThenEnvironmentThenDefaults(t *testing.T) {
	env := map[string]string{EnvProvider: "ollama", EnvModel: "m", EnvTimeout: "7", EnvTemperature: "0.1"}
	getenv := func(name string) string { return env[name] }
	zero := 0.0
	s, err := SettingsRequest{Model: "mine", Temperature: &zero}.Resolve(getenv)
	want := Settings{Provider: "ollama", Model: "mine", Timeout: 7, MaxRetries: 3, Confidence: ConfidenceAsked}
	if err != nil || s != want {
		t.Errorf("got %+v, %v", s, err)
	}
	nothing := func(string) string { return "" }
	s, err = SettingsRequest{Provider: "p", Model: "m"}.Resolve(nothing)
	want = Settings{Provider: "p", Model: "m", Timeout: 30, Temperature: 0.4, MaxRetries: 3, Confidence: ConfidenceAsked}
	if err != nil || s != want {
		t.Errorf("got %+v, %v", s, err)
	}
	env[EnvTimeout] = "soon"
	if _, err = (SettingsRequest{}).Resolve(getenv); err == nil || !strings.Contains(err.Error(), EnvTimeout) {
		t.Errorf("got %v", err)
	}
}

func TestSettingsValidate(t *testing.T) {
	for want, change := range map[string]func(*Settings){
		"provider has 0":     func(s *Settings) { s.Provider = "" },
		"model has 101":      func(s *Settings) { s.Model = strings.Repeat("é", 101) },
		"timeout of 0":       func(s *Settings) { s.Timeout = 0 },
		"timeout of 301":     func(s *Settings) { s.Timeout = 301 },
		"temperature of":     func(s *Settings) { s.Temperature = 2.01 },
		"11 retries":         func(s *Settings) { s.MaxRetries = 11 },
		"confidence":         func(s *Settings) { s.Confidence = "often" },
		"base URL is no":     func(s *Settings) { s.BaseURL = "host/v1" },
		"base URL contains ": func(s *Settings) { s.BaseURL = "https://k@host/v1" },
	} {
		s := Settings{Provider: "p", Model: "m", Timeout: 30, Temperature: 0.4, MaxRetries: 3}
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
