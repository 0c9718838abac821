package store

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestReplays(t *testing.T) {
	s, ctx := open(t), t.Context()
	key, print, other := strings.Repeat("a", 64), strings.Repeat("b", 64), strings.Repeat("c", 64)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	begin := func(fingerprint string, at time.Time) (Replay, bool) {
		t.Helper()
		r, first, err := s.BeginReplay(ctx, key, fingerprint, at, at.Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		return r, first
	}
	if _, first := begin(print, now); !first {
		t.Error("the first request is not the first")
	}
	if r, first := begin(other, now); first || r.Fingerprint != print || r.Status != 0 {
		t.Errorf("in work: %+v, %v", r, first)
	}
	want := Replay{Fingerprint: print, Status: 201, Header: map[string][]string{"Location": {"/x"}}, Body: []byte("{}")}
	if err := s.EndReplay(ctx, key, want); err != nil {
		t.Fatal(err)
	}
	if r, first := begin(print, now.Add(time.Hour)); first || !reflect.DeepEqual(r, want) {
		t.Errorf("%+v, %v", r, first)
	}
	if err := s.EndReplay(ctx, key, want); !errors.Is(err, ErrConflict) {
		t.Errorf("a second answer: %v", err)
	}
	if _, first := begin(other, now.Add(time.Hour+time.Second)); !first {
		t.Error("the request was not forgotten after an hour")
	}
	if err := s.DropReplay(ctx, key); err != nil {
		t.Fatal(err)
	}
	if err := s.EndReplay(ctx, key, want); !errors.Is(err, ErrNotFound) {
		t.Errorf("the answer to a forgotten request: %v", err)
	}
	if _, _, err := s.BeginReplay(ctx, "short", print, now, now); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v", err)
	}
}
