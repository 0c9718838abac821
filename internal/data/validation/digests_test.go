package validation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// TestDigestsFollowWhatIsMeasured edits one entry at a time. Only edits that can
// change a figure change a digest.
func TestDigestsFollowWhatIsMeasured(t *testing.T) {
	type data struct {
		corpus   contracts.Corpus
		golden   contracts.GoldenSet
		security contracts.SecurityCorpus
		cases    contracts.CaseSet
	}
	fresh := func() data {
		return data{
			corpus: contracts.Corpus{Tools: []contracts.Tool{{ToolID: "s:a", Server: "s", Tool: "a", Description: "A.", Schema: json.RawMessage(`{"type": "object", "title": "x"}`)}}},
			golden: contracts.GoldenSet{Queries: []contracts.Query{{ID: "q", Query: "do it", Labels: []contracts.Label{{ToolID: "s:a", Relevance: 2}, {ToolID: "s:b"}}}}},
			security: contracts.SecurityCorpus{Entries: []contracts.SecurityEntry{{ID: "e", Description: "D.", Label: contracts.LabelBenign, Category: contracts.CategoryBenign,
				Provenance: contracts.Provenance{Source: "test", License: "MIT"}}}},
			cases: contracts.CaseSet{Cases: []contracts.SelectionCase{{ID: "c", Query: "do it", Expected: []contracts.ExpectedCall{{Server: "s", Tool: "a"}}}}},
		}
	}
	digests := func(d data) string {
		digests, err := digestsOfData(d.corpus, d.golden, d.security, &d.cases)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join([]string{digests.Tools["s:a"], digests.Queries["q"], digests.Entries["e"], digests.Cases["c"]}, " ")
	}
	before := digests(fresh())
	if len(before) != 4*16+3 {
		t.Fatalf("digests %q", before)
	}
	for name, edit := range map[string]func(*data){
		"order of labels":       func(d *data) { l := d.golden.Queries[0].Labels; l[0], l[1] = l[1], l[0] },
		"notes of a query":      func(d *data) { d.golden.Queries[0].Notes = "note" },
		"layout of a schema":    func(d *data) { d.corpus.Tools[0].Schema = json.RawMessage(`{"title":"x","type":"object"}`) },
		"provenance":            func(d *data) { d.security.Entries[0].Provenance.Source = "elsewhere" },
		"tags and notes":        func(d *data) { d.cases.Cases[0].Tags, d.cases.Cases[0].Notes = []string{"hard"}, "note" },
		"versions of the files": func(d *data) { d.corpus.Version, d.golden.Version = "v2", "v2" },
	} {
		d := fresh()
		edit(&d)
		if after := digests(d); after != before {
			t.Errorf("%s: %s, want %s", name, after, before)
		}
	}
	for name, edit := range map[string]func(*data){
		"text of a query":       func(d *data) { d.golden.Queries[0].Query = "do that" },
		"relevance":             func(d *data) { d.golden.Queries[0].Labels[1].Relevance = 1 },
		"description of a tool": func(d *data) { d.corpus.Tools[0].Description = "B." },
		"schema of a tool":      func(d *data) { d.corpus.Tools[0].Schema = json.RawMessage(`{"type": "object"}`) },
		"label of an entry":     func(d *data) { d.security.Entries[0].Category = contracts.CategoryHardNegative },
		"peers of an entry":     func(d *data) { d.security.Entries[0].Peers = []contracts.Peer{{Server: "p", Name: "n"}} },
		"expected call":         func(d *data) { d.cases.Cases[0].Expected[0].Tool = "b" },
	} {
		d := fresh()
		edit(&d)
		changed := 0
		was, is := strings.Fields(before), strings.Fields(digests(d))
		for i := range was {
			if was[i] != is[i] {
				changed++
			}
		}
		if changed != 1 {
			t.Errorf("%s changed %d digests: %v, before %v", name, changed, is, was)
		}
	}
}
