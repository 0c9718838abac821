package synthetic

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestTheSameOptionsGiveTheSameData(t *testing.T) {
	opts := Options{Tools: 500, Servers: 40, Queries: 200, Seed: 7}
	corpus, golden, err := Generate(opts)
	if err != nil {
		t.Fatal(err)
	}
	again, goldenAgain, err := Generate(opts)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(corpus, again) || !reflect.DeepEqual(golden, goldenAgain) {
		t.Error("two makings differ")
	}
	opts.Seed++
	if other, _, _ := Generate(opts); reflect.DeepEqual(corpus.Tools, other.Tools) {
		t.Error("another seed gives the same tools")
	}
}

func TestWhatIsMadeHangsTogether(t *testing.T) {
	corpus, golden, err := Generate(Options{Tools: 3000, Servers: 100, Queries: 400, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	servers, ids := map[string]bool{}, map[string]bool{}
	for _, tool := range corpus.Tools {
		servers[tool.Server], ids[tool.ToolID] = true, true
		if tool.ToolID != tool.Server+":"+tool.Tool || !json.Valid(tool.Schema) {
			t.Fatalf("%+v", tool)
		}
	}
	if len(ids) != 3000 || len(servers) != 100 || len(golden.Queries) != 400 {
		t.Fatalf("%d tools, %d servers, %d queries", len(ids), len(servers), len(golden.Queries))
	}
	several := 0
	for _, q := range golden.Queries {
		best := 0
		for _, l := range q.Labels {
			if !ids[l.ToolID] {
				t.Fatalf("query %s: label %s dangles", q.ID, l.ToolID)
			}
			best = max(best, l.Relevance)
		}
		if best != 2 {
			t.Errorf("query %s asks for no tool", q.ID)
		}
		if len(q.Labels) > 1 {
			several++
		}
	}
	if several == 0 {
		t.Error("no query has a near-duplicate")
	}
}

func TestRefusesWhatCannotBeMade(t *testing.T) {
	for _, opts := range []Options{{}, {Tools: 1, Servers: 2, Queries: 1}, {Tools: 1001, Servers: 1, Queries: 1}, {Tools: 5, Servers: 1}} {
		if _, _, err := Generate(opts); err == nil {
			t.Errorf("%+v is taken", opts)
		}
	}
}
