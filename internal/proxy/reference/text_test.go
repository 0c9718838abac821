package reference

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"create_issue":                  "create issue",
		"create-issue":                  "create issue",
		"createIssue":                   "create issue createissue",
		"HTTPServer":                    "http server httpserver",
		"getURLFor":                     "get url for geturlfor",
		"GitHub":                        "git hub github",
		"JSON":                          "json",
		"s3_bucket":                     "s3 bucket",
		"oauth2Token":                   "oauth2 token oauth2token",
		"the user's file.txt":           "the user s file txt",
		"Zürich Straße":                 "zürich straße",
		"天気予報":                          "天気 気予 予報",
		"雨":                             "雨",
		"  ":                            "",
		"":                              "",
		"an " + strings.Repeat("x", 65): "an",
		"\xff\xfe":                      "",
		"a\u0301b":                      "a\u0301b",
		"reads/writes (files)":          "reads writes files",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestAnalyzer(t *testing.T) {
	for text, want := range map[string]string{
		"Searching for searched files": "search search file",
		"can you please help me find":  "",
		"The tool lists all of them":   "list",
		"createIssues":                 "creat issu createissu",
	} {
		if got := analyze(text); strings.Join(got, " ") != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestSchemaText(t *testing.T) {
	schema := `{
		"type": "object", "title": "Root", "$comment": "unseen", "required": ["unseen"],
		"properties": {
			"path": {"type": "string", "description": "where it is", "default": "unseen"},
			"mode": {"enum": ["fast", 3, null, "slow"]},
			"list": {"type": "array", "items": {"properties": {"inner": {"$ref": "#/$defs/unseen"}}}},
			"either": {"anyOf": [{"description": "first way"}, {"title": "second way"}, true]},
			"description": {"type": "string"}
		},
		"$defs": {"unseen": {"description": "shared words"}},
		"additionalProperties": {"description": "anything else"}
	}`
	got := SchemaText(json.RawMessage(schema))
	for _, want := range []string{"Root", "path", "where it is", "fast", "slow", "inner", "first way", "second way", "shared words", "anything else", "description"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	if strings.Contains(got, "unseen") {
		t.Errorf("got %q", got)
	}
	for _, odd := range []string{``, `null`, `true`, `[]`, `{`, `{"properties":[]}`, `{"properties":{"a":3}}`, `{"enum":"x","items":4}`} {
		_ = SchemaText(json.RawMessage(odd))
	}
	deep := strings.Repeat(`{"properties":{"p":`, 5000) + `{}` + strings.Repeat(`}}`, 5000)
	if got := len(strings.Fields(SchemaText(json.RawMessage(deep)))); got > maxSchemaDepth {
		t.Errorf("%d words of a bottomless schema", got)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("createIssue_forTheXMLParser 天気2024\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range words(text) {
			if w == "" || strings.ContainsFunc(w, unicode.IsSpace) {
				t.Fatalf("%q gives the word %q", text, w)
			}
		}
	})
}

func FuzzSchemaText(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"enum":["x"],"anyOf":[{"items":{}}]}}}`))
	f.Fuzz(func(t *testing.T, schema []byte) { _ = SchemaText(schema) })
}
