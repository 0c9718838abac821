package validatedatasets

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

const casesCorpus = `{
 "version": "v9",
 "generated_from": {"source": "this test", "license": "MIT"},
 "tools": [
  {"tool_id": "git:create_issue", "server": "git", "tool": "create_issue", "description": "Report a bug.", "schema": {"type": "object", "properties": {"title": {"type": "string"}, "kind": {"type": "string", "enum": ["bug", "wish"]}, "due": {"type": "string", "format": "date"}}, "required": ["title"], "additionalProperties": false}},
  {"tool_id": "git:close_issue", "server": "git", "tool": "close_issue", "description": "End a bug report.", "schema": {}},
  {"tool_id": "web:search", "server": "web", "tool": "search", "description": "Find pages.", "schema": {"type": "object"}}
 ]
}`

const goodCases = `{
 "version": "v9",
 "corpus_version": "v9",
 "generated_from": {"source": "this test"},
 "cases": [
  {"id": "c1", "query": "report that it crashes", "expected": [{"server": "git", "tool": "create_issue", "parameters": {"title": "it crashes", "kind": "bug", "due": "2026-03-01"}}], "tags": ["enum"]},
  {"id": "c2", "query": "close 5, then look for otters", "servers": ["git", "web"], "expected": [{"server": "git", "tool": "close_issue"}, {"server": "web", "tool": "search"}], "ordered": true},
  {"id": "c3", "query": "good night", "expected": []}
 ]
}`

func stageCases(t *testing.T, cases, lock string) Options {
	t.Helper()
	o, dir := stage(t, casesCorpus, goodGolden, goodSecurity(), lock)
	o.Cases, o.OutCases = filepath.Join(dir, "cases_v9.json"), filepath.Join(dir, "out", "cases")
	if err := os.WriteFile(o.Cases, []byte(cases), 0o644); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestAcceptsCases(t *testing.T) {
	o := stageCases(t, goodCases, emptyLock)
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(o.OutCases, CasesFile)); err != nil || !bytes.Equal(got, []byte(goodCases)) {
		t.Errorf("the copy is %q, %v", got, err)
	}
	v, err := contracts.Read[contracts.Validation](o.OutReport)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(v.Datasets); n != 4 || v.Datasets[3].Kind != contracts.KindCases || v.Datasets[3].Version != "v9" || v.Datasets[3].Entries != 3 {
		t.Errorf("%+v", v.Datasets)
	}
}

// TestWithoutCases checks that the report of a pipeline without cases does not
// mention them, and that the declared output is there.
func TestWithoutCases(t *testing.T) {
	o, dir := stage(t, goodCorpus, goodGolden, goodSecurity(), emptyLock)
	o.OutCases = filepath.Join(dir, "out", "cases")
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if report, err := os.ReadFile(o.OutReport); err != nil || bytes.Contains(report, []byte("cases")) {
		t.Errorf("the report is %s, %v", report, err)
	}
	if entries, err := os.ReadDir(o.OutCases); err != nil || len(entries) != 0 {
		t.Errorf("the output has %v, %v", entries, err)
	}
}

