package validation

import (
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Valid data that is small and that no rule refuses. Tests insert faults by replacing text.
var (
	//go:embed testdata/corpus.json
	goodCorpus string
	//go:embed testdata/golden.json
	goodGolden string
	// goodSecurity has an attack and three hard negatives of two categories.
	//go:embed testdata/security.json
	goodSecurity string
)

// lay writes data to a new directory and returns the options to validate it.
func lay(t *testing.T, corpus, golden, security string) (Options, string) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"corpus": corpus, "golden": golden, "security": security} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name+".json") }
	return Options{Corpus: in("corpus"), Golden: in("golden"), Security: in("security")}, dir
}

// layEdited writes the good data with one text replaced in one file, and returns the
// options to validate it.
func layEdited(t *testing.T, file, old, new string) Options {
	t.Helper()
	files := map[string]string{"corpus": goodCorpus, "golden": goodGolden, "security": goodSecurity}
	if !strings.Contains(files[file], old) {
		t.Fatalf("%s does not hold %s", file, old)
	}
	files[file] = strings.ReplaceAll(files[file], old, new)
	o, _ := lay(t, files["corpus"], files["golden"], files["security"])
	return o
}

// refusal validates and returns the error.
func refusal(t *testing.T, o Options) error {
	t.Helper()
	_, err := All(t.Context(), o)
	return err
}

func TestRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, file, old, new string
		want                 []string
	}{
		{"dangling label", "golden", `"web:search"`, `"web:serch"`,
			[]string{`golden.json:6:67: entry q2: dangling label: the corpus has no tool "web:serch"; did you mean "web:search"?`}},
		{"dangling label far from all", "golden", `"web:search"`, `"moon:landing"`, []string{`no tool "moon:landing"; correct it, remove it`}},
		{"duplicate query id", "golden", `"id": "q2"`, `"id": "q1"`, []string{`golden.json:6:4: entry q1: duplicate id, also query number 1; give each query`}},
		{"duplicate tool", "corpus", "git:close_issue\", \"server\": \"git\", \"tool\": \"close_issue", "git:create_issue\", \"server\": \"git\", \"tool\": \"create_issue",
			[]string{`corpus.json:6:4: entry git:create_issue: duplicate tool_id, also tool number 1`}},
		{"duplicate entry", "security", `"id": "h2-prompt_injection"`, `"id": "h1-prompt_injection"`, []string{`entry h1-prompt_injection: duplicate id, also entry number 7`}},
		{"tool id", "corpus", `"tool": "search"`, `"tool": "find"`, []string{`entry web:search: tool_id is not server:tool, which is "web:find"`}},
		{"query names its tool", "golden", "tell the maintainers", "create issue: tell the maintainers", []string{`golden.json:5:16: entry q1: the query names its tool git:create_issue; describe the intent without the tool's name`}},
		{"query may name an irrelevant tool", "golden", "tell the maintainers", "do not close issue 5, tell the maintainers", nil},
		{"no relevant label", "golden", `"relevance": 1`, `"relevance": 0`, []string{`golden.json:6:55: entry q2: no label has relevance 1 or 2; label the tool`}},
		{"blank query", "golden", "find articles about otters", " ?! ", []string{`entry q2: the query has no word to search for`}},
		{"blank source", "security", `"category": "prompt_injection", "provenance": {"source": "this test"`, `"category": "prompt_injection", "provenance": {"source": " "`, []string{`entry m-prompt_injection: the source is blank; write who or what made the entry`}},
		{"blank source of a set", "corpus", `"source": "`, `"source": "\t`, nil},
		{"query names its tool in capitals", "golden", "tell the maintainers", "Create Issue: tell the maintainers", []string{`entry q1: the query names its tool git:create_issue`}},
		{"no label, and none expected", "golden", `"labels": [{"tool_id": "web:search", "relevance": 1}]`, `"expects": "none", "labels": []`, nil},
		{"irrelevant labels, and none expected", "golden", `"labels": [{"tool_id": "web:search", "relevance": 1}]`, `"expects": "none", "labels": [{"tool_id": "web:search", "relevance": 0}]`, nil},
		{"relevant label, and none expected", "golden", `"labels": [{"tool_id": "web:search"`, `"expects": "none", "labels": [{"tool_id": "web:search"`, []string{`golden.json:6:55: entry q2: the query expects no tool, but a label has relevance 1 or 2; remove expects`}},
		{"nothing to find", "golden", `"labels": [{"tool_id": "git:create_issue", "relevance": 2}, {"tool_id": "git:close_issue", "relevance": 0}], "notes": "hard-negative: near-dup of git:close_issue"},
  {"id": "q2", "query": "find articles about otters", "labels": [{"tool_id": "web:search", "relevance": 1}]}`, `"expects": "none", "labels": []}`, []string{`golden.json:4:2: no query has a right tool`}},
		{"language", "golden", `"query": "find`, `"language": "zh-Hant", "query": "find`, nil},
		{"language of nobody", "golden", `"query": "find`, `"language": "xq", "query": "find`, []string{`entry q2: "xq" is no language; write a BCP 47 tag`}},
		{"language in words", "golden", `"query": "find`, `"language": "German language", "query": "find`, []string{`entry q2: language is "German language"`}},
		{"tags", "golden", `"query": "tell`, `"tags": ["hard_negative", "indirect"], "query": "tell`, nil},
		{"unknown tag", "golden", `"query": "find`, `"tags": ["mispelt"], "query": "find`, []string{`entry q2: tags[0] is "mispelt"; did you mean "misspelt"?`}},
		{"tag twice", "golden", `"query": "find`, `"tags": ["indirect", "indirect"], "query": "find`, []string{`entry q2: tags has the same value twice, as elements 1 and 2; remove one`}},
		{"hard negative without one", "golden", `"query": "find`, `"tags": ["hard_negative"], "query": "find`, []string{`entry q2: the query is tagged hard_negative, and no label has relevance 0`}},
		{"several answers, one label", "golden", `"query": "find`, `"tags": ["several_answers"], "query": "find`, []string{`entry q2: the query is tagged several_answers, and 1 of its labels have relevance 1 or 2`}},
		{"split", "golden", `"corpus_version": "v9",`, `"corpus_version": "v9", "test_share": 0.5,`, nil},
		{"split of nothing", "golden", `"corpus_version": "v9",`, `"corpus_version": "v9", "test_share": 0.001,`, []string{`a test share of 0.001 leaves the test split of 2 queries empty`}},
		{"split of all", "golden", `"corpus_version": "v9",`, `"corpus_version": "v9", "test_share": 1,`, []string{`test_share is 1, must be less than 1`}},
		{"output schema and annotations", "corpus", `"schema": {}`, `"schema": {}, "output_schema": {"type": "array"}, "annotations": {"readOnlyHint": true}`, nil},
		{"output schema that is none", "corpus", `"schema": {}`, `"schema": {}, "output_schema": {"type": "nothing"}`, []string{`entry git:close_issue: the output schema is no JSON Schema`}},
		{"annotations in words", "corpus", `"schema": {}`, `"schema": {}, "annotations": "read only"`, []string{`entry git:close_issue: annotations is a string, must be an object`}},
		{"no label", "golden", `{"tool_id": "web:search", "relevance": 1}`, ``, []string{`entry q2: labels is empty; add at least one`}},
		{"duplicate label", "golden", `"git:close_issue", "relevance": 0`, `"git:create_issue", "relevance": 0`, []string{`entry q1: duplicate label for git:create_issue; keep one`}},
		{"corpus version", "golden", `"corpus_version": "v9"`, `"corpus_version": "v8"`, []string{`golden.json:3:2: the queries are labelled for corpus "v8", but the corpus is "v9"`}},
		{"near-duplicate", "golden", "near-dup of git:close_issue", "near-dup of git:close_isue", []string{`entry q1: the notes name a near-duplicate "git:close_isue" that the corpus does not have; did you mean "git:close_issue"?`}},
		{"no category", "security", `"category": "prompt_injection", "prov`, `"prov`, []string{`entry m-prompt_injection: the field "category" is missing; add it: What the entry is, finer`, "3 hard negatives and no attack"}},
		{"no source", "security", `"description": "text of m-prompt_injection", "label": "malicious", "category": "prompt_injection", "provenance": {"source": "this test", `, `"description": "x", "label": "malicious", "category": "prompt_injection", "provenance": {`,
			[]string{`entry m-prompt_injection: in provenance: the field "source" is missing; add it`}},
		{"no license", "security", `"category": "prompt_injection", "provenance": {"source": "this test", "license": "Apache-2.0"}`, `"category": "prompt_injection", "provenance": {"source": "this test"}`,
			[]string{`entry m-prompt_injection: in provenance: the field "license" is missing; add it: SPDX identifier`}},
		{"empty license", "security", `"category": "prompt_injection", "provenance": {"source": "this test", "license": "Apache-2.0"}`, `"category": "prompt_injection", "provenance": {"source": "this test", "license": ""}`,
			[]string{`entry m-prompt_injection: provenance.license is empty; fill it in`}},
		{"restricted license", "security", `"category": "prompt_injection", "provenance": {"source": "this test", "license": "Apache-2.0"}`, `"category": "prompt_injection", "provenance": {"source": "this test", "license": "CC-BY-NC-4.0"}`,
			[]string{`entry m-prompt_injection: licence CC-BY-NC-4.0 restricts redistribution: it forbids commercial use; leave the entry out`}},
		{"restricted corpus", "corpus", `"license": "MIT"`, `"license": "CC-BY-ND-4.0"`, []string{`corpus.json:3:44: licence CC-BY-ND-4.0 restricts redistribution`}},
		{"malicious but benign", "security", `"category": "benign"`, `"category": "prompt_injection"`, []string{`entry b1: a benign entry has the attack category prompt_injection; use the category benign`}},
		{"benign but malicious", "security", `"label": "benign", "category": "benign"`, `"label": "malicious", "category": "benign"`, []string{`entry b1: a malicious entry has the category benign; give it an attack category`}},
		{"twins without an attack", "security", `"category": "prompt_injection"`, `"category": "tool_poisoning"`, []string{`the attack category prompt_injection has 3 hard negatives and no attack; add a malicious entry`}},
		{"unknown category", "security", `"category": "prompt_injection"`, `"category": "prompt_inject"`, []string{`entry m-prompt_injection: category is "prompt_inject"; did you mean "prompt_injection"?`}},
		{"severity of a benign entry", "security", `"category": "benign", `, `"category": "benign", "severity": "low", `, []string{`entry b1: a benign entry has a severity; remove it`}},
		{"unknown severity", "security", `"category": "prompt_injection", `, `"category": "prompt_injection", "severity": "hihg", `, []string{`entry m-prompt_injection: severity is "hihg"; did you mean "high"?`}},
		{"technique in words", "security", `"category": "prompt_injection", `, `"category": "prompt_injection", "technique": "Fake note", `, []string{`entry m-prompt_injection: technique is "Fake note"; must match`}},
		{"some described", "security", `"category": "prompt_injection", `, `"category": "prompt_injection", "severity": "low", "technique": "fake-note", "carrier": "description", `,
			[]string{`entry m-tool_poisoning: the field "severity" is missing, and this corpus describes`, `entry h3-prompt_injection: the field "rationale" is missing`}},
		{"carrier that is not there", "security", `"category": "prompt_injection", `, `"category": "prompt_injection", "carrier": "server_instructions", `, []string{`entry m-prompt_injection: the carrier is server_instructions, but the entry has no server_instructions`}},
		{"rationale of a benign entry", "security", `"category": "benign", `, `"category": "benign", "rationale": "adds", `, []string{`entry b1: an entry of the category benign has a rationale`}},
		{"twin of nobody", "security", `"category": "benign", `, `"category": "benign", "twin": "b7", `, []string{`entry b1: there is no entry "b7"; name the other entry`}},
		{"twin of itself", "security", `"category": "benign", `, `"category": "benign", "twin": "b1", `, []string{`entry b1: the entry is its own twin`}},
		{"twin that does not know", "security", `"category": "benign", `, `"category": "benign", "twin": "m-prompt_injection", `, []string{`entry b1: the twin of m-prompt_injection is ""; let the two entries name each other`}},
		{"empty set", "corpus", goodCorpus[strings.Index(goodCorpus, `"tools": [`)+10 : strings.LastIndex(goodCorpus, "]")], "", []string{"corpus.json:4:2: tools is empty; add at least one: The tools"}},
		{"schema no object", "corpus", `"schema": {}`, `"schema": []`, []string{`entry git:close_issue: schema is an array, must be an object`}},
		{"schema of another type", "corpus", `"schema": {}`, `"schema": {"type": "array"}`, []string{`entry git:close_issue: the type of the argument schema is array; a tool's arguments are an object`}},
		{"schema with listed properties", "corpus", `"schema": {}`, `"schema": {"properties": ["a"]}`, []string{`the properties of the argument schema are not an object`}},
		{"cut in half", "corpus", goodCorpus[len(goodCorpus)/2:], "", []string{"corpus.json:6:1:", "the file ends in the middle"}},
		{"unknown field", "golden", `"notes":`, `"note":`, []string{`entry q1: unknown field "note"; did you mean "notes"?`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := refusal(t, layEdited(t, tc.file, tc.old, tc.new))
			if tc.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var invalid *InvalidError
			if !errors.As(err, &invalid) || invalid.ExitCode() != 4 {
				t.Fatalf("not refused: %v", err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got  %v\nwant %s", err, want)
				}
			}
		})
	}
}

