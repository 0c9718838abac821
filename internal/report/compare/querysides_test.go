package compare

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestQuerySides(t *testing.T) {
	side := func(queries ...contracts.QuerySummary) (r contracts.Aggregate) {
		r.Retrieval.PerQuery = queries
		return r
	}
	labels := []contracts.Label{{ToolID: "s:right", Relevance: 2}, {ToolID: "s:fair", Relevance: 1}, {ToolID: "s:wrong", Relevance: 0}}
	ranked := func(ids ...string) (list []contracts.RankedTool) {
		for i, id := range ids {
			list = append(list, contracts.RankedTool{Rank: i + 1, ToolID: id})
		}
		return list
	}
	a := side(contracts.QuerySummary{ID: "q1", Query: "find\x1b it", Labels: labels, Ranked: ranked("s:right", "s:fair", "s:other")},
		contracts.QuerySummary{ID: "q2", Query: "old", Error: "it\x1b broke"})
	b := side(contracts.QuerySummary{ID: "q1", Query: "find\x1b it", Labels: labels, Ranked: ranked("s:wrong")})
	b.Degraded = "hide=s:right"
	for _, tc := range []struct{ id, want string }{
		{"q1", "1 s:right ● s:wrong ○ 2 s:fair ◐ 3 s:other"},
		{"q2", "1 error: it· broke not in this report"},
	} {
		q, err := SidesOf(&a, &b, tc.id)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := q.Write(&out); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(out.String()), " "); !strings.HasSuffix(got, tc.want) || !strings.Contains(got, "A B (degraded on purpose: hide=s:right)") || strings.Contains(got, "\x1b") {
			t.Errorf("%s:\n%s", tc.id, out.String())
		}
	}
	if _, err := SidesOf(&a, &b, "q3"); err == nil || !strings.Contains(err.Error(), `neither report has a query "q3"`) {
		t.Errorf("%v", err)
	}
}
