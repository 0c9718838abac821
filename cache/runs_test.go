package cache

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

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

// No record contains the output of a failed stage, so the journal of its run keeps it.
func TestGCKeepsWhatRunsName(t *testing.T) {
	clock := newClock()
	dir := filepath.Join(t.TempDir(), "c")
	w := openAt(t, dir, Options{Clock: clock.Now})
	log := mustPut(t, w, "what it printed")
	if err := w.PutRun("p", "run", []byte("{}"), log, Digest{9}); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, runsDir, fileID("p"), "earlier") // without a header
	if err := os.WriteFile(old, []byte(`{"id":"earlier"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(old, clock.Now(), clock.Now()); err != nil {
		t.Fatal(err)
	}
	w.Close()
	clock.Advance(24 * time.Hour)
	s := openAt(t, dir, Options{Clock: clock.Now})
	if b, err := s.Run("p", "earlier"); err != nil || string(b) != `{"id":"earlier"}` {
		t.Errorf("%q, %v", b, err)
	}
	for _, tt := range []struct {
		o    GCOptions
		kept bool
	}{
		{GCOptions{MaxBytes: 1 << 20, MaxAge: 48 * time.Hour}, true},
		{GCOptions{MaxBytes: 1, DryRun: true}, true},
		{GCOptions{MaxBytes: 1 << 20, MaxAge: time.Hour}, false},
	} {
		res, err := s.GC(t.Context(), tt.o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Run("p", "run")
		if s.Has(log) != tt.kept || (err == nil) != tt.kept || tt.kept && string(b) != "{}" {
			t.Errorf("%+v: %+v; the run is %q, %v", tt.o, res, b, err)
		}
	}
	if runs, err := s.Runs("p"); err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
}

func FuzzDecodeRun(f *testing.F) {
	f.Add(encodeRun([]byte("{}"), []Digest{{1}, {2}}))
	f.Add([]byte("{}"))
	f.Add([]byte(runMagic + "\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		journal, blobs := decodeRun(b)
		if len(blobs) > 0 && !bytes.Equal(encodeRun(journal, blobs), b) {
			t.Errorf("%q is decoded as %q and %v", b, journal, blobs)
		}
	})
}
