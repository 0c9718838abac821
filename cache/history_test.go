package cache

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestHistory(t *testing.T) {
	clock := newClock()
	s := openAt(t, filepath.Join(t.TempDir(), "c"), Options{Clock: clock.Now})
	if h := s.History("p", "stage", ""); len(h) != 0 {
		t.Errorf("history of nothing: %v", h)
	}
	for i := range 3*historyKept + 5 {
		if err := s.AppendHistory("p", "stage", "run=1", testKey(i), clock.Now().Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	h := s.History("p", "stage", "run=1")
	if len(h) != historyKept || h[0].Key != testKey(3*historyKept+4) || !h[0].Time.Equal(clock.Now().Add((3*historyKept+4)*time.Minute)) {
		t.Errorf("%d entries, first %+v", len(h), h[0])
	}
	for _, other := range [][3]string{{"q", "stage", "run=1"}, {"p", "stagerun", "=1"}, {"p", "stage", ""}} {
		if h := s.History(other[0], other[1], other[2]); len(h) != 0 {
			t.Errorf("%v shares it", other)
		}
	}
	// A damaged line costs that line only.
	path := s.historyPath("p", "stage", "run=1")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-100] = 'x'
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if again := s.History("p", "stage", "run=1"); len(again) != historyKept || again[0] != h[1] && again[1] != h[2] {
		t.Errorf("%d entries", len(again))
	}
}

func TestHistoryConcurrent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	openAt(t, dir, Options{})
	var wg sync.WaitGroup
	for i := range historyKept {
		s := openAt(t, dir, Options{})
		wg.Go(func() {
			if err := s.AppendHistory("p", "s", "", testKey(i), time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if h := openAt(t, dir, Options{}).History("p", "s", ""); len(h) != historyKept {
		t.Errorf("%d entries are left of %d", len(h), historyKept)
	}
}

func TestRuns(t *testing.T) {
	clock := newClock()
	s := openAt(t, filepath.Join(t.TempDir(), "c"), Options{Clock: clock.Now})
	for i := range runsKept + 3 {
		if err := s.PutRun("p", fmt.Sprintf("run-%03d", i), fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Minute)
	}
	runs, err := s.Runs("p")
	if err != nil || len(runs) != runsKept || runs[0].ID != "run-052" || runs[runsKept-1].ID != "run-003" {
		t.Errorf("%d runs, %v: %+v", len(runs), err, runs[0])
	}
	if b, err := s.Run("p", "run-052"); err != nil || !bytes.Equal(b, []byte(`{"n":52}`)) {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := s.Run("p", "run-000"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	for _, id := range []string{"", ".", "../x", "a/b", ".hidden", "a b"} {
		if err := s.PutRun("p", id, nil); err == nil {
			t.Errorf("id %q was accepted", id)
		}
		if _, err := s.Run("p", id); err == nil {
			t.Errorf("id %q was read", id)
		}
	}
	if runs, err := s.Runs("other"); err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
}
