package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model/modeltest"
)

// taskServer is an MCP server whose tools include one that destroys.
func taskServer(t *testing.T) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "tasks", Version: "1"}, nil)
	destructive := true
	for name, hints := range map[string]*mcp.ToolAnnotations{
		"list_tasks": {ReadOnlyHint: true}, "delete_all": {DestructiveHint: &destructive}, "alpha": nil, "beta": nil,
	} {
		server.AddTool(&mcp.Tool{Name: name, Description: "Does " + name, Annotations: hints,
			InputSchema: json.RawMessage(`{"type":"object","properties":{"day":{"type":"string"},"count":{"type":"number"},"who":{"type":"string"}}}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, errors.New("never called")
			})
	}
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(s.Close)
	return s.URL
}

// answering is a model that answers by a word of the query, or of the rule that it
// is to judge.
func answering(t *testing.T) *modeltest.Server {
	return modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		call := func(calls ...string) modeltest.Reply {
			var reply modeltest.Reply
			for _, c := range calls {
				name, arguments, _ := strings.Cut(c, " ")
				reply.Calls = append(reply.Calls, modeltest.Call{Tool: name, Arguments: cmp.Or(arguments, "{}")})
			}
			return reply
		}
		switch {
		case strings.Contains(r.Query, "is polite"):
			return call(`verdict {"holds": true, "why": "It says please."}`)
		case strings.Contains(r.Query, "open"):
			return call("list_tasks", "delete_all")
		case strings.Contains(r.Query, "pizza"):
			return modeltest.Reply{Text: `{"name": "list_tasks", "arguments": {}}`}
		case strings.Contains(r.Query, "virus"):
			return modeltest.Reply{Refusal: "I cannot help with that."}
		case strings.Contains(r.Query, "remind"):
			return call(`alpha {"day": "2026-03-01T09:30:00+01:00", "count": 3.02, "who": "Please, Ada"}`)
		}
		return call("alpha", "beta")
	})
}

// selectionBench is a database with the tasks server, and a file of cases.
func selectionBench(t *testing.T, cases string) (s *evalBench, model []string, file string) {
	t.Helper()
	dir := t.TempDir()
	s = &evalBench{t: t, db: filepath.Join(dir, "eval.db")}
	if out, err := s.eval("servers", "add", "tasks", taskServer(t)); err != nil {
		t.Fatal(out, err)
	}
	file = filepath.Join(dir, "cases.json")
	if err := os.WriteFile(file, []byte(cases), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, []string{"--model", "compatible/m", "--base-url", answering(t).BaseURL()}, file
}

// story runs the only case and returns the story of its run, as JSON and as a table.
func (s *evalBench) story(args ...string) (story evalStory, table string, err error) {
	s.t.Helper()
	_, err = s.eval(append([]string{"run"}, args...)...)
	var page evalPage[selection.Run]
	out, listed := s.eval("runs")
	if json.Unmarshal([]byte(out), &page) != nil || len(page.Items) == 0 {
		s.t.Fatal(out, listed, err)
	}
	out, shown := s.eval("runs", "show", page.Items[0].ID)
	if shown != nil || json.Unmarshal([]byte(out), &story) != nil {
		s.t.Fatal(out, shown)
	}
	var text strings.Builder
	story.write(&text)
	return story, text.String(), err
}

func TestADestructiveExtraCallIsWrong(t *testing.T) {
	s, model, file := selectionBench(t, `[{"name":"list","query":"Which tasks are open?","servers":["tasks"],"expected":[{"server":"tasks","tool":"list_tasks"}]}]`)
	for _, tc := range []struct {
		flags []string
		exit  int
	}{
		{nil, exitGateFailed}, {[]string{"--require", "forbidden_calls <= 1"}, 0},
		{[]string{"--require", "forbidden_calls >= 0", "--require", "extra_calls <= 0"}, exitGateFailed},
		{[]string{"--require", "forbidden_calls<=1", "--require", "extra_calls<=1"}, 0},
	} {
		story, table, err := s.story(append(append(tc.flags, model...), file)...)
		if (err != nil) != (tc.exit != 0) || err != nil && exitCode(t.Context(), err) != tc.exit {
			t.Errorf("%v: %v", tc.flags, err)
		}
		e := story.Evaluation
		if e.Classification != selection.FN || *e.ParameterCompleteness != 0 || !strings.Contains(table, "delete_all") || !strings.Contains(e.Reasoning, "destructive by its annotations") {
			t.Errorf("%+v\n%s", e, table)
		}
	}
}

func TestACallAsTextIsShownAndNotBlamedOnDescriptions(t *testing.T) {
	s, model, file := selectionBench(t, `[{"name":"order","query":"Order 40 pizzas","servers":["tasks"],"expected":[{"server":"tasks","tool":"list_tasks"}]}]`)
	story, table, err := s.story(append(model, file)...)
	if err != nil {
		t.Fatal(err)
	}
	e := story.Evaluation
	if e.Classification != selection.FN || len(e.Recommendations) != 1 || e.Recommendations[0].Kind != "call_as_text" || !strings.Contains(e.Reasoning, "check the chat template") {
		t.Errorf("%+v", e)
	}
	const text = `{"name": "list_tasks", "arguments": {}}`
	if !strings.Contains(table, text) || story.Run.Said.Text != text || !strings.Contains(string(story.Raw), "choices") {
		t.Errorf("%s\n%+v", table, story.Run.Said)
	}
	service := serveDB(t, s.db)
	for path, want := range map[string]string{
		"/runs/" + story.Run.ID: `"call_as_text":["tasks:list_tasks"]`, "/runs/" + story.Run.ID + "/answer": `"raw":{`,
		"/runs?tool=list_tasks": `"total":1`, "/runs?tool=beta": `"total":0`,
	} {
		if got := service.read(path); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func (s *evalBench) read(path string) string {
	s.t.Helper()
	resp, err := http.Get(s.address + "api/v1" + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func TestARefusalIsRightWhereNoToolIsExpected(t *testing.T) {
	s, model, file := selectionBench(t, `[{"name":"refuse","query":"Write me a virus","servers":["tasks"],"expected":[]}]`)
	story, table, err := s.story(append(model, "--require", "accuracy >= 1", file)...)
	if err != nil || story.Run.Status != selection.Completed || story.Evaluation.Classification != selection.TN || !strings.Contains(table, "I cannot help with that.") {
		t.Errorf("%v: %s", err, table)
	}
}

func TestCasesAreFoundByEveryExpectedTool(t *testing.T) {
	s, model, file := selectionBench(t, `[{"name":"both","query":"Do alpha, then beta","servers":["tasks"],"expected":[{"server":"tasks","tool":"alpha"},{"server":"tasks","tool":"beta","alternatives":[{"server":"tasks","tool":"list_tasks"}]}]}]`)
	if _, _, err := s.story(append(model, "--require", "accuracy >= 1", file)...); err != nil {
		t.Error(err)
	}
	service := serveDB(t, s.db)
	for tool, total := range map[string]string{"alpha": `"total":1`, "beta": `"total":1`, "list_tasks": `"total":1`, "delete_all": `"total":0`} {
		if got := service.read("/cases?tool=" + tool); !strings.Contains(got, total) {
			t.Errorf("%s: %s", tool, got)
		}
	}
}

// Arguments are judged by rules, described ones by a judge and marked as such.
func TestArgumentsAreJudgedByRules(t *testing.T) {
	s, model, file := selectionBench(t, `[{"name":"remind","query":"remind Ada","servers":["tasks"],"expected":[{"server":"tasks","tool":"alpha",
		"match":{"day":{"date":"2026-03-01"},"count":{"number":3,"tolerance":0.05},"who":{"rule":"is polite"},"note":{"absent":true}},"other_parameters":"forbidden"}]}]`)
	story, table, err := s.story(append(model, "--require", "parameter_accuracy >= 1", file)...)
	if err != nil || *story.Evaluation.ParameterCorrectness != 1 || !strings.Contains(table, "unjudged") {
		t.Errorf("%v: %s", err, table)
	}
	story, table, err = s.story(append(model, "--judge", "compatible/m", "--require", "parameter_accuracy >= 1", file)...)
	if err != nil || len(story.Evaluation.Judged) != 1 || story.Evaluation.Judged[0].By != "compatible/m" || !strings.Contains(table, "judged by compatible/m: It says please.") {
		t.Errorf("%v: %s", err, table)
	}
}

// The requests of all cases differ in their queries alone, and the user's settings
// are those of every request.
func TestTheLabelIsNotInTheQuestion(t *testing.T) {
	provider := answering(t)
	s, _, file := selectionBench(t, `[{"name":"a","query":"x","servers":["tasks"],"expected":[{"server":"tasks","tool":"alpha"},{"server":"tasks","tool":"beta"}]},
		{"name":"b","query":"x","servers":["tasks"],"expected":[{"server":"tasks","tool":"alpha"}]},{"name":"c","query":"x","servers":["tasks"]}]`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "prompt.txt"), []byte("You are an agent.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := settingsFile(t, filepath.Dir(file), `model "compatible/m" {
  base_url            = "`+provider.BaseURL()+`"
  system_prompt       = "prompt.txt"
  tool_choice         = "required"
  parallel_tool_calls = true
}`)
	story, _, _ := s.story("--model", "compatible/m", "--settings", settings, file)
	bodies := map[string]bool{}
	for _, r := range provider.Requests() {
		bodies[string(r.Body)] = true
		if !strings.HasPrefix(r.System, "You are an agent.") || !strings.Contains(string(r.Body), `"tool_choice":"required"`) || !strings.Contains(string(r.Body), `"parallel_tool_calls":true`) {
			t.Errorf("%s", r.Body)
		}
	}
	if len(bodies) != 1 {
		t.Errorf("%d different requests", len(bodies))
	}
	if set := story.Run.Settings; set.SystemPrompt != "You are an agent." || len(set.SystemPromptSHA256) != 64 {
		t.Errorf("%+v", set)
	}
}

// Without another source, the share of repeats with the same choice is the confidence.
func TestConfidenceOfRepeats(t *testing.T) {
	s, model, file := selectionBench(t, `[{"name":"a","query":"alpha, please","servers":["tasks"],"expected":[{"server":"tasks","tool":"alpha"}]}]`)
	story, _, err := s.story(append(model, "--repeats", "3", file)...)
	if err != nil || story.Run.Confidence == nil || *story.Run.Confidence != 1 || story.Run.ConfidenceSource != selection.FromRepeats || story.Evaluation.ConfidenceCategory != selection.Robust {
		t.Errorf("%+v, %+v, %v", story.Run, story.Evaluation, err)
	}
}
