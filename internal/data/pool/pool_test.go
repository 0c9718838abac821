package pool

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/contracts"
)

func schema(text string) []byte { return []byte(text) }

// kitchen is a corpus whose tools each retriever can tell apart.
var kitchen = contracts.Corpus{Version: "v1", Tools: []contracts.Tool{
	{ToolID: "stove:boil_water", Server: "stove", Tool: "boil_water", Description: "Heats a kettle until it steams.", Schema: schema(`{"type":"object","properties":{"litres":{"type":"number"}}}`)},
	{ToolID: "stove:fry", Server: "stove", Tool: "fry", Description: "Heats a pan with oil.", Schema: schema(`{"type":"object"}`)},
	{ToolID: "board:chop", Server: "board", Tool: "chop", Description: "Cuts vegetables into pieces, such as carrots.", Schema: schema(`{"type":"object"}`)},
	{ToolID: "board:peel", Server: "board", Tool: "peel", Description: "Removes the skin of vegetables.", Schema: schema(`{"type":"object","properties":{"thickness":{"description":"millimetres"}}}`)},
	{ToolID: "shelf:list_spices", Server: "shelf", Tool: "list_spices", Description: "Names every jar.", Schema: schema(`{"type":"object"}`)},
}}

func found(t *testing.T, name, query string) []contracts.ToolID {
	t.Helper()
	runs, err := Search(context.Background(), kitchen, []Query{{ID: "q", Text: query}}, []string{name}, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	return runs[0].Found["q"]
}

// Each retriever finds what the others miss: that is why there are several.
func TestRetrieversDiffer(t *testing.T) {
	for _, tc := range []struct {
		name, query string
		first       contracts.ToolID // "" for no result
	}{
		{"names", "a list please", "shelf:list_spices"},
		{"names", "the skin of carrots", ""},
		{"bm25", "the skin", "board:peel"},
		{"bm25", "how many millimetres", "board:peel"},
		{"bm25", "carots", ""},
		{"ngrams", "carots", "board:chop"},
		{"ngrams", "12 !?", ""},
		{"reference", "vegetable cutting", "board:chop"},
		{"lsa", "cut", "board:chop"},
		{"lsa", "zzz", ""},
	} {
		got := found(t, tc.name, tc.query)
		switch {
		case tc.first == "" && len(got) > 0:
			t.Errorf("%s found %v for %q", tc.name, got, tc.query)
		case tc.first != "" && (len(got) == 0 || got[0] != tc.first):
			t.Errorf("%s found %v for %q, want %s first", tc.name, got, tc.query, tc.first)
		}
	}
	// Latent semantic analysis also finds a tool without a common word.
	if got := found(t, "lsa", "carrots"); !slices.Contains(got, "board:peel") {
		t.Errorf("lsa found %v for carrots", got)
	}
}

func TestSearchRefusesWhatItCannotRun(t *testing.T) {
	for name, want := range map[string]string{
		"bm52":  `there is no retriever "bm52"; choose among names, bm25`,
		"dense": "needs a sentence model",
	} {
		if _, err := Search(context.Background(), kitchen, nil, []string{name}, 1, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	runs, err := Search(context.Background(), contracts.Corpus{}, []Query{{ID: "q", Text: "anything"}}, nil, 5, nil)
	if err != nil || len(runs) != 5 {
		t.Fatalf("no tools: %d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		if len(r.Found["q"]) > 0 {
			t.Errorf("%s found %v among no tools", r.Name, r.Found)
		}
	}
}

func TestBuild(t *testing.T) {
	queries := []Query{{ID: "q1", Text: "one"}, {ID: "q2", Text: "two", Language: "de"}}
	a := Run{Name: "a", Found: map[string][]contracts.ToolID{"q1": {"stove:fry", "board:chop", "board:peel"}}}
	b := Run{Name: "b", Found: map[string][]contracts.ToolID{"q1": {"board:chop"}, "q2": {"board:peel"}}}
	pool, err := Build(kitchen, queries, []Run{a, b}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(slices.Values(pool.Items[0].Tools)); !slices.Equal(got, []string{"board:chop", "stove:fry"}) {
		t.Errorf("q1 has %v", got)
	}
	want := contracts.PoolItem{ID: "q2", Query: "two", Language: "de", Tools: []string{"board:peel"}, By: map[string][]contracts.ToolID{"a": {}, "b": {"board:peel"}}}
	if diff := cmp.Diff(want, pool.Items[1]); diff != "" {
		t.Error(diff)
	}
	if _, err := Build(kitchen, queries, []Run{a, a}, 2); err == nil || !strings.Contains(err.Error(), `two runs are named "a"`) {
		t.Errorf("two runs: %v", err)
	}
	b.Found["q2"] = []contracts.ToolID{"cellar:dig"}
	if _, err := Build(kitchen, queries, []Run{b}, 2); err == nil || !strings.Contains(err.Error(), `run b, query q2: the corpus v1 has no tool "cellar:dig"`) {
		t.Errorf("a tool of another corpus: %v", err)
	}
}

// A judge must not see which tools a retriever puts first.
func TestOrderOfThePoolSaysNothingAboutRanks(t *testing.T) {
	ids := make([]contracts.ToolID, len(kitchen.Tools))
	for i, tool := range kitchen.Tools {
		ids[i] = tool.ToolID
	}
	query := []Query{{ID: "q", Text: "anything"}}
	order := func(list []contracts.ToolID) []contracts.ToolID {
		pool, err := Build(kitchen, query, []Run{{Name: "r", Found: map[string][]contracts.ToolID{"q": list}}}, 10)
		if err != nil {
			t.Fatal(err)
		}
		return pool.Items[0].Tools
	}
	reversed := slices.Clone(ids)
	slices.Reverse(reversed)
	if first, second := order(ids), order(reversed); !slices.Equal(first, second) {
		t.Errorf("the order depends on the ranks: %v and %v", first, second)
	}
	if slices.IsSorted(order(ids)) {
		t.Error("the order is that of the ids")
	}
}

func TestContributions(t *testing.T) {
	pool := contracts.Pool{Retrievers: []string{"a", "b"}, Items: []contracts.PoolItem{
		{ID: "q1", Tools: []string{"s:1", "s:2", "s:3"}, By: map[string][]contracts.ToolID{"a": {"s:1", "s:2"}, "b": {"s:2", "s:3"}}},
		{ID: "q2", Tools: []string{"s:1"}, By: map[string][]contracts.ToolID{"a": {}, "b": {"s:1"}}},
	}}
	labels := map[string]map[contracts.ToolID]int{"q1": {"s:1": 0, "s:2": 2, "s:3": 1}}
	n := func(i int) *int { return &i }
	want := []Contribution{
		{Retriever: "a", Pooled: 2, Unique: 1, Relevant: n(1), UniqueRelevant: n(0)},
		{Retriever: "b", Pooled: 3, Unique: 2, Relevant: n(2), UniqueRelevant: n(1)},
	}
	if diff := cmp.Diff(want, Contributions(pool, labels)); diff != "" {
		t.Error(diff)
	}
	if got := Contributions(pool, nil); got[0].Relevant != nil || got[1].Unique != 2 {
		t.Errorf("without labels: %+v", got)
	}
	if got := JudgedOf(pool, labels); got != (Judged{Pairs: 4, Judged: 3}) {
		t.Errorf("judged: %+v", got)
	}
}

func TestReadQueries(t *testing.T) {
	want := []Query{{ID: "q1", Text: "one"}, {ID: "q2", Text: "two", Language: "de"}}
	for _, text := range []string{
		`[{"id": "q1", "query": "one", "needs": ["a/t1"]}, {"id": "q2", "query": "two", "language": "de"}]`,
		`{"queries": [{"id": "q1", "query": "one"}, {"id": "q2", "query": "two", "language": "de"}]}`,
	} {
		got, err := ReadQueries("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if got, err := ReadQueries("f", []byte("q1\tone\n")); err != nil || len(got) != 1 || got[0] != want[0] {
		t.Errorf("topics: %v, %v", got, err)
	}
	for text, message := range map[string]string{
		"":               "f is empty",
		"[]":             "has no query",
		"{}":             "has no query",
		`[{"id": "q1"}]`: `query 1 ("q1") has no id or no text`,
		`[{"id": 1}]`:    "is no list of queries",
		"q1 one\n":       "f:1: ",
		"[" + `{"id":"q","query":"x"},` + `{"id":"q","query":"y"}]`: `queries 1 and 2 have the id "q"`,
	} {
		if _, err := ReadQueries("f", []byte(text)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: %v, want %s", text, err, message)
		}
	}
}

func TestReadRun(t *testing.T) {
	run, err := ReadRun("", "run.txt", []byte("q1 Q0 board:chop%20fine 1 0.5 theirs\nq1 Q0 stove:fry 2 0.75 theirs\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Run{Name: "theirs", Found: map[string][]contracts.ToolID{"q1": {"stove:fry", "board:chop fine"}}}); !cmp.Equal(want, run) {
		t.Error(cmp.Diff(want, run))
	}
	if _, err := ReadRun("x", "run.txt", []byte(" \n")); err == nil || !strings.Contains(err.Error(), "has no results") {
		t.Errorf("blank: %v", err)
	}
	if _, err := ReadRun("x", "run.json", []byte("{}")); err == nil || !strings.Contains(err.Error(), "per_query") {
		t.Errorf("no report: %v", err)
	}
}

func FuzzReadQueries(f *testing.F) {
	f.Add([]byte(`[{"id":"a","query":"b"}]`))
	f.Add([]byte("q1\ttext\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		queries, err := ReadQueries("f", data)
		if err == nil && len(queries) == 0 {
			t.Error("no query and no error")
		}
	})
}
