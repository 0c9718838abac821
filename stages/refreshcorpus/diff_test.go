package refreshcorpus

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

func corpusOf(version string, tools ...contracts.Tool) contracts.Corpus {
	return contracts.Corpus{Version: version, GeneratedFrom: contracts.GeneratedFrom{Source: "the test"}, Tools: tools}
}

func toolOf(id, description, schema string) contracts.Tool {
	server, tool, _ := strings.Cut(id, ":")
	return contracts.Tool{ToolID: id, Server: server, Tool: tool, Description: description, Schema: json.RawMessage(schema)}
}

const (
	someSchema  = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`
	sameSchema  = `{"required":["a"], "properties":{"b":{"type":"integer"},"a":{"type":"string"}}, "type":"object"}`
	otherSchema = `{"type":"object","properties":{"a":{"type":"number"},"c":{"type":"integer"}},"required":["a"]}`
	looseSchema = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`
)

func TestCompare(t *testing.T) {
	before := corpusOf("v1",
		toolOf("s:same", "Stays as it is.", someSchema),
		toolOf("s:text", "Says one thing.", someSchema),
		toolOf("s:schema", "Takes things.", someSchema),
		toolOf("s:loose", "Demands a thing.", someSchema),
		toolOf("s:gone", "Plays the trumpet in the market square.", `{}`),
		toolOf("s:create_issue", "Opens an issue in a repository, with a title and a body.", someSchema),
		toolOf("old:move", "Changes the crane to a place over the yard.", someSchema),
		toolOf("s:blank", "", `{}`),
	)
	before.Servers = []contracts.CorpusServer{{Server: "s", Version: "1"}, {Server: "old", Version: "1"}}
	after := corpusOf("v2",
		toolOf("s:same", "Stays as it is.", sameSchema),
		toolOf("s:text", "Says another thing.", someSchema),
		toolOf("s:schema", "Takes things.", otherSchema),
		toolOf("s:loose", "Demands a thing.", looseSchema),
		toolOf("s:issue_create", "Opens an issue in a repository, with a title and a body.", someSchema),
		toolOf("new:move", "Changes the crane to a place over the yard.", someSchema),
		toolOf("s:void", "", `{}`),
		toolOf("s:fresh", "Counts the herons that stand at the pond.", `{}`),
	)
	after.Servers = []contracts.CorpusServer{{Server: "s", Version: "2"}, {Server: "new", Version: "1"}}
	d := Compare(before, after)
	want := Diff{
		From: "v1", To: "v2", Before: 8, After: 8, Unchanged: 1,
		Servers: []ServerChange{{"new", "", "1"}, {"old", "1", ""}, {"s", "1", "2"}},
		Added:   []string{"s:fresh", "s:void"}, Removed: []string{"s:blank", "s:gone"},
		Renamed: []Rename{{From: "old:move", To: "new:move", Similarity: 1, Sure: true}, {From: "s:create_issue", To: "s:issue_create", Sure: true}},
		Changed: []ToolChange{
			{"s:loose", Change{Schema: &SchemaChange{Added: []string{}, Removed: []string{}, Changed: []string{}, Else: true}}},
			{"s:schema", Change{Schema: &SchemaChange{Added: []string{"c"}, Removed: []string{"b"}, Changed: []string{"a"}}}},
			{"s:text", Change{Description: &TextChange{"Says one thing.", "Says another thing."}}},
		},
	}
	if s := d.Renamed[1].Similarity; s < 0.8 || s > 0.9 {
		t.Errorf("create_issue and issue_create are %.3f similar", s)
	}
	d.Renamed[1].Similarity = 0
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	d.Write(&b)
	for _, line := range []string{"server s: 1 → 2\n", "- s:gone\n", "+ s:fresh\n", "> old:move → new:move (surely renamed, similarity 1.00)\n", "      + Says another thing.\n", "schema: -b +c ~a\n", "2 added, 2 removed, 2 renamed, 3 changed, 1 unchanged\n"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no line %q in\n%s", line, &b)
		}
	}
}

// If two tools are possible, no label follows the rename.
func TestCompareOutputSchemasAndAnnotations(t *testing.T) {
	was, is := toolOf("s:a", "Reads.", `{}`), toolOf("s:a", "Reads.", `{}`)
	was.OutputSchema, is.OutputSchema = json.RawMessage(`{"type":"array","x":1}`), json.RawMessage(`{"x":1, "type":"array"}`)
	was.Annotations, is.Annotations = json.RawMessage(`{"readOnlyHint":true}`), json.RawMessage(`{"readOnlyHint":false}`)
	d := Compare(corpusOf("v1", was), corpusOf("v2", is))
	if len(d.Changed) != 1 || d.Changed[0].OutputSchema || !d.Changed[0].Annotations || d.Changed[0].Schema != nil {
		t.Errorf("%+v", d.Changed)
	}
	var out strings.Builder
	d.Write(&out)
	if !strings.Contains(out.String(), "~ s:a\n    annotations\n0 added") {
		t.Errorf("%s", out.String())
	}
	was.OutputSchema = nil
	if d := Compare(corpusOf("v1", was), corpusOf("v2", is)); !d.Changed[0].OutputSchema {
		t.Error("a new output schema is no change")
	}
}

