package gate

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/aggregate"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

// otherDigest is no entry's digest.
const otherDigest = "00000000000000ff"

// onOtherData returns figures of goodQueries and goodEntries, or of changed
// ones, beside a baseline whose data change makes others.
func onOtherData(t *testing.T, queries []contracts.QueryResult, entries []contracts.EntryResult, change func(*contracts.Baseline)) (contracts.Aggregate, contracts.Baseline) {
	t.Helper()
	b := goodBaseline(t)
	b.Digests = fixture.Digests(goodQueries(), goodEntries())
	change(&b)
	f := fixture.Write(t, []contracts.RetrievalReport{fixture.Retrieval(1, queries...)},
		[]contracts.SecurityReport{fixture.Security("scanner", 1, entries...), fixture.Security("keywords", 1, entries...)})
	v := fixture.Validation()
	v.Digests = fixture.Digests(queries, entries)
	fixture.WriteFile(t, f.Validation, v)
	opts := aggregate.Options{Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Baseline: filepath.Join(f.Dir, "b.json"), Out: filepath.Join(f.Dir, "a.json")}
	fixture.WriteFile(t, opts.Baseline, b)
	if err := aggregate.Run(context.Background(), opts); err != nil {
		t.Fatal(err)
	}
	return fixture.ReadFile[contracts.Aggregate](t, opts.Out), b
}

func otherGolden(b *contracts.Baseline) {
	b.Data.GoldenVersion, b.Data.GoldenSHA256 = "golden_v0", fixture.SHA("d")
}

func changes(d *contracts.DataComparison) []string {
	var list []string
	for _, c := range d.Changes {
		text := c.Kind + " " + c.ID + " " + c.State
		if c.Tool != "" {
			text += " " + c.Tool
		}
		list = append(list, text)
	}
	return list
}

func TestEditedQueryIsJudgedApart(t *testing.T) {
	queries := goodQueries()
	lost := queries[0]
	worse := fixture.Query(lost.ID, map[contracts.ToolID]int{lost.Labels[0].ToolID: lost.Labels[0].Relevance}, "x:y")
	worse.Query = "another intent"
	queries[0] = worse
	agg, b := onOtherData(t, queries, goodEntries(), otherGolden)
	g, log, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	if !g.Passed {
		t.Errorf("an edited query failed the gate:\n%s", log)
	}
	n := len(queries)
	if want := (contracts.Overlap{Common: n - 1, Now: n, Before: n}); g.Data.Queries != want {
		t.Errorf("queries %+v, want %+v", g.Data.Queries, want)
	}
	if got := changes(g.Data); !slices.Contains(got, "golden "+lost.ID+" edited") {
		t.Errorf("changes %v", got)
	}
	if a := g.Data.Apart; len(a) != 1 || a[0].State != contracts.ChangeEdited || a[0].Queries != 1 || a[0].Metrics["mrr"] != 0 || a[0].Before["mrr"] != 1 {
		t.Errorf("apart %+v", a)
	}
	c := checkOf(t, g, Subject, "mrr")
	if !strings.Contains(c.Rule, "judged on ") || c.Value < c.Bound {
		t.Errorf("%+v", c)
	}
	for _, want := range []string{"is for other data:", "queries, edited: " + lost.ID, "1 edited"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not in\n%s", want, log)
		}
	}

	// A loss of a query that is the same still fails.
	queries = goodQueries()
	queries[1] = fixture.Query(queries[1].ID, map[contracts.ToolID]int{queries[1].Labels[0].ToolID: queries[1].Labels[0].Relevance}, "x:y")
	agg, b = onOtherData(t, queries, goodEntries(), func(b *contracts.Baseline) {
		otherGolden(b)
		b.Digests.Queries[lost.ID] = otherDigest
	})
	if g, log, err = judge(t, agg, b); err != nil || g.Passed {
		t.Errorf("passed, %v:\n%s", err, log)
	}
	if !slices.ContainsFunc(g.Changes, func(m contracts.Change) bool {
		return m.ID == queries[1].ID && m.State == contracts.ChangeRegressed
	}) {
		t.Errorf("moves %+v", g.Changes)
	}
}

func TestNewAndRemovedQueries(t *testing.T) {
	agg, b := onOtherData(t, goodQueries(), goodEntries(), func(b *contracts.Baseline) {
		otherGolden(b)
		id := b.PerQuery[0].ID
		b.PerQuery[0].ID, b.Digests.Queries["gone"] = "gone", b.Digests.Queries[id]
		delete(b.Digests.Queries, id)
	})
	g, _, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"golden gone removed", "golden " + goodQueries()[0].ID + " new"}; !slices.Equal(changes(g.Data), want) {
		t.Errorf("changes %v, want %v", changes(g.Data), want)
	}
	states := map[string]int{}
	for _, a := range g.Data.Apart {
		states[a.State] = a.Queries
	}
	if want := map[string]int{contracts.ChangeNew: 1, contracts.ChangeRemoved: 1}; !maps.Equal(states, want) {
		t.Errorf("apart %v", states)
	}
	if !g.Passed {
		t.Error("the gate failed")
	}
}

