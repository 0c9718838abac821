package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection/model/modeltest"
)

// improvable is a model that finds beta once its description has a word, and an
// advisor that writes a description.
func improvable(t *testing.T, description string) *modeltest.Server {
	return modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		if r.Tools[0] == "rewrite" {
			if !strings.Contains(r.Query, "number 1") && !strings.Contains(r.Query, "number") {
				t.Errorf("the advisor does not get the failed cases: %s", r.Query)
			}
			arguments, err := json.Marshal(map[string]any{"rewrites": []any{map[string]string{"server": "tasks", "tool": "beta", "description": description}}})
			if err != nil {
				t.Error(err)
			}
			return modeltest.Reply{Calls: []modeltest.Call{{Tool: "rewrite", Arguments: string(arguments)}}}
		}
		tool := "alpha"
		if strings.Contains(string(r.Body), "finds numbers") {
			tool = "beta"
		}
		return modeltest.Reply{Calls: []modeltest.Call{{Tool: tool, Arguments: "{}"}}}
	})
}

func TestDescriptionsAreWrittenOnlyIfTheyHelp(t *testing.T) {
	var cases []map[string]any
	for i := range 40 {
		cases = append(cases, map[string]any{"name": fmt.Sprint("case ", i), "query": fmt.Sprint("number ", i), "servers": []string{"tasks"},
			"expected": []any{map[string]string{"server": "tasks", "tool": "beta"}}})
	}
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	for description, helps := range map[string]bool{"Use it if a request finds numbers.": true, "Something else.": false} {
		s, _, file := selectionBench(t, string(text))
		s.evalAll("import", file)
		provider := improvable(t, description)
		output := filepath.Join(t.TempDir(), "descriptions.json")
		// The advisor has a block of its own, or is of the model's provider.
		advisor := []string{"--advisor", "compatible/a"}
		if helps {
			advisor = []string{"--advisor", "openai/a", "--settings", settingsFile(t, filepath.Dir(file), `model "openai/a" { base_url = "`+provider.BaseURL()+`" }`)}
		}
		out, err := s.eval(append([]string{"improve", "--model", "compatible/m", "--base-url", provider.BaseURL(), "--output", output}, advisor...)...)
		var result evalImprovement
		if json.Unmarshal([]byte(out), &result) != nil || result.Helps != helps || (err == nil) != helps {
			t.Fatal(out, err)
		}
		if result.Wrong != result.Shown || result.Shown+result.HeldOut != 40 || result.Comparison.Cases != result.HeldOut {
			t.Errorf("%+v", result)
		}
		if _, err := os.Stat(output); (err == nil) != helps {
			t.Errorf("%s: %v", description, err)
		}
		if !helps {
			continue
		}

		// The batches are listed, shown and compared by their labels.
		if out := s.evalAll("batches"); !strings.Contains(out, "before improvement") || !strings.Contains(out, "after improvement") {
			t.Error(out)
		}
		if out := s.evalAll("batches", "before improvement"); !strings.Contains(out, "tasks:beta") || !strings.Contains(out, "tasks:alpha") || !strings.Contains(out, "100.0%") {
			t.Error(out)
		}
		if out := s.evalAll("compare", "batch:before improvement", "batch:"+result.After); !strings.Contains(out, "+ "+description) || !strings.Contains(out, "McNemar p = 0.0000") {
			t.Error(out)
		}
	}
}

// Failures are told in a comparison, and decide nothing.
func TestComparisonOfFailures(t *testing.T) {
	s, _, file := selectionBench(t, `[{"name":"a","query":"x","servers":["tasks"]}]`)
	provider := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Status: 400, Text: "no"} })
	for _, label := range []string{"one", "two"} {
		s.evalAll("run", "--model", "compatible/m", "--base-url", provider.BaseURL(), "--label", label, file)
	}
	if out := s.evalAll("compare", "batch:one", "batch:two"); !strings.Contains(out, "1 and 1 runs failed") || strings.Contains(out, "p = ") {
		t.Error(out)
	}
}
