// Package modeltest serves fake providers of models: real HTTP servers that
// implement OpenAI's chat completions and Anthropic's messages, with tool
// calls, streams, errors and rate limits. It is for tests only.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Request is a client's request.
type Request struct {
	Wire   string // "openai" or "anthropic"
	Header http.Header
	Body   []byte

	Model  string
	System string
	Query  string
	Tools  []string // their names, in order
	Stream bool
	// Parallel reports whether several calls are allowed.
	Parallel bool
}

// Call is a tool call. Arguments is the text of a JSON object, or any other
// text for a model that makes mistakes.
type Call struct{ Tool, Arguments string }

// Reply is the server's answer. The default status is 200.
type Reply struct {
	Calls    []Call
	Text     string
	Logprobs []float64
	Status   int
	Header   map[string]string
	// Raw replaces the whole body.
	Raw string
	// Hang delays the answer until the client disconnects.
	Hang bool
	// Refusal makes the model refuse.
	Refusal string
	// Stop replaces the stop reason.
	Stop string
}

// Server is a running fake provider.
type Server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []Request
}

// BaseURL is the base URL of the OpenAI-compatible API; Anthropic's is URL.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// Requests returns the requests received so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Serve starts a server that answers with reply until the test ends.
func Serve(t testing.TB, reply func(Request) Reply) *Server {
	t.Helper()
	s := &Server{}
	mux := http.NewServeMux()
	ended := make(chan struct{})
	for path, wire := range map[string]string{"POST /v1/chat/completions": "openai", "POST /v1/messages": "anthropic"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			req, err := read(wire, r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}

			s.mu.Lock()
			s.requests = append(s.requests, req)
			s.mu.Unlock()
			answer := reply(req)
			if answer.Hang {
				select {
				case <-r.Context().Done():
				case <-ended:
				}

				return
			}

			write(w, req, answer)
		})
	}

	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		close(ended)
		s.Close()
	})
	return s
}

