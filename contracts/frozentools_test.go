package contracts

import (
	"encoding/json"
	"testing"
)

// TestDigestOfTool covers what a digest depends on: the content, and not how it is written.
func TestDigestOfTool(t *testing.T) {
	tool := func(change func(*Tool)) string {
		one := Tool{ToolID: "a:b", Server: "a", Tool: "b", Description: "Counts.",
			Schema: json.RawMessage(`{"type": "object", "properties": {"n": {"maximum": 1.0}}}`)}
		change(&one)
		digest, err := DigestOfTool(&one)
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	was := tool(func(*Tool) {})
	same := func(t *Tool) { t.Schema = json.RawMessage(`{"properties":{"n":{"maximum":1}},"type":"object"}`) }
	if now := tool(same); now != was {
		t.Errorf("another way to write the schema: %s, was %s", now, was)
	}
	for what, change := range map[string]func(*Tool){
		"name":          func(t *Tool) { t.Tool = "c" },
		"description":   func(t *Tool) { t.Description = "Counts!" },
		"schema":        func(t *Tool) { t.Schema = json.RawMessage(`{"type": "object"}`) },
		"output schema": func(t *Tool) { t.OutputSchema = json.RawMessage(`{"type": "object"}`) },
		"annotations":   func(t *Tool) { t.Annotations = json.RawMessage(`{"readOnlyHint": true}`) },
	} {
		if now := tool(change); now == was {
			t.Errorf("another %s has the same digest", what)
		}
	}
}

// The digest of all is that of the lines that sha256sum prints, so that others can compute it.
func TestDigestOfTools(t *testing.T) {
	// printf 'bb  a:x\naa  b:x\n' | sha256sum
	const want = "494c4fdd74d897ab6e659f1b2fe22b2092ff55a80987993dbb430adcb06e0c8d"
	if got := DigestOfTools(map[ToolID]string{"b:x": "aa", "a:x": "bb"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
