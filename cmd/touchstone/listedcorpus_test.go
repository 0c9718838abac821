package main

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/data/convert"
)

// A list of servers with their tools is read as tools of these servers.
func TestNestedListBecomesACorpus(t *testing.T) {
	for _, text := range []string{
		`[{"name":"w","description":"Weather.","tools":[{"name":"now","inputSchema":{}},{"name":"week","inputSchema":{}}]},{"name":"m","tools":[{"name":"send","inputSchema":{}}]}]`,
		`{"items":[{"name":"w","tools":[{"name":"now","inputSchema":{}},{"name":"week","inputSchema":{}}]},{"name":"m","tools":[{"name":"send","inputSchema":{}}]}]}`,
		`{"servers":{"w":{"tools":[{"name":"now","inputSchema":{}},{"name":"week","inputSchema":{}}]},"m":{"tools":[{"name":"send","inputSchema":{}}]}}}`,
	} {
		imported, err := importDataset("list.json", "", []byte(text), convert.ImportOptions{})
		if err != nil || len(imported.Corpus.Tools) != 3 || imported.Corpus.Tools[0].ToolID != "m:send" || imported.Notes[0] != "3 tools of 2 servers were read: m, w" {
			t.Errorf("%+v, %v", imported, err)
		}
	}
	imported, err := importDataset("list.json", "", []byte(`{"items":[{"name":"a","description":"Does a","inputSchema":{}}],"total":1}`), convert.ImportOptions{})
	if err != nil || len(imported.Corpus.Tools) != 1 || imported.Corpus.Tools[0].ToolID != "list:a" {
		t.Errorf("%+v, %v", imported, err)
	}
	if _, err := importDataset("list.json", "", []byte(`[{"name":"w","children":[1]}]`), convert.ImportOptions{}); err == nil {
		t.Error("an unknown shape was read")
	}
}

// FuzzIsToolList converts whatever is taken for a list of tools. Each tool of a
// corpus that results has an id made of its server and name.
func FuzzIsToolList(f *testing.F) {
	for _, s := range []string{
		`{"tools": [{"name": "a"}]}`, `{"result": {"tools": [{"name": "a", "inputSchema": {}}]}}`, `{"tools": [{"tool_id": "s:a"}]}`, `{"tools": []}`, `[]`, `{"tools": [{"name": 3}]}`,
		`[{"name": "w", "tools": [{"name": "a"}]}]`, `{"servers": {"w": {"tools": [{"name": "a"}]}}}`, `{"items": [{"name": "w", "tools": []}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !isToolList(data) {
			return
		}
		corpus, notes, err := corpusOfToolList("tools.json", "s", data)
		if err != nil {
			return
		}
		if len(notes) == 0 || !strings.HasPrefix(corpus.Version, "imported-") {
			t.Errorf("version %q, notes %v", corpus.Version, notes)
		}
		for _, tool := range corpus.Tools {
			if tool.ToolID != tool.Server+":"+tool.Tool {
				t.Errorf("%+v", tool)
			}
		}
	})
}
