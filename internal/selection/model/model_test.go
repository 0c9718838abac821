package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model/modeltest"
)

const marked = `sk-MARKED/"key"+1`

var weather = selection.Tool{
	ID: "id1", Server: "a", Name: "get_weather", Description: "Get the weather of a city",
	InputSchema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"name of the city"}}}`),
}

func request(provider string) Request {
	return Request{
		Query: "weather in Paris?", Tools: []selection.Tool{weather},
		Settings: selection.Settings{Provider: provider, Model: "m", Timeout: 30, Temperature: 0.4, MaxRetries: 3, Confidence: selection.ConfidenceAsked},
	}
}

// ask sends a request to a test server with the given settings and records the
// waits.
func ask(t *testing.T, s *modeltest.Server, r Request, o Options) (selection.Answer, []time.Duration, error) {
	t.Helper()
	if r.Settings.BaseURL == "" {
		r.Settings.BaseURL = s.BaseURL()
	}
	var waits []time.Duration
	o.sleep = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	o.jitter = func() float64 { return 0.5 }
	if o.Key.Empty() {
		o.Key = NewKey(strings.NewReplacer(`"`, "", "/", "").Replace(marked))
	}
	m, err := New(r.Settings, o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Ask(t.Context(), r)
	return a, waits, err
}

var wires = []string{"openai", "anthropic"}

func oneCall(modeltest.Request) modeltest.Reply {
	return modeltest.Reply{Text: "hello", Calls: []modeltest.Call{{Tool: "get_weather", Arguments: `{"city":"Paris"}`}}}
}

func TestAsk(t *testing.T) {
	for _, wire := range wires {
		t.Run(wire, func(t *testing.T) {
			s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
				return modeltest.Reply{Text: "Sure.\nconfidence: 0.85", Calls: []modeltest.Call{{Tool: "get_weather", Arguments: `{"city":"Paris"}`}, {Tool: "made_up", Arguments: `{}`}}}
			})
			a, _, err := ask(t, s, request(wire), Options{Price: Price{Input: 1, Output: 10}})
			if err != nil {
				t.Fatal(err)
			}
			want := []selection.MadeCall{
				{ToolID: "id1", Server: "a", Tool: "get_weather", Parameters: json.RawMessage(`{"city":"Paris"}`)},
				{Unknown: "made_up", Parameters: json.RawMessage(`{}`)},
			}
			if !reflect.DeepEqual(a.Calls, want) || a.Confidence == nil || *a.Confidence != 0.85 || a.ConfidenceSource != selection.FromAnswer || a.Attempts != 1 {
				t.Errorf("%+v", a)
			}
			if a.Usage.InputTokens != 100 || a.Usage.OutputTokens != 10 || math.Abs(*a.Usage.CostUSD-0.0002) > 1e-15 || !json.Valid(a.Raw) {
				t.Errorf("%+v", a.Usage)
			}
			got := s.Requests()[0]
			if got.Wire != wire || got.Model != "m" || got.Query != "weather in Paris?" || !strings.Contains(got.System, "confidence: N") ||
				strings.Join(got.Tools, " ") != "get_weather" || !got.Parallel || bytes.Contains(got.Body, []byte("parallel")) || got.Stream {
				t.Errorf("%+v", got)
			}
			key := got.Header.Get("Authorization") + got.Header.Get("X-Api-Key")
			if strings.TrimPrefix(key, "Bearer ") != "sk-MARKEDkey+1" {
				t.Errorf("the key was sent as %q", key)
			}
			r := request(wire)
			single := false
			r.Settings.ParallelToolCalls, r.Settings.ToolChoice = &single, "required"
			r.Settings.SystemPrompt, r.Settings.Confidence = "mine", selection.ConfidenceNone
			if a, _, err = ask(t, s, r, Options{}); err != nil || a.Confidence != nil {
				t.Errorf("%+v, %v", a, err)
			}
			if got := s.Requests()[1]; got.Parallel || strings.Contains(got.System, "confidence") || !strings.HasPrefix(got.System, "mine") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestNoCall(t *testing.T) {
	for _, wire := range wires {
		s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Text: "I cannot."} })
		a, _, err := ask(t, s, request(wire), Options{})
		if err != nil || len(a.Calls) != 0 || a.Calls == nil || a.Confidence != nil || a.ConfidenceSource != "" {
			t.Errorf("%s: %+v, %v", wire, a, err)
		}
	}
}

