package undertest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestSchemaChanges(t *testing.T) {
	tools := func(schema string) []Tool { return []Tool{{ID: "a:b", Schema: json.RawMessage(schema)}} }
	p := &Proxy{driver: &adapterDriver{}}
	for name, tc := range map[string]struct{ before, after, want string }{
		"equal": {`{"type": "object", "maximum": 100}`, `{"maximum":1e2,"type":"object"}`, ""},
		"dropped": {`{"type":"object","description":"Text.","$id":"x"}`, `{"type":"object"}`, `
the schema of a:b (- corpus, + proxy):
  - /$id: "x"
  - /description: "Text."
if the proxy never keeps these keywords, add them to schema_drops in the tools block of its adapter: "$id", "description"`},
		"changed": {`{"properties":{"a/b":{"type":"string"}}}`, `{"properties":{"a/b":{"type":["string"],"default":1}}}`, `
the schema of a:b (- corpus, + proxy):
  + /properties/a~1b/default: 1
  - /properties/a~1b/type: "string"
  + /properties/a~1b/type: ["string"]`},
		"other kind": {`{"type":"object"}`, `true`, `
the schema of a:b (- corpus, + proxy):
  - : {"type":"object"}
  + : true`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := p.schemaChanges(tools(tc.before), tools(tc.after)); got != tc.want {
				t.Errorf("got %s\nwant %s", got, tc.want)
			}
		})
	}
	many := make([]string, 30)
	for i := range many {
		many[i] = `"k` + strings.Repeat("x", i) + `": 1`
	}
	text := p.schemaChanges(tools("{"+strings.Join(many, ",")+"}"), tools("{}"))
	if !strings.Contains(text, "and 20 more differences") {
		t.Errorf("got %s", text)
	}
	// A proxy of the native contract has no adapter to change.
	native := &Proxy{driver: nativeDriver{}}
	if text := native.schemaChanges(tools(`{"title":"x"}`), tools(`{}`)); strings.Contains(text, "schema_drops") {
		t.Errorf("got %s", text)
	}
	if missing([]contracts.IndexedTool{{ToolID: "a:b"}}, []contracts.IndexedTool{{ToolID: "a:b"}, {ToolID: "a:c"}}) {
		t.Error("nothing is missing")
	}
}