// A unanswerable query keeps its traits, and needs no label.
func TestMigrateCarriesTraits(t *testing.T) {
	corpus := corpusOf("v1", toolOf("s:a", "Reads a thing.", `{}`))
	golden := contracts.GoldenSet{Version: "v1", CorpusVersion: "v1", TestShare: 0.5, Queries: []contracts.Query{
		{ID: "q1", Query: "lies", Language: "de", Tags: []string{contracts.TagIndirect}, Labels: []contracts.Label{{ToolID: "s:a", Relevance: 2}}},
		{ID: "q2", Query: "fly", Expects: contracts.ExpectsNone},
	}}
	m, err := Migrate(golden, corpus, corpusOf("v2", corpus.Tools...), MigrateOptions{Date: "2026-11-21"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(golden.Queries, m.Golden.Queries); diff != "" || m.Golden.TestShare != 0.5 {
		t.Errorf("test share %g; %s", m.Golden.TestShare, diff)
	}
}

func TestRenamesInDoubt(t *testing.T) {
	const text = "Sends a message to everybody in a channel."
	for name, x := range map[string]struct {
		before, after []contracts.Tool
		want          string
	}{
		"two of one content":  {[]contracts.Tool{toolOf("s:send", text, someSchema)}, []contracts.Tool{toolOf("s:post", text, someSchema), toolOf("s:say", text, someSchema)}, "probably"},
		"two before":          {[]contracts.Tool{toolOf("s:post", text, someSchema), toolOf("s:say", text, someSchema)}, []contracts.Tool{toolOf("s:send", text, someSchema)}, "probably"},
		"one":                 {[]contracts.Tool{toolOf("s:send", text, someSchema)}, []contracts.Tool{toolOf("s:post", text, someSchema)}, "surely"},
		"only similar":        {[]contracts.Tool{toolOf("s:send", text, someSchema)}, []contracts.Tool{toolOf("s:send_all", "Sends a message to all people in a channel.", someSchema)}, "probably"},
		"nothing in common":   {[]contracts.Tool{toolOf("s:send", text, someSchema)}, []contracts.Tool{toolOf("s:brew", "Makes tea.", `{}`)}, ""},
		"nothing but nothing": {[]contracts.Tool{toolOf("s:alpha", "", `{}`)}, []contracts.Tool{toolOf("s:omega", "", `{}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := Compare(corpusOf("v1", x.before...), corpusOf("v2", x.after...))
			got := ""
			for _, r := range d.Renamed {
				got = "probably"
				if r.Sure {
					got = "surely"
				}
			}
			if got != x.want {
				t.Errorf("%q, want %q: %+v", got, x.want, d.Renamed)
			}
		})
	}
}

func TestMigrate(t *testing.T) {
	before := corpusOf("v1",
		toolOf("s:stays", "Stays as it is.", `{}`), toolOf("s:edited", "Says one thing.", `{}`), toolOf("s:gone", "Plays the trumpet in the market square.", `{}`),
		toolOf("s:moves", "Changes the crane to a place over the yard.", someSchema),
		toolOf("s:rings", "Rings the bell of the old tower at a given hour.", someSchema),
	)
	after := corpusOf("v2",
		toolOf("s:stays", "Stays as it is.", `{}`), toolOf("s:edited", "Says another thing.", `{}`),
		toolOf("s:crane_move", "Changes the crane to a place over the yard.", someSchema),
		toolOf("s:bell-ringing", "Rings the bell of the old tower at a given hour.", someSchema),
		toolOf("s:fanfare", "Plays the trumpet in the town square.", `{}`),
	)
	label := func(id string, relevance int) contracts.Label {
		return contracts.Label{ToolID: id, Relevance: relevance}
	}
	golden := contracts.GoldenSet{Version: "v3", CorpusVersion: "v1", Queries: []contracts.Query{
		{ID: "q1", Query: "keep it", Labels: []contracts.Label{label("s:stays", 2), label("s:gone", 1)}},
		{ID: "q2", Query: "lift the load", Labels: []contracts.Label{label("s:moves", 2)}, Notes: "hard-negative: near-dup of s:rings, on purpose"},
		{ID: "q3", Query: "some brass music", Labels: []contracts.Label{label("s:gone", 2), label("s:stays", 0)}},
		{ID: "q4", Query: "speak up", Labels: []contracts.Label{label("s:edited", 1)}, Notes: "hard-negative: near-dup of s:gone; checked"},
		{ID: "q5", Query: "we need bell ringing at noon", Labels: []contracts.Label{label("s:rings", 2)}},
	}}
	m, err := Migrate(golden, before, after, MigrateOptions{Date: "2026-11-21"})
	if err != nil {
		t.Fatal(err)
	}
	want := []contracts.Query{
		{ID: "q1", Query: "keep it", Labels: []contracts.Label{label("s:stays", 2)}},
		{ID: "q2", Query: "lift the load", Labels: []contracts.Label{label("s:crane_move", 2)}, Notes: "hard-negative: near-dup of s:bell-ringing, on purpose"},
		{ID: "q4", Query: "speak up", Labels: []contracts.Label{label("s:edited", 1)}, Notes: "checked"},
	}
	if diff := cmp.Diff(want, m.Golden.Queries); diff != "" {
		t.Error(diff)
	}
	if m.Golden.Version != "v4" || m.Golden.CorpusVersion != "v2" || m.Carried != 3 || m.Followed != 2 {
		t.Errorf("version %s over %s, %d carried, %d followed", m.Golden.Version, m.Golden.CorpusVersion, m.Carried, m.Followed)
	}
	var work []string
	for _, w := range m.Work {
		perhaps := ""
		if len(w.Candidates) > 0 {
			perhaps = w.Candidates[0].ToolID
		}
		work = append(work, fmt.Sprintf("%s %s %s %s", w.Query, w.Kind, w.ToolID, perhaps))
	}
	if want := []string{
		"q1 gone s:gone s:fanfare", "q3 gone s:gone s:fanfare", "q3 left_out  ", "q4 changed s:edited ", "q4 note s:gone s:fanfare", "q5 left_out  ",
	}; !cmp.Equal(work, want) {
		t.Errorf("work:\n%s\nwant:\n%s", strings.Join(work, "\n"), strings.Join(want, "\n"))
	}
	if !cmp.Equal(m.Unlabelled, []string{"s:fanfare"}) {
		t.Errorf("unlabelled %v", m.Unlabelled)
	}
	if _, err := Migrate(golden, after, before, MigrateOptions{}); err == nil || !strings.Contains(err.Error(), `labelled for corpus "v1"`) {
		t.Errorf("the wrong corpus: %v", err)
	}
	if _, err := Migrate(golden, before, corpusOf("v2", toolOf("x:y", "Z.", `{}`)), MigrateOptions{}); err == nil || !strings.Contains(err.Error(), "no query is left") {
		t.Errorf("another world: %v", err)
	}
}

// committed reads the corpus and the golden set of this repository.
func committed(t *testing.T) (contracts.Corpus, contracts.GoldenSet) {
	t.Helper()
	corpus, err := contracts.Read[contracts.Corpus]("../../datasets/corpus_v1.json")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := contracts.Read[contracts.GoldenSet]("../../datasets/golden_v1.json")
	if err != nil {
		t.Fatal(err)
	}
	return corpus, golden
}

// For any change of a corpus, the migrated set is valid, nothing is lost without a work item, and a
// kept label names the same tool.
func TestMigrateHolds(t *testing.T) {
	before, golden := committed(t)
	for seed := range uint64(level.Rounds(4, 20)) {
		r := rand.New(rand.NewPCG(seed, 7))
		after := before
		after.Version, after.Tools = "v2", slices.Clone(before.Tools)
		for i := range after.Tools {
			tool := &after.Tools[i]
			switch r.IntN(12) {
			case 0:
				tool.Tool += "-next"
			case 1:
				tool.Tool = fmt.Sprintf("tool-%d", i)
			case 2:
				tool.Description += " Now with more of everything."
			case 3:
				tool.Description = "Does something else altogether."
			case 4:
				tool.Server += "-two"
			}
			tool.ToolID = tool.Server + ":" + tool.Tool
		}
		after.Tools = slices.DeleteFunc(after.Tools, func(contracts.Tool) bool { return r.IntN(10) == 0 })
		m, err := Migrate(golden, before, after, MigrateOptions{Date: "2026-11-21"})
		if err != nil {
			t.Fatal(err)
		}
		if problems := validation.CheckGolden(m.Golden, after); len(problems) > 0 {
			t.Fatalf("seed %d: the set does not hold: %v", seed, problems)
		}
		if _, err := contracts.Encode("golden", m.Golden); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		left := map[string]bool{}
		for _, w := range m.Work {
			left[w.Query] = true
		}
		kept := map[string]int{}
		for _, q := range m.Golden.Queries {
			kept[q.ID] = len(q.Labels)
		}
		for _, q := range golden.Queries {
			if kept[q.ID] != len(q.Labels) && !left[q.ID] {
				t.Errorf("seed %d: %s lost labels and is not on the list", seed, q.ID)
			}
		}
	}
}

// Without a change there is no work.
func TestMigrateUnchanged(t *testing.T) {
	before, golden := committed(t)
	after := before
	after.Version = "v2"
	m, err := Migrate(golden, before, after, MigrateOptions{Date: "2026-11-21"})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Work) > 0 || !cmp.Equal(m.Golden.Queries, golden.Queries) {
		t.Errorf("work %v", m.Work)
	}
}
