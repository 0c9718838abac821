package model

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// keyedRequest offers tools whose encoding must not change: text that JSON escapes, members in another order,
// a number that a float cannot hold, names that collide, and a schema that is not JSON.
func keyedRequest() Request {
	return Request{
		Query:    "Copy <a> & b — 東京",
		Settings: selection.Settings{Provider: "openai", Model: "m", Temperature: 0.25, SystemPrompt: "Be \"brief\""},
		Several:  true,
		Repeat:   2,
		Tools: []selection.Tool{
			{ID: "1", Server: "files", Name: "copy", Description: "Copies a < b\u2028", InputSchema: json.RawMessage(
				`{"type": "object", "properties": {"to": {"maximum": 12345678901234567890}, "from": {"type":"string"}}}`)},
			{ID: "2", Server: "mail", Name: "copy", InputSchema: json.RawMessage(`{}`)},
			{ID: "3", Server: "mail", Name: "odd name", InputSchema: json.RawMessage(`not JSON`)},
		},
	}
}

// Recorded cassettes are valid as long as the keys of their requests stay the same.
func TestKeysOfRecordedRequests(t *testing.T) {
	noTools := keyedRequest()
	noTools.Tools = nil
	reversed := keyedRequest()
	slices.Reverse(reversed.Tools)
	replayed := keyedRequest()
	replayed.Settings.Provider, replayed.Settings.Model = "replay", "openai/m"
	changed := keyedRequest()
	changed.Tools[1].InputSchema = json.RawMessage(`{"type":"object"}`)
	tests := []struct {
		name string
		r    Request
		key  string
	}{
		{"three tools", keyedRequest(), "87d621ba6a83b1478b3965e87536c9a46bdda70c7a12527e701a58c5dd3a0170"},
		{"replayed", replayed, "87d621ba6a83b1478b3965e87536c9a46bdda70c7a12527e701a58c5dd3a0170"},
		{"no tools", noTools, "19c056d8eaf1cc1d43a7a788107b9addd874d6cd2a7e97963e1c8869ea32d042"},
		{"another order", reversed, "0d361b6fd9afac432e73bce3f7211c9a5c566d5f7cd198c70e37af7d8bbe2072"},
		{"another schema", changed, "6c73e1ee6c139ca171d32a4fabefa9e2c22238665446603411323e678a69dbbd"},
	}
	c := NewCassette()
	var all sync.WaitGroup
	for range 2 { // in any order, so that a key may follow one of the same or of other tools
		for _, tt := range tests {
			all.Go(func() {
				if key, name := c.requestKey(tt.r); key != tt.key || name != "openai/m" {
					t.Errorf("%s: the key is %s of %s, not %s of openai/m", tt.name, key, name, tt.key)
				}
			})
		}
	}
	all.Wait()
}

// A schema that is changed in place changes the key.
func TestKeyAfterASchemaIsOverwritten(t *testing.T) {
	c, r := NewCassette(), keyedRequest()
	before, _ := c.requestKey(r)
	copy(r.Tools[1].InputSchema, `[]`)
	if after, _ := c.requestKey(r); after == before {
		t.Error("the key is that of the schema before")
	}
}

// The tools of requests that offer the same are encoded once.
func TestKeysOfManyRequestsWithTheSameTools(t *testing.T) {
	c, r := NewCassette(), keyedRequest()
	for len(r.Tools) < 400 {
		r.Tools = append(r.Tools, keyedRequest().Tools...)
	}
	few := keyedRequest()
	c.requestKey(r)
	c.requestKey(few)
	if n := testing.AllocsPerRun(10, func() { c.requestKey(r); c.requestKey(few) }); n > 100 {
		t.Errorf("the key of another request with the same %d tools allocates %.0f times", len(r.Tools), n)
	}
}

// The kept encodings are bounded.
func TestKeysOfRequestsWithOtherTools(t *testing.T) {
	c, r := NewCassette(), keyedRequest()
	for range 5 * keptOffers {
		r.Tools = append(r.Tools, r.Tools[0])
		c.requestKey(r)
	}
	if n := len(c.offered); n != keptOffers {
		t.Errorf("%d encodings are kept, not %d", n, keptOffers)
	}
}