func TestMalformedParameters(t *testing.T) {
	for _, wire := range wires {
		s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
			return modeltest.Reply{Calls: []modeltest.Call{{Tool: "get_weather", Arguments: `{"city":`}}}
		})
		a, _, err := ask(t, s, request(wire), Options{})
		if err != nil || len(a.Calls) != 1 || a.Calls[0].Malformed != `{"city":` || a.Calls[0].Parameters != nil || a.Calls[0].Tool != "get_weather" {
			t.Errorf("%s: %+v, %v", wire, a, err)
		}
	}
}

// An answer that the provider marks as incomplete is an error, even if it has a
// call.
func TestIncompleteAnswers(t *testing.T) {
	for _, tc := range []struct{ wire, stop, want string }{
		{"openai", "length", "cut off after 10 tokens"},
		{"openai", "content_filter", "a content filter of provider openai stopped the model's answer: hello"},
		{"anthropic", "max_tokens", "cut off after 10 tokens"},
		{"anthropic", "model_context_window_exceeded", "cut off after 10 tokens"},
	} {
		s := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
			reply := oneCall(r)
			reply.Stop = tc.stop
			return reply
		})
		a, _, err := ask(t, s, request(tc.wire), Options{})
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(a.Raw) == 0 || a.Usage.OutputTokens != 10 {
			t.Errorf("%s %s: %+v, %v", tc.wire, tc.stop, a, err)
		}
	}
}

// A broken connection and a missing key are named for what they are.
func TestErrorsNameTheirCause(t *testing.T) {
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"choices":`)
	}))
	defer broken.Close()
	r := request("openai")
	r.Settings.BaseURL = broken.URL
	if _, _, err := ask(t, nil, r, Options{}); err == nil || !strings.Contains(err.Error(), "broke off its answer after 11 bytes") {
		t.Errorf("got %v", err)
	}
	s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Status: 401} })
	r.Settings.BaseURL = s.BaseURL()
	m, err := New(r.Settings, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Ask(t.Context(), r); err == nil || !strings.Contains(err.Error(), "the request had no API key: give it by reference") {
		t.Errorf("got %v", err)
	}
}

// A refusal is an answer without a call.
func TestRefusal(t *testing.T) {
	for _, wire := range wires {
		s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
			return modeltest.Reply{Refusal: "I must not."}
		})
		a, _, err := ask(t, s, request(wire), Options{})
		if err != nil || len(a.Calls) != 0 || a.Refusal != "I must not." {
			t.Errorf("%s: %+v, %v", wire, a, err)
		}
	}
}

// What the model thinks and says is kept, and the end of its answer.
func TestSaid(t *testing.T) {
	said := `{"choices":[{"finish_reason":"stop","message":{"content":"No.","reasoning_content":"Hm."}}]}`
	s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Raw: said} })
	a, _, err := ask(t, s, request("openai"), Options{})
	want := selection.Said{Text: "No.", Reasoning: "Hm.", FinishReason: "stop"}
	if err != nil || !reflect.DeepEqual(a.Said, want) {
		t.Errorf("%+v, %v", a.Said, err)
	}
}

// A call that a model writes as text is told from a text that only mentions a tool.
func TestCallAsText(t *testing.T) {
	for text, want := range map[string]string{
		`{"name": "get_weather", "arguments": {}}`:                                                       "a:get_weather",
		"Sure:\n```json\n{\"tool\": \"get_weather\", \"parameters\": {\"city\": \"Paris\"}}\n```":        "a:get_weather",
		`<tool_call>{"name": "get_weather", "arguments": {"city": "x"}}</tool_call>`:                     "a:get_weather",
		`[TOOL_CALLS] [{"name": "get_weather", "arguments": {}}]`:                                        "a:get_weather",
		`{"tool_calls": [{"type": "function", "function": {"name": "get_weather", "arguments": "{}"}}]}`: "a:get_weather",
		`{"function": "get_weather", "args": {}}`:                                                        "a:get_weather",
		`{"name": "unheard_of", "arguments": {}}`:                                                        "",
		`{"name": "get_weather"}`:                                                                        "",
		`You could use get_weather for that.`:                                                            "",
		`{"name": "get_weather", "arguments": {`:                                                         "",
	} {
		for _, wire := range wires {
			s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Text: text} })
			a, _, err := ask(t, s, request(wire), Options{})
			if err != nil || len(a.Calls) != 0 || strings.Join(a.CallAsText, " ") != want {
				t.Errorf("%s, %s: %q, %v", wire, text, a.CallAsText, err)
			}
		}
	}
}

