package validation

import (
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	//go:embed testdata/cases_corpus.json
	casesCorpus string
	//go:embed testdata/cases_v9.json
	goodCases string
)

func layCases(t *testing.T, cases string) Options {
	t.Helper()
	o, dir := lay(t, casesCorpus, goodGolden, goodSecurity)
	o.Cases = filepath.Join(dir, "cases_v9.json")
	if err := os.WriteFile(o.Cases, []byte(cases), 0o644); err != nil {
		t.Fatal(err)
	}
	return o
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
		{"wrong date", `2026-03-01`, `1 March 2026`, `parameter "due" breaks the input schema of git:create_issue: "1 March 2026" is not a valid date`},
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
			o := layCases(t, text)
			err := refusal(t, o)
			var invalid *InvalidError
			if !errors.As(err, &invalid) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v\nwant %s", err, tc.want)
			}
		})
	}
}

func TestCasesWarnings(t *testing.T) {
	text := strings.Replace(goodCases, `, "parameters": {"title": "it crashes", "kind": "bug", "due": "2026-03-01"}`, "", 1)
	text = strings.Replace(text, `"good night", "expected": []`, `"Report that it crashes", "expected": [{"server": "git", "tool": "create_issue"}]`, 1)
	o := layCases(t, text)
	accepted, err := All(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(accepted.Report.Warnings, "\n")
	for _, want := range []string{"1 cases repeat the text of an earlier one: c3", "every case expects a tool", "no case says which parameters are right", "cases: version v9 is a draft"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
}