// A query whose relevant tool has another definition is not the same query.
func TestEditedToolTakesItsQueriesApart(t *testing.T) {
	q := goodQueries()[0]
	tool := q.Labels[0].ToolID
	agg, b := onOtherData(t, goodQueries(), goodEntries(), func(b *contracts.Baseline) {
		b.Data.CorpusVersion, b.Data.CorpusSHA256 = "corpus_v0", fixture.SHA("d")
		b.Digests.Tools[tool] = otherDigest
	})
	g, _, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"golden " + q.ID + " edited " + tool, "corpus " + tool + " edited"}
	for _, w := range want {
		if !slices.Contains(changes(g.Data), w) {
			t.Errorf("%q is not in %v", w, changes(g.Data))
		}
	}
	if g.Data.Queries.Common >= g.Data.Queries.Now {
		t.Errorf("queries %+v", g.Data.Queries)
	}
}

// Floors and ceilings are judged on all entries, moves are found among the
// common ones.
func TestChangedSecurityEntries(t *testing.T) {
	entries := goodEntries()
	for i, e := range entries {
		if e.ID == "b1" {
			entries[i] = fixture.Entry("b1", contracts.CategoryBenign, flagged)
		}
	}
	agg, b := onOtherData(t, goodQueries(), entries, func(b *contracts.Baseline) {
		b.Data.SecurityVersion, b.Data.SecuritySHA256 = "security_v0", fixture.SHA("d")
		b.Digests.Entries["b1"] = otherDigest
	})
	g, log, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	if c := checkOf(t, g, "scanner", "fpr_benign"); c.Passed || c.Value != .5 {
		t.Errorf("%+v\n%s", c, log)
	}
	for _, m := range g.Changes {
		if m.ID == "b1" {
			t.Errorf("the edited entry moved: %+v", m)
		}
	}
	if c := checkOf(t, g, Subject, "mrr"); strings.Contains(c.Rule, "judged on ") {
		t.Errorf("all queries are the same, but: %s", c.Rule)
	}
	if want := (contracts.Overlap{Common: len(entries) - 1, Now: len(entries), Before: len(entries)}); g.Data.Entries != want {
		t.Errorf("entries %+v, want %+v", g.Data.Entries, want)
	}
}

func TestTooLittleInCommonIsNoVerdict(t *testing.T) {
	edit := func(queries, entries int) func(*contracts.Baseline) {
		return func(b *contracts.Baseline) {
			if queries > 0 {
				otherGolden(b)
			}
			if entries > 0 {
				b.Data.SecuritySHA256 = fixture.SHA("d")
			}
			for _, q := range goodQueries()[:queries] {
				b.Digests.Queries[q.ID] = otherDigest
			}
			for _, e := range goodEntries()[:entries] {
				b.Digests.Entries[e.ID] = otherDigest
			}
		}
	}
	queries, entries := len(goodQueries()), len(goodEntries())
	for _, tt := range []struct {
		name   string
		change func(*contracts.Baseline)
		want   string
	}{
		{"queries", edit(queries/2+1, 0), "queries are the same as in the data of the baseline"},
		{"every query", edit(queries, 0), "only 0 of"},
		{"entries", edit(0, entries/2+1), "entries of the security corpus are the same"},
		{"a baseline without digests", func(b *contracts.Baseline) {
			otherGolden(b)
			b.Digests = nil
		}, "which queries are the same is unknown, because the baseline or the validation report has no digests"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agg, b := onOtherData(t, goodQueries(), goodEntries(), tt.change)
			g, log, err := judge(t, agg, b)
			if err != nil {
				t.Fatal(err)
			}
			if g.Passed || g.NoVerdict == nil || !strings.Contains(g.NoVerdict.Reason, tt.want) || len(g.Checks) > 0 {
				t.Errorf("%+v", g)
			}
			if !strings.Contains(log, "no verdict: ") || !strings.Contains(log, "touchstone baseline update") {
				t.Errorf("log:\n%s", log)
			}
		})
	}
	agg, b := onOtherData(t, goodQueries(), goodEntries(), edit(0, entries/2))
	if g, log, err := judge(t, agg, b); err != nil || g.NoVerdict != nil {
		t.Errorf("half of the entries is enough: %v\n%s", err, log)
	}
}

func TestEditedFrozenDataAreMarked(t *testing.T) {
	agg, b := onOtherData(t, goodQueries(), goodEntries(), func(b *contracts.Baseline) {
		otherGolden(b)
		b.Digests.Queries[goodQueries()[0].ID] = otherDigest
	})
	for i := range agg.Validation.Datasets {
		if agg.Validation.Datasets[i].Kind == contracts.KindGolden {
			agg.Validation.Datasets[i].State = contracts.StateChanged
		}
	}
	g, log, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	want := []contracts.UnfrozenDataset{{Kind: contracts.KindGolden, Version: "golden_v1", State: contracts.StateChanged}}
	if !g.Passed || !slices.Equal(g.Unfrozen, want) || !strings.Contains(log, "golden golden_v1 is frozen, but the file was edited") {
		t.Errorf("unfrozen %+v\n%s", g.Unfrozen, log)
	}
	if _, err := NewBaseline(agg, nil); err == nil || !strings.Contains(err.Error(), "touchstone data next") {
		t.Errorf("a baseline of edited frozen data: %v", err)
	}
}
