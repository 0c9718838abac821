package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// The system clock may be set back or forth while runs are in progress. What was
// stored before has a time in the future or the past then. Runs still end, are listed
// once each in both orders, and a repeated request is not executed twice.
func TestClockJumps(t *testing.T) {
	for name, shift := range map[string]string{"set back": "+400 days", "set forth": "-400 days"} {
		t.Run(name, func(t *testing.T) {
			s, ctx := open(t), t.Context()
			addServer(t, s, "a")
			c := addCase(t, s, "c", []string{"a"})
			var ids []string
			create := func(n int) {
				t.Helper()
				runs := slices.Repeat([]NewRun{{CaseID: c.ID, Settings: settings}}, n)
				_, more, err := s.CreateBatch(ctx, "", runs)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, more...)
			}
			create(3)
			if err := s.StartRun(ctx, ids[0]); err != nil {
				t.Fatal(err)
			}
			key, print := strings.Repeat("a", 64), strings.Repeat("b", 64)
			now := time.Now()
			if _, first, err := s.BeginReplay(ctx, key, print, now, now.Add(-time.Hour)); err != nil || !first {
				t.Fatal(first, err)
			}
			// The clock of the machine stays as it is: move what is stored instead.
			err := try(s, "DROP TRIGGER test_runs_identity; UPDATE test_runs SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '"+shift+"')")
			if err != nil {
				t.Fatal(err)
			}

			if err := s.FailRun(ctx, ids[0], "the server ended", nil, 1); err != nil {
				t.Error(err)
			}
			r, err := s.Run(ctx, ids[0])
			if err != nil || r.Status != selection.Failed || r.CompletedAt == nil || r.ExecutionTimeMS != 1 {
				t.Errorf("%+v, %v", r, err)
			}
			create(2)
			for _, oldest := range []bool{true, false} {
				var seen []string
				for offset := range len(ids) {
					page, total, err := s.Runs(ctx, RunFilter{OldestFirst: oldest, Page: Page{Limit: 1, Offset: offset}})
					if err != nil || total != len(ids) || len(page) != 1 {
						t.Fatalf("%d of %d, %v", len(page), total, err)
					}
					seen = append(seen, page[0].ID)
				}
				slices.Sort(seen)
				if want := slices.Sorted(slices.Values(ids)); !slices.Equal(seen, want) {
					t.Errorf("listed %v, want %v", seen, want)
				}
			}
			back := now.Add(-24 * time.Hour)
			if _, first, err := s.BeginReplay(ctx, key, print, back, back.Add(-time.Hour)); err != nil || first {
				t.Errorf("a request was forgotten when the clock was set back: %v, %v", first, err)
			}
			if err := s.Check(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}
