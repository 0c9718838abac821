package scanner

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// labelledTool is a tool of a training set. In an attack the planted words
// stand between ⟦ and ⟧; sets of before the classifier have no marks.
type labelledTool struct {
	source   string
	attack   bool
	hard     bool
	class    string
	tool     Tool
	siblings []Tool
	marks    []string
}

// readSentenceSets reads the sets in testdata/sentences, one of each author,
// by name.
func readSentenceSets(tb testing.TB) map[string][]labelledTool {
	paths, err := filepath.Glob("testdata/sentences/*.jsonl")
	if err != nil || len(paths) < 2 {
		tb.Fatalf("%d training sets: %v", len(paths), err)
	}
	sets := map[string][]labelledTool{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		source := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		for line := range bytes.Lines(raw) {
			var row struct {
				Label, Class, Server, Tool, Description string
				Hard                                    bool
				InputSchema, OutputSchema, Annotations  json.RawMessage
				Siblings                                []struct {
					Server, Tool, Description string
					InputSchema               json.RawMessage
				}
			}
			if err := json.Unmarshal(line, &row); err != nil {
				tb.Fatalf("%s: %v in %.80s", path, err, line)
			}
			l := labelledTool{source: source, attack: row.Label == "attack", hard: row.Hard, class: row.Class}
			l.tool = Tool{Server: row.Server, Name: row.Tool, Description: row.Description, InputSchema: row.InputSchema, OutputSchema: row.OutputSchema, Annotations: row.Annotations}
			l.tool.Description = l.unmark(l.tool.Description)
			l.tool.InputSchema = l.unmarkSchema(tb, l.tool.InputSchema)
			l.tool.OutputSchema = l.unmarkSchema(tb, l.tool.OutputSchema)
			for _, s := range row.Siblings {
				l.siblings = append(l.siblings, Tool{Server: s.Server, Name: s.Tool, Description: s.Description, InputSchema: s.InputSchema})
			}
			sets[source] = append(sets[source], l)
		}
	}
	return sets
}

// unmark takes the marks out of a text and keeps what they enclosed.
func (l *labelledTool) unmark(text string) string {
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "⟦")
		if !found {
			break
		}
		marked, after, _ := strings.Cut(after, "⟧")
		if marked = strings.TrimSpace(char.Normalize(marked)); len(marked) > 2 {
			l.marks = append(l.marks, marked)
		}
		rest = after
	}
	return strings.NewReplacer("⟦", "", "⟧", "").Replace(text)
}

func (l *labelledTool) unmarkSchema(tb testing.TB, schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return schema
	}
	var value any
	if err := json.Unmarshal(schema, &value); err != nil {
		tb.Fatalf("%s: %v", l.tool.Name, err)
	}
	if text := string(schema); !strings.Contains(text, "⟦") && !strings.Contains(text, `\u27e6`) {
		return schema
	}
	clean, err := json.Marshal(l.unmarkValue(value))
	if err != nil {
		tb.Fatal(err)
	}
	return clean
}

func (l *labelledTool) unmarkValue(value any) any {
	switch x := value.(type) {
	case string:
		return l.unmark(x)
	case []any:
		for i := range x {
			x[i] = l.unmarkValue(x[i])
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			x[key] = l.unmarkValue(x[key])
		}
	}
	return value
}

// readUnmarked reads the development sets that rules are written with.
func readUnmarked(tb testing.TB) []labelledTool {
	paths, err := filepath.Glob("testdata/*dev.json")
	if err != nil {
		tb.Fatal(err)
	}
	var out []labelledTool
	for _, path := range paths {
		for _, e := range readDevSet(tb, path) {
			out = append(out, labelledTool{source: filepath.Base(path), attack: e.Label == "attack", class: e.Category,
				tool: Tool{Server: e.Server, Name: e.Name, Description: e.Description, InputSchema: e.InputSchema, OutputSchema: e.OutputSchema, Annotations: e.Annotations}, siblings: e.Peers})
		}
	}
	return out
}
