package scoreselection

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/selection/model/modeltest"
)

const corpus = `{
 "version": "v9",
 "generated_from": {"source": "this test"},
 "tools": [
  {"tool_id": "web:search", "server": "web", "tool": "search", "description": "Find pages about a topic.", "schema": {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}},
  {"tool_id": "git:close_issue", "server": "git", "tool": "close_issue", "description": "End a bug report.", "schema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}},
  {"tool_id": "git:create_issue", "server": "git", "tool": "create_issue", "description": "Report a bug.", "schema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}}
 ]
}`

const cases = `{
 "version": "v9",
 "corpus_version": "v9",
 "generated_from": {"source": "this test"},
 "cases": [
  {"id": "c2", "query": "end bug report 5", "expected": [{"server": "git", "tool": "close_issue", "parameters": {"number": 5}}], "tags": ["literal"]},
  {"id": "c1", "query": "sing lullabies", "expected": []},
  {"id": "c3", "query": "find pages about 'otters'", "servers": ["git"], "expected": [], "notes": "web is not on offer"}
 ]
}`

// stage writes the inputs and returns options that read them.
func stage(t *testing.T) Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"corpus.json": corpus, "cases.json": cases} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Options{
		Cases: filepath.Join(dir, "cases.json"), Corpus: filepath.Join(dir, "corpus.json"), Out: filepath.Join(dir, "out", "report.json"),
		Model: "lexical/bm25", Repeat: 1, Offer: contracts.OfferAll,
	}
}

