package reference

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// topics is a model of three topics, each known by its words.
type topics struct {
	texts []string // the requested texts
	err   error
}

var topicWords = [][]string{
	{"book", "novel", "read", "library", "literature"},
	{"weather", "rain", "forecast", "umbrella"},
	{"money", "invoice", "pay", "bill"},
}

func (*topics) Identity() string { return "topics" }

func (m *topics) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if m.err != nil {
		return nil, m.err
	}
	m.texts = append(m.texts, texts...)
	var vectors [][]float32
	for _, text := range texts {
		v := make([]float32, len(topicWords)+1)
		v[len(topicWords)] = 0.1
		for i, list := range topicWords {
			for _, w := range list {
				v[i] += float32(strings.Count(strings.ToLower(text), w))
			}
		}
		vectors = append(vectors, v)
	}
	return vectors, nil
}

var topicTools = []*toolRecord{
	{id: "a:lend", server: "a", tool: "lend", description: "Lend a novel from the library."},
	{id: "a:sky", server: "a", tool: "sky", description: "Rain and forecast for a place."},
	{id: "b:bill", server: "b", tool: "payInvoice", description: ""},
	{id: "b:other", server: "b", tool: "other", description: "Something for a place."},
}

func hybridCatalog(t *testing.T, before *catalog, tools []*toolRecord, opts contracts.IndexOptions, m *topics) *catalog {
	t.Helper()
	c, err := before.next(t.Context(), tools, contracts.ProxyConfig{Index: opts}, m)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func found(t *testing.T, c *catalog, query string, limit int) (ids []string) {
	t.Helper()
	answer, err := c.search(t.Context(), query, limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range answer.Tools {
		ids = append(ids, h.Name)
	}
	return ids
}

func TestHybridFindsByMeaning(t *testing.T) {
	c := hybridCatalog(t, &catalog{}, topicTools, contracts.IndexOptions{}, &topics{})
	for query, want := range map[string]string{
		"literature":            "a:lend", // no tool has the word
		"umbrella":              "a:sky",
		"bill":                  "b:bill", // by the words of its name, since it has no description
		"do I need an umbrella": "a:sky",
	} {
		got := found(t, c, query, 4)
		if len(got) != 4 || got[0] != want {
			t.Errorf("%q finds %v, want %s first", query, got, want)
		}
		// A short answer is a prefix of a long one.
		if short := found(t, c, query, 2); !slices.Equal(short, got[:2]) {
			t.Errorf("%q finds %v, and with a limit of 2 %v", query, got, short)
		}
	}
	for _, query := range []string{"", " \t"} {
		if got := found(t, c, query, 4); len(got) != 0 {
			t.Errorf("%q finds %v", query, got)
		}
	}
	// Without a model, a query finds only tools that share a word with it.
	words, err := (&catalog{}).next(t.Context(), topicTools, contracts.ProxyConfig{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := found(t, words, "literature", 4); len(got) != 0 {
		t.Errorf("without a model, literature finds %v", got)
	}
}

func TestHybridKeepsToTheOptions(t *testing.T) {
	m := &topics{}
	c := hybridCatalog(t, &catalog{}, topicTools, contracts.IndexOptions{Hide: []string{"a:lend"}, DropDescriptions: true}, m)
	if got := found(t, c, "literature", 10); len(got) != 3 || slices.Contains(got, "a:lend") {
		t.Errorf("found %v", got)
	}
	if !slices.Contains(m.texts, "sky") || slices.Contains(m.texts, topicTools[1].description) {
		t.Errorf("without descriptions, the vectors are of %q", m.texts)
	}
	plain := hybridCatalog(t, &catalog{}, topicTools, contracts.IndexOptions{}, m)
	reversed := hybridCatalog(t, &catalog{}, topicTools, contracts.IndexOptions{ReverseTop: true}, m)
	want := found(t, plain, "umbrella", 4)
	slices.Reverse(want)
	if got := found(t, reversed, "umbrella", 4); !slices.Equal(got, want) {
		t.Errorf("reversed: %v, want %v", got, want)
	}
}

// A new catalogue computes only the vectors of new texts, and ranks like one
// computed anew.
func TestHybridKeepsVectors(t *testing.T) {
	m := &topics{}
	first := hybridCatalog(t, &catalog{}, topicTools[:3], contracts.IndexOptions{}, m)
	if len(m.texts) != 3 {
		t.Fatalf("computed %q", m.texts)
	}
	changed := *topicTools[0]
	changed.description = "Pay a bill."
	twin := *topicTools[1]
	twin.id, twin.server = "c:sky", "c"
	m.texts = nil
	next := []*toolRecord{&changed, topicTools[1], topicTools[3], &twin}
	second := hybridCatalog(t, first, next, contracts.IndexOptions{}, m)
	if fmt.Sprint(m.texts) != "[Pay a bill. Something for a place.]" {
		t.Errorf("computed %q", m.texts)
	}
	fresh := hybridCatalog(t, &catalog{}, next, contracts.IndexOptions{}, &topics{})
	for _, query := range []string{"invoice", "umbrella", "place"} {
		if got, want := found(t, second, query, 4), found(t, fresh, query, 4); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, and in a fresh index %v", query, got, want)
		}
	}
}

func TestHybridSaysWhatIsWrong(t *testing.T) {
	m := &topics{err: errors.New("out of order")}
	if _, err := (&catalog{}).next(t.Context(), topicTools, contracts.ProxyConfig{}, m); err == nil || !strings.Contains(err.Error(), "vectors of 4 tools: out of order") {
		t.Errorf("indexing: %v", err)
	}
	m.err = nil
	c := hybridCatalog(t, &catalog{}, topicTools, contracts.IndexOptions{}, m)
	m.err = errors.New("out of order")
	if _, err := c.search(t.Context(), "umbrella", 4); err == nil || !strings.Contains(err.Error(), "vector of the query: out of order") {
		t.Errorf("search: %v", err)
	}
}

func TestFuse(t *testing.T) {
	byWords := []hit{{"a", 9}, {"b", 5}, {"c", 1}}
	byMeaning := []hit{{"c", .9}, {"d", .8}, {"a", .7}}
	got := fuse(byWords, byMeaning)
	want := []hit{
		{"a", 1.0/21 + 0.5/23}, {"c", 1.0/23 + 0.5/21}, {"b", 1.0 / 22}, {"d", 0.5 / 22},
	}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i].id != want[i].id || got[i].score != roundScore(want[i].score) {
			t.Errorf("place %d is %v, want %v", i+1, got[i], want[i])
		}
	}
	if got := fuse([]hit{{"b", 1}}, nil); len(got) != 1 || got[0].id != "b" {
		t.Errorf("one ranking alone: %v", got)
	}
}