func read(wire string, r *http.Request) (Request, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return Request{}, err
	}

	req := Request{Wire: wire, Header: r.Header, Body: body, Parallel: true}
	var b struct {
		Model    string `json:"model"`
		System   string `json:"system"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name     string `json:"name"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		Parallel *bool `json:"parallel_tool_calls"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return req, err
	}

	req.Model, req.System, req.Stream = b.Model, b.System, b.Stream
	for _, m := range b.Messages {
		var text string
		_ = json.Unmarshal(m.Content, &text) // the vendors' clients also send lists of blocks
		switch m.Role {
		case "system":
			req.System = text
		case "user":
			req.Query = text
		}
	}

	for _, t := range b.Tools {
		req.Tools = append(req.Tools, t.Name+t.Function.Name)
	}

	if b.Parallel != nil {
		req.Parallel = *b.Parallel
	}

	if strings.Contains(string(body), `"disable_parallel_tool_use":true`) {
		req.Parallel = false
	}

	return req, nil
}

func write(w http.ResponseWriter, req Request, a Reply) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Request-Id", "req_1")
	for name, v := range a.Header {
		h.Set(name, v)
	}

	if a.Status == 0 {
		a.Status = http.StatusOK
	}

	if a.Raw != "" {
		w.WriteHeader(a.Status)
		fmt.Fprint(w, a.Raw)
		return
	}

	if a.Status != http.StatusOK {
		h.Set("X-Should-Retry", fmt.Sprint(a.Status >= 429))
		w.WriteHeader(a.Status)
		fail := map[string]any{"message": a.Text, "type": "error_" + fmt.Sprint(a.Status)}
		body := map[string]any{"error": fail}
		if req.Wire == "anthropic" {
			body["type"] = "error"
		} else {
			fail["param"], fail["code"] = nil, nil
		}

		_ = json.NewEncoder(w).Encode(body) // the client may have disconnected
		return
	}

	if req.Stream {
		h.Set("Content-Type", "text/event-stream")
	}

	w.WriteHeader(a.Status)
	switch {
	case req.Wire == "openai" && req.Stream:
		streamOpenAI(w, req, a)
	case req.Wire == "openai":
		_ = json.NewEncoder(w).Encode(openAI(req, a)) // the client may have disconnected
	case req.Stream:
		streamAnthropic(w, req, a)
	default:
		_ = json.NewEncoder(w).Encode(anthropic(req, a)) // the client may have disconnected
	}
}

func openAI(req Request, a Reply) map[string]any {
	message := map[string]any{"role": "assistant", "content": nil, "refusal": nil}
	if a.Text != "" {
		message["content"] = a.Text
	}

	if a.Refusal != "" {
		message["refusal"] = a.Refusal
	}

	stop := "stop"
	var calls []any
	for i, c := range a.Calls {
		stop = "tool_calls"
		calls = append(calls, map[string]any{
			"id": fmt.Sprintf("call_%d", i), "type": "function",
			"function": map[string]any{"name": c.Tool, "arguments": c.Arguments},
		})
	}

	if calls != nil {
		message["tool_calls"] = calls
	}

	if a.Stop != "" {
		stop = a.Stop
	}

	choice := map[string]any{"index": 0, "message": message, "finish_reason": stop, "logprobs": nil}
	if a.Logprobs != nil {
		var tokens []any
		for _, l := range a.Logprobs {
			tokens = append(tokens, map[string]any{"token": "x", "logprob": l, "bytes": nil, "top_logprobs": []any{}})
		}

		choice["logprobs"] = map[string]any{"content": tokens, "refusal": nil}
	}

	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": req.Model, "choices": []any{choice},
		"usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
	}
}

func anthropic(req Request, a Reply) map[string]any {
	content := []any{}
	stop := "end_turn"
	if a.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": a.Text})
	}

	for i, c := range a.Calls {
		stop = "tool_use"
		var input any = map[string]any{}
		if json.Unmarshal([]byte(c.Arguments), &input) != nil {
			input = c.Arguments
		}

		content = append(content,
			map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", i), "name": c.Tool, "input": input})
	}

	if a.Refusal != "" {
		stop, content = "refusal", append(content, map[string]any{"type": "text", "text": a.Refusal})
	}

	if a.Stop != "" {
		stop = a.Stop
	}

	return map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": req.Model, "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 90, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0,
			"output_tokens": 10},
	}
}

func event(w io.Writer, name string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", b)
}

func streamOpenAI(w io.Writer, req Request, a Reply) {
	chunk := func(delta map[string]any, stop any) {
		event(w, "", map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": req.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": stop}},
		})
	}
	chunk(map[string]any{"role": "assistant", "content": a.Text}, nil)
	stop := "stop"
	for i, c := range a.Calls {
		stop = "tool_calls"
		half := len(c.Arguments) / 2
		chunk(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function",
			"function": map[string]any{"name": c.Tool, "arguments": c.Arguments[:half]},
		}}}, nil)
		chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i,
			"function": map[string]any{"arguments": c.Arguments[half:]}}}}, nil)
	}

	chunk(map[string]any{}, stop)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func streamAnthropic(w io.Writer, req Request, a Reply) {
	whole := anthropic(req, a)
	blocks, stop := whole["content"].([]any), whole["stop_reason"]
	whole["content"], whole["stop_reason"] = []any{}, nil
	event(w, "message_start", map[string]any{"type": "message_start", "message": whole})
	for i, b := range blocks {
		block := b.(map[string]any)
		var delta map[string]any
		if block["type"] == "text" {
			delta = map[string]any{"type": "text_delta", "text": block["text"]}
			block = map[string]any{"type": "text", "text": ""}
		} else {
			text, err := json.Marshal(block["input"])
			if err != nil {
				panic(err)
			}

			delta = map[string]any{"type": "input_json_delta", "partial_json": string(text)}
			block = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"],
				"input": map[string]any{}}
		}

		event(w, "content_block_start",
			map[string]any{"type": "content_block_start", "index": i, "content_block": block})
		event(w, "content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": delta})
		event(w, "content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
	}

	event(w, "message_delta",
		map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
			"usage": map[string]any{"output_tokens": 10}})
	event(w, "message_stop", map[string]any{"type": "message_stop"})
}