// By default, log-probabilities of the call count where the provider gives them,
// and else what the model states. A provider that refuses them is asked once.
func TestConfidenceByDefault(t *testing.T) {
	stated := "confidence: 0.25"
	call := `"message":{"content":"` + stated + `","tool_calls":[{"function":{"name":"get_weather","arguments":"{}"}}]}`
	for _, tc := range []struct {
		logprobs string
		want     float64
		source   selection.ConfidenceSource
	}{
		{`[{"token":"get_","logprob":0},{"token":"weather","logprob":-1.3862943611198906}]`, 0.5, selection.FromLogprobs},
		{`[{"logprob":-0.6931471805599453}]`, 0.5, selection.FromLogprobs},
		{`[{"token":"confidence","logprob":0}]`, 0.25, selection.FromAnswer}, // of the text alone
		{`[]`, 0.25, selection.FromAnswer},
		{`null`, 0.25, selection.FromAnswer},
	} {
		s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
			return modeltest.Reply{Raw: `{"choices":[{"logprobs":{"content":` + tc.logprobs + `},` + call + `}]}`}
		})
		r := request("openai")
		r.Settings.Confidence = selection.ConfidenceAuto
		a, _, err := ask(t, s, r, Options{})
		if err != nil || a.Confidence == nil || math.Abs(*a.Confidence-tc.want) > 1e-9 || a.ConfidenceSource != tc.source {
			t.Errorf("%s: %+v, %v", tc.logprobs, a, err)
		}
	}

	s := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		if bytes.Contains(r.Body, []byte("logprobs")) {
			return modeltest.Reply{Status: 400, Raw: `{"error":{"message":"logprobs are not supported"}}`}
		}
		return modeltest.Reply{Text: stated}
	})
	r := request("openai")
	r.Settings.Confidence = selection.ConfidenceAuto
	r.Settings.BaseURL = s.BaseURL()
	m, err := New(r.Settings, Options{Key: NewKey("kkkk")})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if a, err := m.Ask(t.Context(), r); err != nil || a.ConfidenceSource != selection.FromAnswer {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestLogprobs(t *testing.T) {
	s := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		if !strings.Contains(string(r.Body), `"logprobs":true`) {
			t.Error("log-probabilities were requested")
		}
		return modeltest.Reply{Text: "confidence: 0.1", Logprobs: []float64{math.Log(0.5), math.Log(0.125)}}
	})
	r := request("openai")
	r.Settings.Confidence = selection.ConfidenceLogprobs
	a, _, err := ask(t, s, r, Options{})
	if err != nil || math.Abs(*a.Confidence-0.25) > 1e-12 || a.ConfidenceSource != selection.FromLogprobs {
		t.Errorf("%+v, %v", a, err)
	}
	r.Settings.Provider = "anthropic"
	if _, err := New(r.Settings, Options{Key: NewKey("kkkk")}); err == nil || !strings.Contains(err.Error(), "log-probabilities") {
		t.Errorf("got %v", err)
	}
}