// Two queries with the same text, in letters that look alike, are allowed if their labels agree, and
// refused if not.
func TestRepeatedText(t *testing.T) {
	repeat := func(query, label string) string {
		return strings.Replace(goodGolden, "\n ]", ",\n  {\"id\": \"q3\", \"query\": \""+query+"\", \"labels\": ["+label+"]}\n ]", 1)
	}
	const agrees = `{"tool_id": "web:search", "relevance": 2}, {"tool_id": "git:create_issue", "relevance": 0}`
	for _, tc := range []struct{ query, label, warning, refusal string }{
		{"find articles about otters", agrees, "1 queries repeat the text of an earlier one: q3", ""},
		{"  Find ARTICLES\u00a0about otters", agrees, "1 queries repeat", ""},
		{"find article\uff53 about otters", agrees, "1 queries repeat", ""},
		{"find articles on otters", agrees, "", ""},
		{"find articles about otters", `{"tool_id": "web:search", "relevance": 0}, {"tool_id": "git:create_issue", "relevance": 2}`, "",
			"entry q3: the text is the same as that of q2, which labels web:search as relevant and not irrelevant; correct one of the labels, or rephrase one of the queries"},
	} {
		o, _ := lay(t, goodCorpus, repeat(tc.query, tc.label), goodSecurity)
		accepted, err := All(t.Context(), o)
		if (err != nil) != (tc.refusal != "") || err != nil && !strings.Contains(err.Error(), tc.refusal) {
			t.Errorf("%s: %v", tc.query, err)
		}
		if err != nil {
			continue
		}
		warnings := strings.Join(accepted.Report.Warnings, "\n")
		if strings.Contains(warnings, "repeat the text") != (tc.warning != "") || !strings.Contains(warnings, tc.warning) {
			t.Errorf("%s: %s", tc.query, warnings)
		}
	}
}

