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
		{"three tools", keyedRequest(), "8722c4a61715fc6b336ff3ae9a3d5a01b8d08fd5fe298ed3251721bc975c3758"},
		{"replayed", replayed, "8722c4a61715fc6b336ff3ae9a3d5a01b8d08fd5fe298ed3251721bc975c3758"},
		{"no tools", noTools, "dfd2ab98589d0db9d6468ba56b494b8069b6b134b664efdd8a05b433c23f2ebd"},
		{"another order", reversed, "b41d9032c21a4669ba9c64d111a81365c0c1919f87ea9945106ec3e801d47e6c"},
		{"another schema", changed, "495de2ee6bab387facad9352079c84afec061fdfab28a1d106d70e4f25dbe724"},
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