// Only 429 and 5xx are retried, after waits that grow or that the provider
// requests.
func TestRetries(t *testing.T) {
	for _, tc := range []struct {
		name    string
		replies []modeltest.Reply
		tries   int
		waits   []time.Duration
		want    string // of the error text
	}{
		{"429 and 503, then an answer", []modeltest.Reply{{Status: 429}, {Status: 503}, {Text: "ok"}}, 3, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, ""},
		{"529", []modeltest.Reply{{Status: 529}, {Text: "ok"}}, 2, []time.Duration{250 * time.Millisecond}, ""},
		{"the provider says when", []modeltest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "7"}}, {Status: 429, Header: map[string]string{"Retry-After-Ms": "1500"}}, {Text: "ok"}}, 3, []time.Duration{7 * time.Second, 1500 * time.Millisecond}, ""},
		{"the longest wait", []modeltest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "60"}}, {Text: "ok"}}, 2, []time.Duration{mostAfter}, ""},
		{"much later", []modeltest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "86400"}}, {Text: "ok"}}, 1, nil, "it asks for a wait of 24h0m0s, but a run waits for 1m0s at most"},
		{"to the end", []modeltest.Reply{{Status: 500, Text: "boom"}}, 4, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}, "answered 500 Internal Server Error: boom"},
		{"400", []modeltest.Reply{{Status: 400, Text: "bad schema"}}, 1, nil, "answered 400 Bad Request: bad schema"},
		{"401", []modeltest.Reply{{Status: 401}}, 1, nil, "check the API key"},
		{"404", []modeltest.Reply{{Status: 404}}, 1, nil, "check the model's name"},
		{"302", []modeltest.Reply{{Status: 302, Header: map[string]string{"Location": "/elsewhere"}}}, 1, nil, "redirects are not followed"},
		{"no JSON", []modeltest.Reply{{Raw: "<html>"}}, 1, nil, `cannot be read as JSON: it begins with "<html>": check the base URL`},
		{"another type", []modeltest.Reply{{Raw: `{"choices":3,"content":3}`}}, 1, nil, "cannot be read: json: cannot unmarshal number"},
		{"nothing", []modeltest.Reply{{Raw: "{}"}}, 1, nil, "the answer of provider"},
		{"half of it", []modeltest.Reply{{Raw: `{"choices":[{"mess`}}, 1, nil, "cannot be read"},
	} {
		for _, wire := range wires {
			t.Run(tc.name+" "+wire, func(t *testing.T) {
				n := 0
				s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
					n++
					return tc.replies[min(n, len(tc.replies))-1]
				})
				announced := 0
				o := Options{Waiting: func(provider string, status int, wait time.Duration) {
					if provider != wire || status < 429 || wait != tc.waits[announced] {
						t.Errorf("announced %s, %d, %s", provider, status, wait)
					}
					announced++
				}}
				a, waits, err := ask(t, s, request(wire), o)
				if announced != len(waits) {
					t.Errorf("announced %d of %d waits", announced, len(waits))
				}
				if (tc.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
					t.Errorf("got %v", err)
				}
				if len(s.Requests()) != tc.tries || a.Attempts != tc.tries || !reflect.DeepEqual(waits, tc.waits) {
					t.Errorf("%d requests, %d attempts, waits %v", len(s.Requests()), a.Attempts, waits)
				}
			})
		}
	}
}

// hanging never answers.
type hanging struct{ requests int }

func (h *hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	h.requests++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// The clock is a fake one.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := request("openai")
		r.Settings.Timeout, r.Settings.BaseURL = 7, "http://provider/v1"
		h := &hanging{}
		m, err := New(r.Settings, Options{Key: NewKey("kkkk"), Client: &http.Client{Transport: h}})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = m.Ask(t.Context(), r)
		if err == nil || !strings.Contains(err.Error(), "did not answer within 7s") || h.requests != 1 || time.Since(began) != 7*time.Second {
			t.Errorf("%d requests in %s, %v", h.requests, time.Since(began), err)
		}
	})
}