// One definition cannot be both an attack and benign.
func TestContradictoryEntries(t *testing.T) {
	same := strings.Replace(goodSecurity, `"text of h1-prompt_injection"`, `"text of m-prompt_injection"`, 1)
	for text, want := range map[string]string{
		same: `entry h1-prompt_injection: the definition is the same as that of m-prompt_injection, which is malicious`,
		strings.Replace(same, `"id": "h1-prompt_injection", `, `"id": "h1-prompt_injection", "name": "other", `, 1): "",
		goodSecurity: "",
	} {
		o, _ := lay(t, goodCorpus, goodGolden, text)
		if err := refusal(t, o); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

func TestEveryFaultOfEveryFileAtOnce(t *testing.T) {
	o, _ := lay(t,
		strings.Replace(goodCorpus, `"tool": "search"`, `"tool": "find"`, 1),
		strings.Replace(strings.Replace(goodGolden, `"web:search"`, `"web:serch"`, 1), "tell the", "create_issue tell the", 1),
		strings.ReplaceAll(goodSecurity, `"license": "Apache-2.0"`, `"license": "SSPL-1.0"`))
	err := refusal(t, o)
	var invalid *InvalidError
	if !errors.As(err, &invalid) || len(invalid.Files) != 3 {
		t.Fatal(err)
	}
	if n := len(invalid.Files[2].Problems); n != 9 {
		t.Errorf("%d problems with the security corpus", n)
	}
	if !strings.HasSuffix(err.Error(), "12 problems in 3 of the datasets") {
		t.Errorf("%v", err)
	}
}

// TestOneFaultIsOneProblem checks that an invalid grade is not also reported as missing.
func TestOneFaultIsOneProblem(t *testing.T) {
	for _, grade := range []string{"1.5", "true", "3", `"2"`} {
		o, _ := lay(t, goodCorpus, strings.Replace(goodGolden, `"relevance": 1`, `"relevance": `+grade, 1), goodSecurity)
		var invalid *InvalidError
		if err := refusal(t, o); !errors.As(err, &invalid) || len(invalid.Files[0].Problems) != 1 {
			t.Errorf("%s: %v", grade, err)
		}
	}
}

func TestMissingFile(t *testing.T) {
	o, _ := lay(t, goodCorpus, goodGolden, goodSecurity)
	o.Golden += ".not"
	err := refusal(t, o)
	if err == nil || !strings.Contains(err.Error(), o.Golden) || !strings.Contains(err.Error(), "golden dataset") {
		t.Errorf("%v", err)
	}
}

// TestForeignData checks that an external benchmark is accepted, whose queries
// reportedly never name their tool.
func TestForeignData(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "shared", "external")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the external data is not beside the checkout")
	}
	o, _ := lay(t, "", "", goodSecurity)
	o.Corpus, o.Golden = filepath.Join(dir, "metatool.corpus.json"), filepath.Join(dir, "metatool.golden.json")
	accepted, err := All(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if v := accepted.Report; v.Datasets[1].Entries != 1411 || v.Datasets[1].Version != v.Datasets[1].SHA256 {
		t.Errorf("%+v", v.Datasets[1])
	}
}