func run(t *testing.T, o Options) contracts.SelectionReport {
	t.Helper()
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	r, err := contracts.Read[contracts.SelectionReport](o.Out)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func classes(r contracts.SelectionReport) string {
	var parts []string
	for _, c := range r.PerCase {
		part := c.ID + " " + c.Class
		if c.Error != "" {
			part = c.ID + " errored"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func TestBaseline(t *testing.T) {
	o := stage(t)
	var line string
	o.Progress = func(message string) { line = message }
	r := run(t, o)
	if got := classes(r); got != "c1 TN, c2 TP, c3 TN" {
		t.Error(got)
	}
	if r.AnsweredBy != contracts.AnsweredByBaseline || r.Offer != (contracts.SelectionOffer{Tools: contracts.OfferAll}) {
		t.Errorf("%+v", r)
	}
	c := r.PerCase[1]
	if c.Offered != 3 || *c.Correctness != 1 || !strings.Contains(string(c.Calls[0].Parameters), `"number": 5`) {
		t.Errorf("%+v", c)
	}
	if r.PerCase[2].Offered != 2 {
		t.Errorf("a case offers the tools of its servers: %+v", r.PerCase[2])
	}
	if want := "baseline lexical/bm25, repeat 1: 3 cases, 0 failed, Accuracy 1.0000, Wrong tool 0.0000, Parameters right 1.0000"; line != want {
		t.Errorf("%s\nwant %s", line, want)
	}
}

// TestSameBytes runs the stage twice.
func TestSameBytes(t *testing.T) {
	o := stage(t)
	run(t, o)
	first, err := os.ReadFile(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	o.Out += ".again"
	run(t, o)
	again, err := os.ReadFile(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, again) {
		t.Error("two runs differ")
	}
}

// serveModel serves a model that closes issues on its first request for a query and
// searches afterwards.
func serveModel(t *testing.T) *modeltest.Server {
	asked := map[string]int{}
	return modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		asked[r.Query]++
		switch {
		case !strings.Contains(r.Query, "bug report"):
			return modeltest.Reply{Text: "I cannot do that.\nconfidence: 0.9"}
		case asked[r.Query] == 1:
			return modeltest.Reply{Text: "confidence: 0.9", Calls: []modeltest.Call{{Tool: "close_issue", Arguments: `{"number":5}`}}}
		}
		return modeltest.Reply{Text: "confidence: 0.8", Calls: []modeltest.Call{{Tool: "search", Arguments: `{"topic":"bugs"}`}}}
	})
}

// TestReplay records a model over HTTP, twice, and plays the answers back.
func TestReplay(t *testing.T) {
	o := stage(t)
	server := serveModel(t)
	cassette := filepath.Join(filepath.Dir(o.Corpus), "answers.json")
	o.Model, o.Record, o.BaseURL = "compatible/test", cassette, server.BaseURL()
	for repeat, want := range []string{"c1 TN, c2 TP, c3 TN", "c1 TN, c2 FN, c3 TN"} {
		o.Repeat = repeat + 1
		if r := run(t, o); classes(r) != want || r.AnsweredBy != contracts.AnsweredByRecording {
			t.Errorf("recording: %s %+v", classes(r), r)
		}
	}
	recorded := len(server.Requests())

	o.Model, o.Record, o.BaseURL, o.Cassette = "replay/compatible/test", "", "", cassette
	for repeat, want := range []string{"c1 TN, c2 TP, c3 TN", "c1 TN, c2 FN, c3 TN", "c1 errored, c2 errored, c3 errored"} {
		o.Repeat = repeat + 1
		r := run(t, o)
		if classes(r) != want {
			t.Errorf("repeat %d: %s, want %s", o.Repeat, classes(r), want)
		}
		for _, c := range r.PerCase {
			if c.Error != "" && (c.Class != "" || c.Correctness != nil || !strings.Contains(c.Error, "there is no recording of this request: model compatible/test, repeat 3")) {
				t.Errorf("an errored case is neither right nor wrong: %+v", c)
			}
		}
	}
	if len(server.Requests()) != recorded {
		t.Error("the replay asked the model")
	}

	// Another description is another request.
	if err := os.WriteFile(o.Corpus, []byte(strings.Replace(corpus, "End a bug report.", "End a report.", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Repeat = 1
	if got := classes(run(t, o)); got != "c1 errored, c2 errored, c3 errored" {
		t.Error(got)
	}
}

// TestReplayOfSettings records with settings of its own. The replay takes them from the cassette, and nothing else can be
// recorded for that model.
func TestReplayOfSettings(t *testing.T) {
	o := stage(t)
	server := serveModel(t)
	dir := filepath.Dir(o.Corpus)
	cassette, prompt := filepath.Join(dir, "answers.json"), filepath.Join(dir, "agent.txt")
	if err := os.WriteFile(prompt, []byte("You are an agent.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	record := o
	record.Model, record.Record, record.BaseURL = "compatible/test", cassette, server.BaseURL()
	record.SystemPrompt, record.ToolChoice, record.ParallelToolCalls = prompt, "required", "false"
	recorded := run(t, record)
	asked := server.Requests()
	if r := asked[len(asked)-1]; !strings.HasPrefix(r.System, "You are an agent.") || r.Parallel {
		t.Errorf("%+v", r)
	}

	o.Model, o.Cassette = "replay/compatible/test", cassette
	played := run(t, o)
	if got := classes(played); got != "c1 TN, c2 TP, c3 TN" {
		t.Error(got)
	}
	if played.SystemPromptSHA256 == "" || played.SystemPromptSHA256 != recorded.SystemPromptSHA256 ||
		played.ToolChoice != "required" || played.ParallelToolCalls == nil || *played.ParallelToolCalls {
		t.Errorf("%+v", played)
	}

	before, err := os.ReadFile(cassette)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Options){
		"with another system prompt":                      func(o *Options) { o.SystemPrompt = "" },
		"with another tool choice":                        func(o *Options) { o.ToolChoice = "" },
		"with another setting of parallel tool calls: re": func(o *Options) { o.ParallelToolCalls = "true" },
	} {
		other := record
		change(&other)
		if err := Run(t.Context(), other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if after, err := os.ReadFile(cassette); err != nil || !bytes.Equal(before, after) || len(server.Requests()) != len(asked) {
		t.Errorf("a refused recording asked the model or changed the file: %v", err)
	}

	// Another model has settings of its own in the same file.
	other := record
	other.Model, other.SystemPrompt, other.ToolChoice, other.ParallelToolCalls = "compatible/other", "", "", ""
	run(t, other)
	o.Model = "replay/compatible/other"
	if r := run(t, o); strings.Contains(classes(r), "errored") || r.SystemPromptSHA256 != "" || r.ToolChoice != "" {
		t.Errorf("%s %+v", classes(r), r)
	}
}

// TestStrangeAnswers checks that whatever a model says can be reported.
func TestStrangeAnswers(t *testing.T) {
	o := stage(t)
	server := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		switch {
		case strings.Contains(r.Query, "bug"):
			return modeltest.Reply{Calls: []modeltest.Call{{Tool: "close_issue", Arguments: `{"number":5,"number":6}`}}}
		case strings.Contains(r.Query, "otters"):
			return modeltest.Reply{Calls: []modeltest.Call{{Tool: strings.Repeat("x", 5000), Arguments: strings.Repeat("[", 5000)}}}
		}
		return modeltest.Reply{Status: 400, Text: "no"}
	})
	o.Model, o.Record, o.BaseURL = "compatible/test", filepath.Join(t.TempDir(), "answers.json"), server.BaseURL()
	r := run(t, o)
	if got := classes(r); got != "c1 errored, c2 TP, c3 FP" {
		t.Error(got)
	}
	if c := r.PerCase[1]; c.Calls[0].Malformed == "" || c.Calls[0].Parameters != nil {
		t.Errorf("%+v", c)
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no provider", func(o *Options) { o.Model = "bm25" }, `--model "bm25" is no provider/model: write it as lexical/bm25 or replay/ollama/qwen3:8b`},
		{"unknown provider", func(o *Options) { o.Model, o.Record = "nobody/x", "r.json" }, `provider "nobody" is unknown`},
		{"a live model", func(o *Options) { o.Model = "ollama/qwen3:8b" }, "record its answers with --record FILE, then use replay/ollama/qwen3:8b with --cassette FILE"},
		{"no cassette", func(o *Options) { o.Model = "replay/ollama/qwen3:8b" }, "needs --cassette"},
		{"missing cassette", func(o *Options) { o.Model, o.Cassette = "replay/x/y", "missing.json" }, "missing.json"},
		{"recording a recording", func(o *Options) { o.Model, o.Record = "replay/x/y", "r.json" }, "name the model itself"},
		{"a key without a model", func(o *Options) { o.APIKey = "env:X" }, "require --record"},
		{"a prompt without a model", func(o *Options) { o.SystemPrompt = "p.txt" }, "p.txt"},
		{"a choice without a model", func(o *Options) { o.ToolChoice = "required" }, "require --record: a cassette says how its answers were recorded"},
		{"no key", func(o *Options) { o.Model, o.Record = "openai/x", "r.json" }, "needs an API key"},
		{"repeat", func(o *Options) { o.Repeat = 0 }, "repeats are counted from 1"},
		{"offer", func(o *Options) { o.Offer = "some" }, `--offer "some" is unknown: use all or search`},
		{"search without a proxy", func(o *Options) { o.Offer = contracts.OfferSearch; o.TopK = 5 }, "needs --proxy"},
		{"proxy without search", func(o *Options) { o.Proxy = "p" }, "--proxy is for --offer search"},
		{"top k", func(o *Options) { o.Offer, o.Proxy = contracts.OfferSearch, "p" }, "--top-k 0 is out of range"},
		{"another corpus", func(o *Options) {
			o.Corpus += ".other"
			_ = os.WriteFile(o.Corpus, []byte(strings.Replace(corpus, `"v9"`, `"v8"`, 1)), 0o644)
		}, `are for corpus version "v9"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := stage(t)
			o.Search = contracts.SearchMCP
			tc.change(&o)
			if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %s", err, tc.want)
			}
			if _, err := os.Stat(o.Out); err == nil {
				t.Error("a report was written")
			}
		})
	}
}