func TestRefusesCases(t *testing.T) {
	for _, tc := range []struct{ name, old, new, want string }{
		{"unknown tool", `"tool": "search"`, `"tool": "serch"`, `cases_v9.json:7:158: entry c2: the corpus has no tool "web:serch"; did you mean "web:search"?`},
		{"half of a call", `"server": "web", "tool": "search"`, `"server": "web"`, `entry c2: in expected[1]: the field "tool" is missing`},
		{"null call", `"server": "web", "tool": "search"`, `"server": null, "tool": null`, `entry c2: expected[1].server is null, must be a string`},
		{"forgotten expectation", `"good night", "expected": []`, `"good night"`, `entry c3: the field "expected" is missing; add it: The calls that are right; empty when no tool is to be called`},
		{"duplicate id", `"id": "c2"`, `"id": "c1"`, `cases_v9.json:7:4: entry c1: duplicate id, also case number 1; give each case a unique id`},
		{"blank query", "good night", "...", `entry c3: the query has no word`},
		{"unknown server", `["git", "web"]`, `["git", "web", "wab"]`, `entry c2: the corpus has no server "wab"`},
		{"server twice", `["git", "web"]`, `["git", "web", "git"]`, `entry c2: the server "git" is listed twice`},
		{"not on offer", `["git", "web"]`, `["git"]`, `entry c2: server "web" is not among the offered servers; add it to servers`},
		{"order of one", `"expected": []`, `"expected": [], "ordered": true`, `entry c3: ordered is true, and the case expects fewer than two calls`},
		{"wrong enum", `"kind": "bug"`, `"kind": "boat"`, `cases_v9.json:6:144: entry c1: parameter "kind" breaks the input schema of git:create_issue: value must be one of 'bug', 'wish'`},
		{"wrong date", `2026-03-01`, `1 March 2026`, `parameter "due" breaks the input schema of git:create_issue: '1 March 2026' is not valid date`},
		{"missing parameter", `"title": "it crashes", `, ``, `entry c1: parameter "title" breaks the input schema of git:create_issue: it is required and missing`},
		{"unknown parameter", `"kind": "bug"`, `"king": "bug"`, `parameter "king" breaks the input schema of git:create_issue: the schema does not allow it`},
		{"parameters that are no object", `{"title": "it crashes", "kind": "bug", "due": "2026-03-01"}`, `"it crashes"`, `entry c1: expected[0].parameters is a string, must be an object`},
		{"corpus version", `"corpus_version": "v9"`, `"corpus_version": "v8"`, `cases_v9.json:3:2: the cases are written for corpus "v8", but the corpus is "v9"`},
		{"file name", `"version": "v9",` + "\n \"corpus", `"version": "v10",` + "\n \"corpus", `cases_v9.json:2:2: the version is "v10", but the file is named cases_v9.json; rename the file to cases_v10.json, or correct the version`},
		{"contradiction", "good night", "Report  that it crashes", `entry c3: the text is the same as that of c1, which expects other calls`},
		{"licence", `"source": "this test"`, `"source": "this test", "license": "CC-BY-NC-4.0"`, `licence CC-BY-NC-4.0 restricts redistribution`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.Replace(goodCases, tc.old, tc.new, 1)
			if text == goodCases {
				t.Fatal("nothing was replaced")
			}
			o := stageCases(t, text, emptyLock)
			err := Run(context.Background(), o)
			var invalid *InvalidError
			if !errors.As(err, &invalid) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v\nwant %s", err, tc.want)
			}
			onlyProblems(t, o, invalid)
		})
	}
}

func TestCasesWarnings(t *testing.T) {
	text := strings.Replace(goodCases, `, "parameters": {"title": "it crashes", "kind": "bug", "due": "2026-03-01"}`, "", 1)
	text = strings.Replace(text, `"good night", "expected": []`, `"Report that it crashes", "expected": [{"server": "git", "tool": "create_issue"}]`, 1)
	o := stageCases(t, text, emptyLock)
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	v, err := contracts.Read[contracts.Validation](o.OutReport)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(v.Warnings, "\n")
	for _, want := range []string{"1 cases repeat the text of an earlier one: c3", "every case expects a tool", "no case says which parameters are right", "cases: version v9 is a draft"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
}

// TestFreezeCases freezes a set, and refuses it once it has changed.
func TestFreezeCases(t *testing.T) {
	o := stageCases(t, goodCases, emptyLock)
	added, err := Freeze(o.Lock, contracts.KindCases, []string{o.Cases})
	if err != nil || len(added) != 1 || added[0].File != "cases_v9.json" {
		t.Fatalf("%v, %v", added, err)
	}
	all, err := List(o.Lock)
	if i := slices.IndexFunc(all, func(l Listed) bool { return l.Kind == contracts.KindCases }); err != nil || i < 0 || all[i].State != contracts.StateFrozen || all[i].Entries != 3 {
		t.Errorf("%+v, %v", all, err)
	}
	if err := os.WriteFile(o.Cases, []byte(strings.Replace(goodCases, "good night", "good day", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), `version "v9" of the cases dataset is frozen, and this file differs from it`) {
		t.Errorf("%v", err)
	}
	// A set without its corpus cannot be checked.
	alone := filepath.Join(t.TempDir(), "cases_v9.json")
	if err := os.WriteFile(alone, []byte(goodCases), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Freeze(o.Lock, "", []string{alone}); err == nil || !strings.Contains(err.Error(), `is made for corpus "v9", which is neither given nor in the same directory`) {
		t.Errorf("%v", err)
	}
}
