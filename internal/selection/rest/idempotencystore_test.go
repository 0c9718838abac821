package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// again gives a service over the same database, as after a restart.
func (b *bench) again() *bench {
	b.t.Helper()
	c := b.service.Config
	service, err := New(c)
	if err != nil {
		b.t.Fatal(err)
	}
	s := httptest.NewServer(service.handler)
	b.t.Cleanup(s.Close)
	second := *b
	second.service, second.url = service, s.URL
	return &second
}

func TestIdempotencyOutlastsTheProcess(t *testing.T) {
	first := newBench(t).withServer()
	body := map[string]any{"name": "c", "query": "q", "servers": []string{"weather"}}
	created := first.call("POST", casesPath, body, "Idempotency-Key: one").want(t, 201, nil)
	refused := map[string]any{"name": "c", "query": "q", "servers": []string{"late"}}
	first.call("POST", casesPath, refused, "Idempotency-Key: two").want(t, 422, nil)

	b := first.again()
	again := b.call("POST", casesPath, body, "Idempotency-Key: one").want(t, 201, nil)
	if string(again.body) != string(created.body) || again.header.Get("Idempotency-Replayed") != "true" ||
		again.header.Get("Location") != created.header.Get("Location") || again.header.Get("Content-Type") != created.header.Get("Content-Type") {
		t.Errorf("%s, %v", again.body, again.header)
	}
	var page listPage[selection.Case]
	if b.call("GET", casesPath, nil).want(t, 200, &page); page.Total != 1 {
		t.Errorf("there are %d cases", page.Total)
	}
	body["name"] = "other"
	first.again().call("POST", casesPath, body, "Idempotency-Key: one").want(t, 422, nil)

	// What was refused may be executed once it can be.
	b.call("POST", serversPath, map[string]string{"name": "late", "url": b.mcp + "/late"}).want(t, 201, nil)
	b.call("POST", casesPath, refused, "Idempotency-Key: two").want(t, 201, nil)

	// A comparison changes nothing and is not stored.
	tools := map[string]any{"tool_list": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}}}
	b.call("POST", matrixPath, tools, "Idempotency-Key: three").want(t, 200, nil)
	if r := first.again().call("POST", matrixPath, tools, "Idempotency-Key: three").want(t, 200, nil); r.header.Get("Idempotency-Replayed") != "" {
		t.Error("a comparison was replayed")
	}
}

// A request whose process ended in it is not executed again.
func TestIdempotencyOfAnInterruptedRequest(t *testing.T) {
	b := newBench(t).withServer()
	text := `{"name":"c","query":"q","servers":["weather"]}`
	req := httptest.NewRequest(http.MethodPost, casesPath, strings.NewReader(text))
	req.Header.Set("Idempotency-Key", "one")
	if _, first, err := beginAs(b, req); err != nil || !first {
		t.Fatal(first, err)
	}
	b.call("POST", casesPath, []byte(text), "Idempotency-Key: one").want(t, 409, nil)
	b.call("POST", casesPath, []byte(text), "Idempotency-Key: two").want(t, 201, nil)
}

// beginAs notes a request as the service does, and leaves it at that: the process
// has ended.
func beginAs(b *bench, req *http.Request) (store.Replay, bool, error) {
	print, err := fingerprint(req)
	if err != nil {
		b.t.Fatal(err)
	}
	key := sha256.Sum256([]byte(req.Header.Get("Idempotency-Key")))
	now := b.service.now()
	return b.store.BeginReplay(b.t.Context(), hex.EncodeToString(key[:]), hex.EncodeToString(print[:]), now, now.Add(-keptFor))
}
