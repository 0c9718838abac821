package convert

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func imported(t *testing.T, text string, opts ImportOptions) Imported {
	t.Helper()
	im, err := Import("theirs.json", []byte(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	// The imported data can be written in our format.
	if _, err := contracts.Encode("ours.json", im.Value()); err != nil {
		t.Fatal(err)
	}
	return im
}

func TestImportCorpus(t *testing.T) {
	const theirs = `{
	  "version": "c7", "generated_from": {"source": "a run", "config": "x.json"},
	  "tools": [
	    {"tool_id": "a:b", "server": "a", "tool": "b", "description": "Does.", "stars": 3},
	    {"tool_id": "a:c", "server": "a", "tool": "c", "description": "Is.", "schema": {"z": 1, "a": 1.0}, "output_schema": {"type": "array"}, "annotations": {"title": "C"}}]}`
	im := imported(t, theirs, ImportOptions{})
	want := []string{
		`a tool without a schema got {"type":"object"}`,
		"dropped, because our format has no such field: generated_from.config",
		"dropped, because our format has no such field: tools[].stars",
	}
	if im.Kind != KindCorpus || im.Corpus.Version != "c7" || !reflect.DeepEqual(im.Notes, want) {
		t.Errorf("got %+v", im)
	}
	if got := string(im.Corpus.Tools[1].Schema); got != `{"z": 1, "a": 1.0}` {
		t.Errorf("the schema became %s", got)
	}
	if tool := im.Corpus.Tools[1]; string(tool.OutputSchema) != `{"type": "array"}` || string(tool.Annotations) != `{"title": "C"}` {
		t.Errorf("got %s and %s", tool.OutputSchema, tool.Annotations)
	}
	lender := contracts.Corpus{Version: "other", Tools: []contracts.Tool{{ToolID: "a:b", Schema: json.RawMessage(`{"type":"object","x":1}`)}}}
	im = imported(t, theirs, ImportOptions{Version: "mine", Schemas: &lender})
	if got := string(im.Corpus.Tools[0].Schema); got != `{"type":"object","x":1}` || im.Corpus.Version != "mine" {
		t.Errorf("got %s of %s", got, im.Corpus.Version)
	}
	if notes := strings.Join(im.Notes, "\n"); !strings.Contains(notes, "got the schema from corpus other") || !strings.Contains(notes, `version "c7" became "mine"`) {
		t.Errorf("got %s", notes)
	}
}

func TestImportGolden(t *testing.T) {
	const theirs = `{"corpus_version": "c1", "queries": [
	  {"id": "q1", "query": "do it", "labels": [{"tool_id": "a:b", "relevance": 2, "judge": "me"}], "notes": "n"},
	  {"id": "q2", "query": "tu es", "labels": [], "language": "de", "tags": ["indirect"], "expects": "none"}]}`
	corpus := contracts.Corpus{Version: "c2", Tools: []contracts.Tool{{ToolID: "a:b"}}}
	im := imported(t, theirs, ImportOptions{Corpus: &corpus})
	want := []string{
		`corpus_version "c1" became "c2": the given corpus has every labelled tool`,
		"dropped, because our format has no such field: queries[].labels[].judge",
	}
	if q := im.Golden.Queries[1]; q.Language != "de" || !reflect.DeepEqual(q.Tags, []string{"indirect"}) || q.Answerable() {
		t.Errorf("got %+v", q)
	}
	if im.Golden.CorpusVersion != "c2" || im.Golden.Queries[0].Notes != "n" || !reflect.DeepEqual(im.Notes, want) {
		t.Errorf("got %+v", im)
	}
	corpus.Tools[0].ToolID = "a:other"
	if _, err := Import("theirs.json", []byte(theirs), ImportOptions{Corpus: &corpus}); err == nil || !strings.Contains(err.Error(), `query q1: its label "a:b"`) {
		t.Errorf("got %v", err)
	}
}

func TestImportSecurity(t *testing.T) {
	const theirs = `{"version": "s", "description": "Made by hand.", "entries": [
	  {"id": "one", "label": "malicious", "category": "phrase_injection", "server": "s", "tool": {"name": "n", "description": "Bad.", "input_schema": {}},
	   "peers": [{"server": "p", "tool": {"name": "m", "description": "Good.", "output_schema": {}}}],
	   "provenance": {"source": "me", "license": "self"}},
	  {"id": "two", "label": "benign", "category": "hard_negative", "resembles": "phrase_injection", "tool": {"name": "n", "description": "Fine."}, "provenance": {"source": "me", "license": "MIT"}},
	  {"id": "hn_rug_pull_01", "label": "benign", "category": "hard_negative", "description": "Fine.", "provenance": {"source": "me", "license": "MIT"}},
	  {"id": "five", "label": "malicious", "category": "tool_poisoning", "description": "Bad.", "severity": "high", "technique": "fake-note", "carrier": "server_instructions", "server_instructions": "Obey.", "twin": "two", "provenance": {"source": "me", "license": "MIT", "reference": "a paper"}},
	  {"id": "four", "label": "malicious", "category": "shadowing", "description": "Gone.", "provenance": {"source": "me", "license": "MIT"}}]}`
	im := imported(t, theirs, ImportOptions{Licenses: map[string]string{"self": "MIT"}, DropCategories: []string{"shadowing"}})
	e := im.Security.Entries
	if len(e) != 4 || e[0].Category != contracts.CategoryPromptInjection || e[0].Name != "n" || e[0].Description != "Bad." ||
		e[0].Provenance.License != "MIT" || e[0].Peers[0].Name != "m" || e[1].HardNegativeFor != contracts.CategoryPromptInjection ||
		e[2].HardNegativeFor != contracts.CategoryRugPull || im.Security.GeneratedFrom.Note != "Made by hand." {
		t.Errorf("got %+v", im.Security)
	}
	if e[3].Severity != "high" || e[3].Technique != "fake-note" || e[3].Carrier != contracts.CarrierServerInstructions || e[3].ServerInstructions != "Obey." || e[3].Twin != "two" || e[3].Provenance.Reference != "a paper" {
		t.Errorf("got %+v", e[3])
	}
	want := []string{
		"category phrase_injection became prompt_injection (2 times)",
		"description became generated_from.note",
		"dropped because of --drop-category: an entry of shadowing",
		"generated_from.source was set to the name of the file",
		"hard_negative_for was read from the entry's id",
		`licence "self" became MIT, because of --license`,
		"resembles became hard_negative_for",
		"dropped, because our format has no such field: entries[].peers[].tool.output_schema",
	}
	if !reflect.DeepEqual(im.Notes, want) {
		t.Errorf("got\n%s", strings.Join(im.Notes, "\n"))
	}
}

func TestImportRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"[]":                                    "theirs.json is a JSON array, not an object: if it is a dataset in another format, name that with --format",
		"{}":                                    "not a dataset that can be imported",
		`{"tools": {}}`:                         `field "tools"`,
		`{"tools": [{"tool_id": 3}]}`:           `tool 1: field "tool_id"`,
		`{"queries": [{"labels": 1}]}`:          `field "labels"`,
		`{"entries": [{"id": "x", "tool": 1}]}`: `entry 1 (x): field "tool"`,
		`{"entries": [], "version": 1}`:         `field "version"`,
	} {
		if _, err := Import("theirs.json", []byte(text), ImportOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"version": "v", "tools": [{"tool_id": "a:b", "x": 1}]}`))
	f.Add([]byte(`{"queries": [{"id": "q", "labels": [{}]}]}`))
	f.Add([]byte(`{"entries": [{"tool": {}, "peers": [{"tool": {}}], "provenance": {}, "id": "hn_x_1", "category": "hard_negative"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := Import("f", data, ImportOptions{})
		if err != nil {
			return
		}
		again, err := Import("f", data, ImportOptions{})
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Fatalf("two readings of one file: %+v and %+v, %v", first, again, err)
		}
	})
}
