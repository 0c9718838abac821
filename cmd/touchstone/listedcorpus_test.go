package main

import (
	"strings"
	"testing"
)

// FuzzIsToolList converts whatever is taken for a list of tools. Each tool of a
// corpus that results has an id made of its server and name.
func FuzzIsToolList(f *testing.F) {
	for _, s := range []string{
		`{"tools": [{"name": "a"}]}`, `{"result": {"tools": [{"name": "a", "inputSchema": {}}]}}`, `{"tools": [{"tool_id": "s:a"}]}`, `{"tools": []}`, `[]`, `{"tools": [{"name": 3}]}`,
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
