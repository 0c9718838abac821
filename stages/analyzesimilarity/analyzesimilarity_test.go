package analyzesimilarity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func tool(server, name, description string) contracts.Tool {
	return contracts.Tool{ToolID: server + ":" + name, Server: server, Tool: name, Description: description, Schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`)}
}

func stage(t *testing.T, tools ...contracts.Tool) Options {
	t.Helper()
	dir := t.TempDir()
	o := Options{Corpus: filepath.Join(dir, "corpus.json"), Out: filepath.Join(dir, "out", "similarity.json"), Method: "tfidf", Threshold: 0.5}
	c := contracts.Corpus{Version: "v9", GeneratedFrom: contracts.GeneratedFrom{Source: "this test"}, Tools: tools}
	if err := contracts.Write(o.Corpus, c); err != nil {
		t.Fatal(err)
	}
	return o
}

func run(t *testing.T, o Options) contracts.SimilarityReport {
	t.Helper()
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	r, err := contracts.Read[contracts.SimilarityReport](o.Out)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var three = []contracts.Tool{
	tool("wiki", "search_pages", "Search the pages of the wiki by words."),
	tool("mail", "send_message", "Send an electronic letter to somebody."),
	tool("docs", "search_pages", "Search the pages of the manual by words."),
}

func TestFindsSimilarTools(t *testing.T) {
	o := stage(t, three...)
	var line string
	o.Progress = func(message string) { line = message }
	r := run(t, o)
	if len(r.Flagged) != 1 || r.FlaggedTotal != 1 || r.Flagged[0].A != "docs:search_pages" || r.Flagged[0].B != "wiki:search_pages" {
		t.Fatalf("%+v", r.Flagged)
	}
	if !slices.ContainsFunc(r.Flagged[0].Issues, func(i contracts.SimilarityIssue) bool { return i.Type == "naming_clarity" }) {
		t.Errorf("two tools of one name: %+v", r.Flagged[0].Issues)
	}
	if len(r.Overlap) != 1 || r.OverlapTotal != 1 || len(r.Clusters) != 1 || !slices.Equal(r.Clusters[0], []string{"docs:search_pages", "wiki:search_pages"}) {
		t.Errorf("%+v", r)
	}
	if line != "3 tools: 1 similar pairs, 1 overlapping pairs, 1 groups" {
		t.Error(line)
	}
	o.Threshold = 1
	if r := run(t, o); len(r.Flagged)+len(r.Overlap)+len(r.Clusters) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestOrder checks that the report depends on the tools and not on their order,
// apart from the digest of the corpus.
func TestOrder(t *testing.T) {
	report := func(tools []contracts.Tool) []byte {
		o := stage(t, tools...)
		digest := run(t, o).CorpusSHA256
		data, err := os.ReadFile(o.Out)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.ReplaceAll(data, []byte(digest), nil)
	}
	turned := slices.Clone(three)
	slices.Reverse(turned)
	if a, b := report(three), report(turned); !bytes.Equal(a, b) {
		t.Errorf("%s\n%s", a, b)
	}
}

// TestManyPairs checks that a report stays small, and says how much there is.
func TestManyPairs(t *testing.T) {
	var tools []contracts.Tool
	for i := range 60 {
		tools = append(tools, tool("s", fmt.Sprintf("search_%d", i), "Search the pages by words."))
		// What all tools have in common says nothing: half of them differ.
		tools = append(tools, tool("t", fmt.Sprintf("other_%d", i), fmt.Sprintf("Alpha%d beta%d gamma%d.", i, i, i)))
	}
	o := stage(t, tools...)
	o.Threshold = 0.2
	r := run(t, o)
	if len(r.Flagged) != maxPairs || r.FlaggedTotal < 60*59/2 || len(r.Overlap) != maxPairs || r.OverlapTotal < 60*59/2 {
		t.Errorf("%d of %d, %d of %d", len(r.Flagged), r.FlaggedTotal, len(r.Overlap), r.OverlapTotal)
	}
}

func TestOneTool(t *testing.T) {
	if r := run(t, stage(t, three[0])); r.Tools != 1 || len(r.Flagged) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Method = "embedding" }, `--method "embedding" is unknown: use tfidf or description_overlap`},
		{func(o *Options) { o.Threshold = 1.5 }, "--threshold 1.5 is out of range"},
		{func(o *Options) { o.Corpus += "x" }, "cannot read the file"},
	} {
		o := stage(t, three...)
		tc.change(&o)
		if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %s", err, tc.want)
		}
		if _, err := os.Stat(o.Out); err == nil {
			t.Error("a report was written")
		}
	}
}
