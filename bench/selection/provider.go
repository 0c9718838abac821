package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
)

// provider is a fake one that speaks OpenAI's chat completions and calls the tool
// get_weather.
type provider struct {
	*httptest.Server
	asked atomic.Int64
	quit  chan struct{}
}

// fault says what goes wrong with the nth request, from 1: "429", "500", "hang",
// "malformed", or nothing.
type fault func(n int64) string

// someFaults is the mix of the trial faults: 5% 429, 5% 500, 2% hangs, 1% malformed
// answers.
func someFaults(n int64) string {
	switch i := n % 100; {
	case i < 5:
		return "429"
	case i < 10:
		return "500"
	case i < 12:
		return "hang"
	case i < 13:
		return "malformed"
	}
	return ""
}

func newProvider(wrong fault) *provider {
	p := &provider{quit: make(chan struct{})}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}

		switch wrong(p.asked.Add(1)) {
		case "429":
			w.Header().Set("Retry-After-Ms", "5")
			http.Error(w, `{"error":{"message":"too many requests"}}`, http.StatusTooManyRequests)
		case "500":
			http.Error(w, `{"error":{"message":"out of order"}}`, http.StatusInternalServerError)
		case "hang":
			select {
			case <-r.Context().Done():
			case <-p.quit:
			}
		case "malformed":
			fmt.Fprint(w, `{"choices":[{"mess`)
		default:
			answer(w, body)
		}
	}))
	return p
}

func (p *provider) close() {
	close(p.quit)
	p.CloseClientConnections()
	p.Close()
}

func answer(w http.ResponseWriter, body []byte) {
	var req struct {
		Model string `json:"model"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	name := "none"
	for _, t := range req.Tools {
		if strings.Contains(t.Function.Name, "get_weather") {
			name = t.Function.Name
		}
	}

	call := map[string]any{"id": "call_1", "type": "function",
		"function": map[string]any{"name": name, "arguments": `{"city":"Kyiv"}`}}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client may be gone
		"id": "1", "object": "chat.completion", "created": 1, "model": req.Model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "tool_calls", "message": map[string]any{
			"role": "assistant", "content": nil, "tool_calls": []any{call},
		}}},
		"usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
	})
}
