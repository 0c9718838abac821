package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func record(server, tool, description, schema string) *toolRecord {
	return &toolRecord{id: server + ":" + tool, server: server, tool: tool, description: description, schema: json.RawMessage(schema)}
}

var shelf = []*toolRecord{
	record("library", "borrow_book", "Take a book home for a while.", `{"properties":{"isbn":{"description":"number on the back"}}}`),
	record("library", "return_book", "Bring a book back.", `{}`),
	record("library", "searchCatalogue", "Look for titles and authors.", `{"properties":{"language":{"enum":["french","danish"]}}}`),
	record("archive", "borrow_book", "Take a book home for a while.", `{}`),
	record("post", "send_parcel", "Hand a parcel to the carrier.", `{"properties":{"weight":{"type":"number"}}}`),
}

func search(t *testing.T, tools []*toolRecord, opts contracts.IndexOptions, query string, limit int) []hit {
	t.Helper()
	idx := newSearchIndex(tools, opts)
	hits, total, err := idx.search(context.Background(), query, limit)
	if err != nil {
		t.Fatal(err)
	}
	if total < len(hits) || len(hits) > limit {
		t.Errorf("%d hits of %d to a limit of %d", len(hits), total, limit)
	}
	return hits
}

func names(hits []hit) string {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.id)
	}
	return strings.Join(ids, " ")
}

func TestSearchLooksAtEveryPart(t *testing.T) {
	for query, want := range map[string]string{
		"parcels":                  "post:send_parcel",        // stem, name and description
		"author":                   "library:searchCatalogue", // description
		"search the catalogue":     "library:searchCatalogue", // camel case
		"DANISH":                   "library:searchCatalogue", // enum
		"what is the weight":       "post:send_parcel",        // parameter
		"the number on its back":   "library:borrow_book",     // parameter's description
		"from the archive: a book": "archive:borrow_book",     // server
		"please help me find it":   "",                        // says nothing
		"xylophone":                "",                        // in no tool
		`" AND (* -book^9 /[`:      "archive:borrow_book",     // no query language
	} {
		got := search(t, shelf, contracts.IndexOptions{}, query, 1)
		if names(got) != want {
			t.Errorf("%q finds %q, want %q", query, names(got), want)
		}
	}
}

func TestEqualScoresStandInTheOrderOfIDs(t *testing.T) {
	var tools []*toolRecord
	for i := range 60 {
		tools = append(tools, record("same", fmt.Sprintf("t%02d", i), "twins", `{}`))
	}
	hits := search(t, tools, contracts.IndexOptions{}, "twins", 50)
	for i, h := range hits {
		if h.id != fmt.Sprintf("same:t%02d", i) || h.score != hits[0].score {
			t.Fatalf("place %d is %v", i+1, h)
		}
	}
}

func TestSearchDoesNotDependOnTheOrderOfInsertion(t *testing.T) {
	vocabulary := strings.Fields("apple boat cloud desk engine fork garden house island jacket kettle lamp mirror needle")
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var w []string
		for range n {
			w = append(w, vocabulary[rng.IntN(len(vocabulary))])
		}
		return strings.Join(w, " ")
	}
	var tools []*toolRecord
	for i := range 200 {
		tools = append(tools, record(fmt.Sprintf("s%d", i%7), fmt.Sprintf("tool_%d", i), text(12), `{}`))
	}
	queries := []string{text(1), text(3), text(14), strings.Join(vocabulary, " ")}
	var first [][]hit
	for round := range 4 {
		var all [][]hit
		for _, q := range queries {
			all = append(all, search(t, tools, contracts.IndexOptions{}, q, 25))
		}
		if round == 0 {
			first = all
		} else if !reflect.DeepEqual(first, all) {
			t.Fatalf("round %d differs", round)
		}
		rng.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
	}
	// A smaller limit gives a prefix of the same list.
	for i, q := range queries {
		short := search(t, tools, contracts.IndexOptions{}, q, 3)
		if !slices.Equal(short, first[i][:min(3, len(first[i]))]) {
			t.Errorf("the first three of %q are others than three", q)
		}
	}
}

func TestIndexOptions(t *testing.T) {
	whole := search(t, shelf, contracts.IndexOptions{}, "borrow a book home", 10)
	hidden := search(t, shelf, contracts.IndexOptions{Hide: []string{"library:borrow_book"}}, "borrow a book home", 10)
	if strings.Contains(names(hidden), "library:borrow_book") || len(hidden) != len(whole)-1 {
		t.Errorf("hide: %s", names(hidden))
	}
	if got := search(t, shelf, contracts.IndexOptions{DropDescriptions: true}, "authors", 10); len(got) != 0 {
		t.Errorf("drop descriptions: %s", names(got))
	}
	reversed := search(t, shelf, contracts.IndexOptions{ReverseTop: true}, "borrow a book home", 10)
	slices.Reverse(reversed)
	if !slices.Equal(reversed, whole) {
		t.Errorf("reverse top: %s, whole %s", names(reversed), names(whole))
	}
}

func TestEmptyIndex(t *testing.T) {
	if got := search(t, nil, contracts.IndexOptions{}, "anything", 5); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestRoundScore(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 0, 1: 1, 0.1234567: .123457, 123456.78: 123457, 1e-9 + 1e-16: 1e-9, .30000000000000004: .3,
	} {
		if got := roundScore(x); got != want {
			t.Errorf("%v becomes %v, want %v", x, got, want)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	idx := newSearchIndex(shelf, contracts.IndexOptions{})
	for b.Loop() {
		if _, _, err := idx.search(context.Background(), "send a parcel with a book about the archive", 10); err != nil {
			b.Fatal(err)
		}
	}
}
