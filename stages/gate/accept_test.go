package gate

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

// A baseline in which every changed result was accepted has the figures of a new one.
func TestAcceptingAllChangesIsAnUpdate(t *testing.T) {
	b := goodBaseline(t)
	queries, entries := goodQueries(), goodEntries()
	queries[1] = fixture.Query("q2", labels{"s:b": 2}, "s:x", "s:y", "s:z", "s:b")
	entries[0] = fixture.Entry("a1", contracts.CategoryRugPull, contracts.VerdictClean)
	agg := aggregated(t, queries, entries, &b)
	want := newBaseline(t, agg)

	first, err := Accept(b, agg, []string{"q2"}, "the tool was split")
	if err != nil {
		t.Fatal(err)
	}

	if maps.Equal(first.Metrics, b.Metrics) || !maps.Equal(first.Metrics, want.Metrics) {
		t.Errorf("metrics %v, want %v", first.Metrics, want.Metrics)
	}

	if d, _ := baselineDetector(first, "scanner"); !slices.Contains(d.Flagged, "a1") {
		t.Error("an entry changed that was not named")
	}

	both, err := Accept(first, agg, []string{"a1"}, "it was never an attack")
	if err != nil {
		t.Fatal(err)
	}

	both.GeneratedFrom, want.GeneratedFrom, want.Thresholds = b.GeneratedFrom, b.GeneratedFrom, b.Thresholds
	if changes := BaselineChanges(&want, both); len(changes) != 1 || !strings.Contains(changes[0], "no figure changes") {
		t.Errorf("differs from an update: %q", changes)
	}

	if got := both.Accepted; len(got) != 2 || got[0].ID != "q2" || got[1].Reason != "it was never an attack" {
		t.Errorf("accepted %+v", got)
	}
}

func TestAcceptRefuses(t *testing.T) {
	b := goodBaseline(t)
	queries := goodQueries()
	queries[0] = fixture.Errored("q1", labels{"s:a": 2}, "timeout after 30s")
	agg := aggregated(t, queries, goodEntries(), &b)
	other := agg
	other.Data.GoldenVersion = "v9"
	for want, refused := range map[string]error{
		"q1 ended in an error":                  second(Accept(b, agg, []string{"q1"}, "r")),
		"q2 has the result that":                second(Accept(b, agg, []string{"q2"}, "r")),
		"a1 has the result that":                second(Accept(b, agg, []string{"a1"}, "r")),
		"did you mean q3?":                      second(Accept(b, agg, []string{"Q3x"}, "r")),
		"belongs to other versions of the data": second(Accept(b, other, []string{"q2"}, "r")),
	} {
		if refused == nil || !strings.Contains(refused.Error(), want) {
			t.Errorf("got %v, want %q", refused, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }
