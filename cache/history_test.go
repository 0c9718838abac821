package cache

import (
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
	// A damaged line only loses that line.
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

// A history without any existing record is useless.
func TestHistoryOfNothingIsRemoved(t *testing.T) {
	clock := newClock()
	dir := filepath.Join(t.TempDir(), "c")
	w := openAt(t, dir, Options{Clock: clock.Now})
	mustRecord(t, w, testKey(1), "kept")
	for i, project := range []string{"a", "b", "b"} {
		if err := w.AppendHistory(project, "s", "", testKey(i), clock.Now()); err != nil {
			t.Fatal(err)
		}
		// The times of appended lines do not come from the store's clock.
		if err := os.Chtimes(w.historyPath(project, "s", ""), clock.Now(), clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	s := openAt(t, dir, Options{Clock: clock.Now})
	count := func() string {
		t.Helper()
		if _, err := s.GC(t.Context(), GCOptions{}); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(filepath.Dir(s.historyPath("a", "s", "")))
		return fmt.Sprint(len(s.History("a", "s", "")), err == nil, len(s.History("b", "s", "")))
	}
	if got := count(); got != "1 true 2" {
		t.Errorf("at once: %s; a run may be about to leave its record", got)
	}
	clock.Advance(historyAge + time.Hour)
	if got := count(); got != "0 false 2" {
		t.Errorf("later: %s", got)
	}
	if err := s.AppendHistory("a", "s", "", testKey(2), clock.Now()); err != nil {
		t.Error(err)
	}
}
