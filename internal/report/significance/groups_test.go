package significance

import (
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestGroups(t *testing.T) {
	query := func(id string, labels ...contracts.Label) contracts.QuerySummary {
		return contracts.QuerySummary{ID: id, Labels: labels}
	}
	right := func(tool string) contracts.Label { return contracts.Label{ToolID: tool, Relevance: 2} }
	acceptable := func(tool string) contracts.Label { return contracts.Label{ToolID: tool, Relevance: 1} }
	wrong := func(tool string) contracts.Label { return contracts.Label{ToolID: tool} }
	queries := []contracts.QuerySummary{
		query("q1", right("s:d"), acceptable("s:c")),
		query("q2", right("s:b")),
		query("q3", right("s:c"), acceptable("s:b")), // connects q1 and q2
		query("q4", right("s:z"), wrong("s:b")),      // a wrong tool connects nothing
		query("q5", wrong("s:b")),
		query("q6"),
		query("q7", acceptable("s:z")),
	}
	want := []string{"s:b", "s:b", "s:b", "s:z", ":q5", ":q6", "s:z"}
	if got := Groups(queries); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	slices.Reverse(queries)
	slices.Reverse(want)
	if got := Groups(queries); !slices.Equal(got, want) {
		t.Errorf("reversed: got %v, want %v", got, want)
	}
}

// The golden set has 228 most relevant tools, but only 156 groups.
func TestGroupsOfTheGoldenSet(t *testing.T) {
	golden, err := contracts.Read[contracts.GoldenSet]("../../../datasets/golden_v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var queries []contracts.QuerySummary
	for _, q := range golden.Queries {
		queries = append(queries, contracts.QuerySummary{ID: q.ID, Labels: q.Labels})
	}
	groups := Groups(queries)
	slices.Sort(groups)
	if n := len(slices.Compact(groups)); n != 156 {
		t.Errorf("%d groups, want 156", n)
	}
}
