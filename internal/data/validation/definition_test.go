package validation

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestRefusesDefinitionsThatCannotBeScored(t *testing.T) {
	const attack = `"description": "text of m-prompt_injection", "label": "malicious", "category": "prompt_injection"`
	for _, tc := range []struct {
		name, file, old, new string
		want                 string // "" if it is accepted
	}{
		{"properties of a wrong type", "corpus", `"schema": {}`, `"schema": {"type": "object", "properties": {"a": {"type": "strin"}}}`, `entry git:close_issue: the argument schema is no JSON Schema`},
		{"required is no list", "corpus", `"schema": {}`, `"schema": {"required": "a"}`, `the argument schema is no JSON Schema`},
		{"a property that is no schema", "corpus", `"schema": {}`, `"schema": {"properties": {"a": "string"}}`, `the argument schema is no JSON Schema`},
		{"wrong in its own dialect", "corpus", `"schema": {}`, `"schema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"a": {"exclusiveMinimum": true}}}`, `the argument schema is no JSON Schema`},
		{"right in an older dialect", "corpus", `"schema": {}`, `"schema": {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": [{"type": "string"}]}}}`, ""},
		{"an older dialect that is not named", "corpus", `"schema": {}`, `"schema": {"properties": {"a": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}}`, ""},
		{"a reference", "corpus", `"schema": {}`, `"schema": {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}}`, ""},
		{"an unknown dialect", "corpus", `"schema": {}`, `"schema": {"$schema": "https://example.org/mine", "required": "a"}`, ""},
		{"schema of an entry", "security", attack, attack + `, "input_schema": {"required": [1]}`, `entry m-prompt_injection: the argument schema is no JSON Schema`},
		{"output schema of an entry", "security", attack, attack + `, "output_schema": {"type": 3}`, `entry m-prompt_injection: the output schema is no JSON Schema`},
		{"schema of a peer", "security", attack, attack + `, "peers": [{"server": "s", "name": "n", "description": "d", "input_schema": {"properties": 1}}]`, `the properties of the argument schema are not an object`},
		{"schema of the approved tool", "security", attack, attack + `, "approved": {"description": "d", "input_schema": {"properties": {"a": 1}}}`, `the argument schema is no JSON Schema`},

		{"rug pull without approved", "security", "prompt_injection", "rug_pull", ""},
		{"rug pull, and twins without approved", "security", `"prompt_injection", `, `"rug_pull", "approved": {"description": "d"}, `, ""},
		{"shadowing without peers", "security", "prompt_injection", "shadowing", ""},
		{"shadowing", "security", `"prompt_injection", `, `"shadowing", "peers": [{"server": "s", "name": "n", "description": "d"}], `, ""},

		{"note without the tool", "golden", "hard-negative: near-dup of git:close_issue", "hard-negative: near-dup of ", `entry q1: the notes "hard-negative: near-dup of " do not mark a hard negative; write "hard-negative: near-dup of <tool_id>"`},
		{"note in other words", "golden", "hard-negative: near-dup of git:close_issue", "Hard negative of git:close_issue", `do not mark a hard negative`},
		{"note of another form", "golden", "hard-negative: near-dup of git:close_issue", "hard-negative near-dup of git:close_issue", `do not mark a hard negative`},
		{"note about something else", "golden", "hard-negative: near-dup of git:close_issue", "taken from a ticket; hard to answer", ""},
		{"note with more words", "golden", "hard-negative: near-dup of git:close_issue", "hard-negative: near-dup of git:close_issue, which only closes", ""},

		{"NUL in a query", "golden", "about otters", `about\u0000 otters`, `the text holds the character U+0000 (NUL)`},
		{"NUL in a description", "security", "text of h2", `text of \u0000h2`, `the text holds the character U+0000 (NUL)`},
		{"NUL in the name of an argument", "corpus", `"schema": {}`, `"schema": {"properties": {"a\u0000b": {}}}`, `the text holds the character U+0000 (NUL)`},
		{"a backslash that escapes nothing", "golden", "about otters", `about \\u0000 otters`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := refusal(t, layEdited(t, tc.file, tc.old, tc.new))
			var invalid *InvalidError
			switch {
			case tc.want == "" && err != nil:
				t.Fatal(err)
			case tc.want != "" && !errors.As(err, &invalid):
				t.Fatalf("not refused: %v", err)
			case tc.want != "" && !strings.Contains(err.Error(), tc.want):
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

// A file that is named corpus_v2.json holds the version v2.
func TestVersionDisagreesWithTheFileName(t *testing.T) {
	for _, kind := range []string{"corpus", "golden", "security"} {
		for name, want := range map[string]string{
			kind + "_v9.json": "", kind + "_v2.json": "rename the file to " + kind + "_v9.json, or correct the version", "mine_v2.json": "", kind + ".json": "",
		} {
			o, dir := lay(t, goodCorpus, goodGolden, goodSecurity)
			path := filepath.Join(dir, name)
			if err := os.Rename(filepath.Join(dir, kind+".json"), path); err != nil {
				t.Fatal(err)
			}
			switch kind {
			case "corpus":
				o.Corpus = path
			case "golden":
				o.Golden = path
			default:
				o.Security = path
			}
			err := refusal(t, o)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// checkSchema must not fail on any JSON.
func FuzzCheckSchema(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `{"$schema": 3}`, `{"properties": {"a/b~": {"type": "x"}}}`, `{"$schema": "http://json-schema.org/draft-04/schema#", "id": 1}`, `{`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		d := &dataset[contracts.Corpus]{kind: contracts.KindCorpus}
		checkSchema(d, "/tools/0/schema", "e", "the schema", schema)
		if len(d.problems) > 1 {
			t.Errorf("%d problems", len(d.problems))
		}
	})
}