func TestCancel(t *testing.T) {
	s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Hang: true} })
	r := request("openai")
	r.Settings.BaseURL = s.BaseURL()
	m, err := New(r.Settings, Options{Key: NewKey("kkkk")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Ask(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	r.Settings.BaseURL = "http://127.0.0.1:1/v1"
	if _, _, err := ask(t, s, r, Options{}); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("got %v", err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		chunk := []byte(strings.Repeat(" ", 1<<20))
		for range maxResponse>>20 + 2 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	r := request("openai")
	r.Settings.BaseURL = s.URL
	if _, _, err := ask(t, nil, r, Options{}); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestNew(t *testing.T) {
	for _, tc := range []struct {
		provider, baseURL, key, want string
	}{
		{"openai", "", "", "needs an API key"}, {"anthropic", "", "", "needs an API key"}, {"openrouter", "", "", "needs an API key"},
		{"openai", "http://localhost/v1", "", ""}, {"ollama", "", "", ""}, {"vllm", "", "", ""}, {"llamacpp", "", "", ""}, {"lexical", "", "", ""},
		{"compatible", "", "", "needs a base URL"}, {"replay", "", "", "needs a cassette"}, {"nobody", "", "", `provider "nobody" is unknown`},
		{"openai", "", "two words", "contains white space"},
	} {
		_, err := New(selection.Settings{Provider: tc.provider, Model: "m", BaseURL: tc.baseURL}, Options{Key: NewKey(tc.key)})
		if (tc.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: got %v", tc, err)
		}
	}
}

// If a provider repeats the key, in any form, the key must not appear in an
// answer, an error or a cassette.
func TestKeysDoNotLeak(t *testing.T) {
	key := NewKey(strings.ReplaceAll(marked, " ", ""))
	quoted, _ := json.Marshal(marked)
	echo := strings.Trim(string(quoted), `"`)
	for _, status := range []int{200, 401, 500} {
		for _, wire := range wires {
			s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
				return modeltest.Reply{Status: status, Text: "you sent " + marked, Calls: []modeltest.Call{{Tool: marked, Arguments: `{"k":"` + echo + `"}`}}}
			})
			cassette := NewCassette()
			r := request(wire)
			r.Settings.BaseURL = s.BaseURL()
			m, err := New(r.Settings, Options{Key: key, sleep: func(context.Context, time.Duration) error { return nil }})
			if err != nil {
				t.Fatal(err)
			}
			rec, err := NewRecorder(m, cassette, r.Settings, key)
			if err != nil {
				t.Fatal(err)
			}
			a, err := rec.Ask(t.Context(), r)
			path := filepath.Join(t.TempDir(), "cassette.json")
			if err := cassette.Save(path); err != nil {
				t.Fatal(err)
			}
			file, _ := os.ReadFile(path)
			whole, _ := json.Marshal(a)
			texts := fmt.Sprintf("%s %v %s %v %+v %#v %s", whole, err, file, a, key, key, key)
			if !strings.Contains(texts, hidden) {
				t.Errorf("nothing was hidden in %s", texts)
			}
			for _, form := range []string{marked, echo, "MARKED"} {
				if strings.Contains(texts, form) {
					t.Errorf("%s %d: %s is in %s", wire, status, form, texts)
				}
			}
			if status == 200 && cassette.Len() != 1 || status != 200 && cassette.Len() != 0 {
				t.Errorf("%d recordings", cassette.Len())
			}
		}
	}
}

func TestKeyFrom(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(" secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string { return map[string]string{"K": "secret", "TWO": "a b"}[name] }
	for ref, want := range map[string]string{"": "", "env:K": "secret", "file:" + file: "secret"} {
		if k, err := KeyFrom(ref, getenv); err != nil || k.value != want {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for ref, want := range map[string]string{"env:NONE": "is not set", "file:" + file + "x": "no such file", "sk-secret": "by reference", "env:TWO": "contains white space", "env:": "by reference"} {
		if _, err := KeyFrom(ref, getenv); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: got %v", ref, err)
		}
	}
}

func TestStatedConfidence(t *testing.T) {
	for text, want := range map[string]float64{"confidence: 95": 0.95, "confidence: 100": 1, "confidence: 10.5": 0.105} {
		if got := statedConfidence(text); got == nil || *got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
	for _, text := range []string{"confidence: 7", "confidence: 10", "confidence: 101"} {
		if got := statedConfidence(text); got != nil {
			t.Errorf("%s: got %v", text, *got)
		}
	}
	for text, want := range map[string]float64{
		"confidence: 0.9": 0.9, "Confidence = .5": 0.5, "ok\n**Confidence:** 85%": 0.85, "confidence: 0.1\nconfidence: 1": 1, "- confidence: 0": 0,
		"confidence: high": -1, "my confidence: 0.5 ": -1, "confidence: 7": -1, "": -1, "overconfidence: 1": -1, "confidence: 101%": -1,
	} {
		got := -1.0
		if v := statedConfidence(text); v != nil {
			got = *v
		}
		if got != want {
			t.Errorf("%q: got %g, want %g", text, got, want)
		}
	}
}

func TestOffer(t *testing.T) {
	long := strings.Repeat("x", 70)
	tools := []selection.Tool{
		{Server: "a", Name: "search"}, {Server: "b b", Name: "search"}, {Server: "a", Name: "do.it"}, {Server: "a", Name: "do it"},
		{Server: "a", Name: long + "1"}, {Server: "a", Name: long + "2"}, {Server: "a", Name: "plain"}, {Server: "ä", Name: "ö"},
	}
	o := newOffer(tools)
	seen := map[string]bool{}
	for i, name := range o.names {
		if seen[name] || len(name) > maxToolName || name == "" || cleanName(name) != name {
			t.Errorf("tool %d is offered as %q", i, name)
		}
		seen[name] = true
		if c := o.call(name); c.Tool != tools[i].Name || c.Server != tools[i].Server {
			t.Errorf("%q is %+v", name, c)
		}
	}
	if o.names[0] != "a__search" || o.names[1] != "b_b__search" || o.names[6] != "plain" {
		t.Errorf("%q", o.names)
	}
	if c := o.call("do.it"); c.Tool != "do.it" {
		t.Errorf("called by its own name: %+v", c)
	}
	if c := o.call("search"); c.Unknown != "search" {
		t.Errorf("called by a name that two tools have: %+v", c)
	}
}

func TestCassette(t *testing.T) {
	s := modeltest.Serve(t, oneCall)
	r := request("openai")
	r.Settings.BaseURL = s.BaseURL()
	m, err := New(r.Settings, Options{Key: NewKey("kkkk")})
	if err != nil {
		t.Fatal(err)
	}
	cassette := NewCassette()
	rec, err := NewRecorder(m, cassette, r.Settings, Key{})
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := rec.Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "c.json")
	if err := cassette.Save(path); err != nil {
		t.Fatal(err)
	}
	loaded, err := LoadCassette(path)
	if err != nil {
		t.Fatal(err)
	}
	replay := r
	replay.Settings.Provider, replay.Settings.Model, replay.Settings.BaseURL, replay.Settings.Timeout = "replay", "openai/m", "", 1
	replay.Tools = []selection.Tool{weather}
	replay.Tools[0].ID = "another id"
	replay.Tools[0].InputSchema = json.RawMessage(`{"properties": {"city":{"description":"name of the city","type":"string"}}, "type":"object"}`)
	player, err := New(replay.Settings, Options{Cassette: loaded})
	if err != nil {
		t.Fatal(err)
	}
	a, err := player.Ask(t.Context(), replay)
	if err != nil || a.Calls[0].ToolID != "another id" || string(a.Calls[0].Parameters) != `{"city":"Paris"}` || a.Usage != recorded.Usage || a.Raw != nil {
		t.Errorf("%+v, %v", a, err)
	}
	for name, change := range map[string]func(*Request){
		"query": func(r *Request) { r.Query += "?" }, "repeat": func(r *Request) { r.Repeat = 2 }, "tool choice": func(r *Request) { r.Settings.ToolChoice = "none" },
		"parallel calls": func(r *Request) { r.Settings.ParallelToolCalls = new(bool) },
		"model":          func(r *Request) { r.Settings.Model = "openai/n" }, "prompt": func(r *Request) { r.Settings.SystemPrompt = "x" },
		"temperature": func(r *Request) { r.Settings.Temperature = 1 }, "confidence": func(r *Request) { r.Settings.Confidence = selection.ConfidenceNone },
		"description": func(r *Request) { r.Tools = []selection.Tool{r.Tools[0]}; r.Tools[0].Description = "x" },
		"schema": func(r *Request) {
			r.Tools = []selection.Tool{r.Tools[0]}
			r.Tools[0].InputSchema = json.RawMessage(`{}`)
		},
		"tools": func(r *Request) { r.Tools = append(r.Tools[:1:1], selection.Tool{Server: "b", Name: "y"}) },
	} {
		changed := replay
		change(&changed)
		if _, err := player.Ask(t.Context(), changed); !errors.Is(err, ErrNotRecorded) {
			t.Errorf("another %s: got %v", name, err)
		}
	}
}

func FuzzCassette(f *testing.F) {
	f.Add(`{"version":1,"entries":[{"key":"` + strings.Repeat("ab", 32) + `","model":"m","query":"q","repeat":1,"answer":{"calls":[{"unknown_tool":"x"}],"usage":{"input_tokens":1,"output_tokens":2}}}]}`)
	f.Add(`{"version":2,"entries":[]}`)
	f.Add(`{"version":2,"settings":[{"model":"a/b","system_prompt":"x","tool_choice":"none","parallel_tool_calls":false}],"entries":[]}`)
	f.Add(`{"version":1,"entries":[{"key":"00"}]} x`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCassette([]byte(text))
		if err != nil {
			return
		}
		path := filepath.Join(t.TempDir(), "c")
		if err := c.Save(path); err != nil {
			t.Fatal(err)
		}
		again, err := LoadCassette(path)
		if err != nil || again.Len() != c.Len() {
			t.Errorf("what was read and written cannot be read: %v", err)
		}
	})
}

func FuzzAnswers(f *testing.F) {
	f.Add(`{"choices":[{"message":{"content":"confidence: 1","tool_calls":[{"function":{"name":"get_weather","arguments":"{}"}}]}}]}`)
	f.Add(`{"type":"message","content":[{"type":"tool_use","name":"x","input":[1]}],"usage":{"input_tokens":-5}}`)
	var body string
	s := modeltest.Serve(f, func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Raw: body} })
	f.Fuzz(func(t *testing.T, text string) {
		body = text + " "
		for _, wire := range wires {
			a, _, err := ask(t, s, request(wire), Options{})
			if err != nil {
				continue
			}
			for _, c := range a.Calls {
				if c.Malformed == "" && !json.Valid(c.Parameters) || (c.Tool == "") == (c.Unknown == "") {
					t.Errorf("%+v", c)
				}
			}
			if a.Confidence != nil && !(*a.Confidence >= 0 && *a.Confidence <= 1) || a.Usage.InputTokens < 0 || !json.Valid(a.Raw) {
				t.Errorf("%+v", a)
			}
		}
	})
}

func TestLexical(t *testing.T) {
	tools := []selection.Tool{
		weather,
		{ID: "id2", Server: "b", Name: "sendEmail", Description: "Send a message to somebody", InputSchema: json.RawMessage(
			`{"properties":{"to":{"type":"string","format":"email"},"subject":{"type":"string"},"priority":{"enum":["low","high"]},"copies":{"type":"integer"}}}`)},
	}
	m, err := New(selection.Settings{Provider: "lexical", Model: "bm25"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"What is the weather in this city":                            `get_weather {}`,
		`send an e-mail to ann@example.org, "Hi", high priority, 2 x`: `sendEmail {"copies":2,"priority":"high","subject":"Hi","to":"ann@example.org"}`,
		"qqq": "",
	} {
		for range 3 {
			a, err := m.Ask(t.Context(), Request{Query: query, Tools: tools})
			got := ""
			if len(a.Calls) > 0 {
				got = a.Calls[0].Tool + " " + string(a.Calls[0].Parameters)
			}
			if err != nil || got != want || (want != "") != (a.Confidence != nil) {
				t.Errorf("%s: got %s, %v", query, got, err)
			}
		}
	}
	if a, err := m.Ask(t.Context(), Request{Query: "x"}); err != nil || len(a.Calls) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestLimit(t *testing.T) {
	l := NewLimit(60)
	if err := l.wait(t.Context()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := l.wait(ctx); err == nil {
		t.Error("the second request within a second was allowed")
	}
	if err := NewLimit(0).wait(ctx); err != nil {
		t.Error(err)
	}
}
