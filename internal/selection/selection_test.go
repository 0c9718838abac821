package selection

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

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
	want := Settings{Provider: "ollama", Model: "mine", Timeout: 7, MaxRetries: 3, Confidence: ConfidenceAuto}
	if err != nil || s != want {
		t.Errorf("got %+v, %v", s, err)
	}
	nothing := func(string) string { return "" }
	s, err = SettingsRequest{Provider: "p", Model: "m"}.Resolve(nothing)
	want = Settings{Provider: "p", Model: "m", Timeout: 30, Temperature: 0.4, MaxRetries: 3, Confidence: ConfidenceAuto}
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
