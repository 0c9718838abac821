package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// labelledTool is a tool of a training set. In an attack ⟦ and ⟧ enclose the
// planted words. Sets from before the classifier have no marks.
type labelledTool struct {
	source   string
	attack   bool
	hard     bool
	class    string
	tool     scanner.Tool
	siblings []scanner.Tool
	marks    []string
	// approved is the version before an update, or nil. instructions are those of
	// the tool's server. others are the tools over which an attack is spread.
	approved     *scanner.Tool
	instructions string
	others       []labelledTool
	// registry holds the siblings, if many tools have the same.
	registry *scanner.RegistryView
}

// registryOf is the registry of the tool and its siblings.
func (l *labelledTool) registryOf() *tool.Registry {
	all := []*tool.Definition{(*tool.Definition)(&l.tool)}
	for i := range l.siblings {
		all = append(all, (*tool.Definition)(&l.siblings[i]))
	}
	return tool.NewRegistry(all, nil)
}

// readSentenceSets reads the sets in dir/sentences, one for each author, by
// name.
func readSentenceSets(dir string) (map[string][]labelledTool, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "sentences", "*.jsonl"))
	if err != nil {
		return nil, err
	}

	if len(paths) < 2 {
		return nil, fmt.Errorf("%s: %d training sets: name the directory scanner/training of a checkout with -dir", dir,
			len(paths))
	}

	sets := map[string][]labelledTool{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
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
				return nil, fmt.Errorf("%s: %w in %.80s: correct the line", path, err, line)
			}

			l := labelledTool{source: source, attack: row.Label == "attack", hard: row.Hard, class: row.Class}
			l.tool = scanner.Tool{Server: row.Server, Name: row.Tool, Description: row.Description,
				InputSchema: row.InputSchema, OutputSchema: row.OutputSchema, Annotations: row.Annotations}
			l.tool.Description = l.unmark(l.tool.Description)
			for _, schema := range []*json.RawMessage{&l.tool.InputSchema, &l.tool.OutputSchema} {
				if *schema, err = l.unmarkSchema(*schema); err != nil {
					return nil, fmt.Errorf("%s: %s: %w: correct the schema", path, l.tool.Name, err)
				}
			}

			for _, s := range row.Siblings {
				l.siblings = append(l.siblings,
					scanner.Tool{Server: s.Server, Name: s.Tool, Description: s.Description,
						InputSchema: s.InputSchema})
			}

			sets[source] = append(sets[source], l)
		}
	}

	return sets, nil
}

// unmark removes the marks from a text and records the text that they enclosed.
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

// unmarkSchema does the same for every string of a schema.
func (l *labelledTool) unmarkSchema(schema json.RawMessage) (json.RawMessage, error) {
	if len(schema) == 0 {
		return schema, nil
	}
	var value any
	if err := json.Unmarshal(schema, &value); err != nil {
		return nil, err
	}
	if text := string(schema); !strings.Contains(text, "⟦") && !strings.Contains(text, `\u27e6`) {
		return schema, nil
	}
	return json.Marshal(l.unmarkValue(value))
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

// readTraining reads all that the classifier is trained on: the authors' marked sets, by
// name, and the sets without marks.
func readTraining(dir string) (sets map[string][]labelledTool, unmarked []labelledTool, err error) {
	if sets, err = readSentenceSets(dir); err != nil {
		return nil, nil, err
	}
	unmarked, err = readUnmarked(dir)
	return sets, unmarked, err
}

// readUnmarked reads the sets in dir/unmarked. Their attacks have no marks.
func readUnmarked(dir string) ([]labelledTool, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "unmarked", "*.json"))
	if err != nil {
		return nil, err
	}

	var out []labelledTool
	for _, path := range paths {
		entries, err := readEntries(path)
		if err != nil {
			return nil, err
		}

		out = append(out, entries...)
	}

	return out, nil
}

// readEntries reads one file of labelled tools without marks.
func readEntries(path string) ([]labelledTool, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}

	var file struct {
		Entries []struct {
			Label, Category, Server, Name, Description string
			InputSchema                                json.RawMessage `json:"input_schema"`
			OutputSchema                               json.RawMessage `json:"output_schema"`
			Annotations                                json.RawMessage
			Peers                                      []scanner.Tool
			Approved                                   *scanner.Tool
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w: correct the file", path, err)
	}

	var out []labelledTool
	for _, e := range file.Entries {
		if e.Approved != nil {
			e.Approved.Server, e.Approved.Name = e.Server, e.Name
		}

		out = append(out, labelledTool{
			source: filepath.Base(path), approved: e.Approved, attack: e.Label == "attack" || e.Label == "malicious",
			class: e.Category, siblings: e.Peers,
			tool: scanner.Tool{Server: e.Server, Name: e.Name, Description: e.Description,
				InputSchema: e.InputSchema, OutputSchema: e.OutputSchema, Annotations: e.Annotations},
		})
	}

	return out, nil
}
