package mcpclient

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A server behind TLS that redirects to the same host without TLS would make
// the client send its headers in the clear.
func TestHeadersStayBehindTLS(t *testing.T) {
	for scheme, want := range map[string]int{"https": 1, "http": 0} {
		sent := 0
		rt := &roundTripper{budget: newBudget(), scheme: "https", host: "example.com", headers: map[string]string{"Authorization": "Bearer token"},
			next: transportFunc(func(*http.Request) (*http.Response, error) {
				sent++
				return httptest.NewRecorder().Result(), nil
			})}
		_, err := rt.RoundTrip(httptest.NewRequest(http.MethodPost, scheme+"://example.com/mcp", nil))
		if sent != want || (err == nil) != (want == 1) {
			t.Errorf("%s: sent %d times, %v", scheme, sent, err)
		}
	}
}

// floods are servers that send an endless answer, each in a different way.
var floods = map[string]func(w http.ResponseWriter){
	"JSON": func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"x":"`)
		_, _ = io.Copy(w, endless('a'))
	},
	"one event": func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: ")
		_, _ = io.Copy(w, endless('a'))
	},
	"many events": func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		event := strings.Repeat(fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"x\":%q}}\n\n", strings.Repeat("x", 1000)), 100)
		for {
			if _, err := io.WriteString(w, event); err != nil {
				return
			}
		}
	},
	"gzip": func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, `{"jsonrpc":"2.0","id":1,"result":{"x":"`)
		_, _ = io.Copy(z, endless('a'))
	},
}

func TestFloodsAreCut(t *testing.T) {
	if testing.Short() {
		t.Skip("servers send hundreds of megabytes")
	}
	for name, flood := range floods {
		t.Run(name, func(t *testing.T) {
			if name == "many events" {
				level.Thorough(t, "it decodes a hundred thousand messages, and TestMessagesHaveALargestSize limits them all")
			}
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { flood(w) }))
			defer web.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := Use(context.Background(), Target{URL: web.URL}, Options{Name: "test", Version: "1"},
				func(ctx context.Context, s *mcp.ClientSession) error {
					_, err := Tools(ctx, s)
					return err
				})
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), "it sent ") {
				t.Errorf("got %v", err)
			}
			// Buffers that double may become several times as large as the received data.
			if grown := (after.Sys - before.Sys) >> 20; grown > 16*MaxTotal>>20 {
				t.Errorf("the process grew by %d MiB", grown)
			}
		})
	}
}
