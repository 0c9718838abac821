package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model/modeltest"
)

// settingsFile writes a file for --settings.
func settingsFile(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "models.hcl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// keys are the API keys that a provider was sent.
func keys(s *modeltest.Server) (list []string) {
	for _, r := range s.Requests() {
		list = append(list, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+r.Header.Get("X-Api-Key"))
	}
	return list
}

func only(t *testing.T, s *modeltest.Server, key string) {
	t.Helper()
	sent := keys(s)
	for _, got := range sent {
		if got != key {
			t.Errorf("%q was sent, want %q alone", got, key)
		}
	}
	if len(sent) == 0 {
		t.Errorf("nobody was asked with %q", key)
	}
}

// Models of two providers, and a judge are asked in one command, each with its own key at its own
// address.
func TestEachModelHasItsOwnSettings(t *testing.T) {
	one, two, judge, advisor := answering(t), answering(t), answering(t), answering(t)
	for name, key := range map[string]string{"KEY_1": "key-one", "KEY_2": "key-two", "KEY_J": "key-judge"} {
		t.Setenv(name, key)
	}
	s, _, file := selectionBench(t, `[{"name":"remind","query":"remind Ada","servers":["tasks"],"expected":[{"server":"tasks","tool":"alpha","match":{"who":{"rule":"is polite"}}}]},
		{"name":"a","query":"Do alpha","servers":["tasks"],"expected":[{"server":"tasks","tool":"alpha"}]}]`)
	settings := settingsFile(t, filepath.Dir(file), `
model "compatible/m" {
  base_url    = "`+one.BaseURL()+`"
  api_key     = "env:KEY_1"
  temperature = 0.25
  timeout     = 20
  max_retries = 1
  confidence  = "none"
  price {
    input  = 1000000
    output = 0
  }
}
model "anthropic/n" {
  base_url = "`+two.URL+`"
  api_key  = "env:KEY_2"
}
model "openai/judge" {
  base_url = "`+judge.BaseURL()+`"
  api_key  = "env:KEY_J"
}
model "openai/advisor" {
  base_url = "`+advisor.BaseURL()+`"
}
model "openai/unused" {
  api_key = "env:NOT_SET"
}`)
	if out := s.evalAll("run", "--model", "compatible/m", "--model", "anthropic/n", "--judge", "openai/judge", "--settings", settings, "--label", "first", file); !strings.Contains(out, "batch") {
		t.Fatal(out)
	}
	only(t, one, "key-one")
	only(t, two, "key-two")
	only(t, judge, "key-judge")
	for _, run := range s.runs("runs") {
		switch set := run.Settings; {
		case run.Status != selection.Completed:
			t.Errorf("%+v", run)
		case set.Provider == "compatible" && (set.Temperature != 0.25 || set.Timeout != 20 || set.MaxRetries != 1 || set.Confidence != "none" || run.Usage.CostUSD == nil || *run.Usage.CostUSD < 1):
			t.Errorf("%+v, %+v", set, run.Usage)
		case set.Provider == "anthropic" && (set.Temperature != selection.DefaultTemperature || run.Usage.CostUSD != nil):
			t.Errorf("%+v, %+v", set, run.Usage)
		}
	}

	// Runs are executed again with the keys of their models.
	if retried := s.runs("retry", "--settings", settings, s.runs("runs")[0].ID, s.runs("runs")[3].ID); len(retried) != 2 || retried[0].Status != selection.Completed {
		t.Errorf("%+v", retried)
	}
	only(t, one, "key-one")
	only(t, two, "key-two")

	// The advisor has no key in the file, and gets none of another model.
	run := s.runs("runs")[0].ID
	s.evalAll("advise", run, "--model", "openai/advisor", "--settings", settings)
	only(t, advisor, "")
}

// A key and an address of the command line are for one provider, and for a judge of it.
func TestKeyOfTheCommandLine(t *testing.T) {
	provider := answering(t)
	t.Setenv("KEY_C", "key-of-flag")
	s, _, file := selectionBench(t, `[{"name":"remind","query":"remind Ada","servers":["tasks"],"expected":[{"server":"tasks","tool":"alpha","match":{"who":{"rule":"is polite"}}}]}]`)
	flags := []string{"--base-url", provider.BaseURL(), "--api-key", "env:KEY_C"}
	if out := s.evalAll(append([]string{"run", "--model", "compatible/m", "--model", "lexical/bm25", "--judge", "compatible/j", file}, flags...)...); strings.Contains(out, "failed:") {
		t.Error(out)
	}
	only(t, provider, "key-of-flag")
	if n := len(provider.Requests()); n != 2 {
		t.Errorf("%d requests, want those of the run and of the judge", n)
	}
	if out := s.evalAll(append([]string{"run", "--model", "compatible/m", "--model", "openai/x", file}, flags...)...); !strings.Contains(out, "--api-key and --base-url are for one provider, and these are models of compatible and of openai") {
		t.Error(out)
	}
	// A judge of another provider gets neither.
	if out := s.evalAll(append([]string{"run", "--model", "compatible/m", "--judge", "openai/j", file}, flags...)...); !strings.Contains(out, "--judge: provider openai needs an API key") {
		t.Error(out)
	}
	// A judge gets both where no other model needs them.
	judge := answering(t)
	if out := s.evalAll("run", "--model", "lexical/bm25", "--judge", "openai/j", "--base-url", judge.BaseURL(), "--api-key", "env:KEY_C", file); strings.Contains(out, "needs an API key") {
		t.Error(out)
	}
	// A retry asks the models and the judge at the addresses of the runs.
	for _, run := range s.runs("runs") {
		if run.Settings.Provider == "compatible" {
			s.runs("retry", "--api-key", "env:KEY_C", "--judge", "compatible/j", run.ID)
		}
	}
	only(t, provider, "key-of-flag")
	if n := len(provider.Requests()); n != 4 {
		t.Errorf("%d requests, want two more", n)
	}
	if out := s.evalAll("retry", "--db", "http://127.0.0.1:1", "--settings", "x.hcl", "id"); !strings.Contains(out, "start the service with it") {
		t.Error(out)
	}
}

// A service asks with the keys of its file, at the addresses of the file alone.
func TestServiceWithSettings(t *testing.T) {
	mine, other := answering(t), answering(t)
	t.Setenv("KEY_S", "key-of-service")
	s, _, file := selectionBench(t, `[{"name":"a","query":"Do alpha","servers":["tasks"],"expected":[{"server":"tasks","tool":"alpha"}]}]`)
	if out := s.evalAll("import", file); !strings.Contains(out, "1 cases added") {
		t.Fatal(out)
	}
	settings := settingsFile(t, filepath.Dir(file), `model "compatible/m" {
  base_url    = "`+mine.BaseURL()+`"
  api_key     = "env:KEY_S"
  temperature = 0.75
}`)
	service := serveDB(t, s.db, "--settings", settings)
	var started struct {
		BatchID string `json:"batch_id"`
	}
	for _, m := range []map[string]any{{"provider": "compatible", "model": "m"}, {"provider": "compatible", "model": "m", "base_url": other.BaseURL()}} {
		service.post("/runs", map[string]any{"test_case_ids": []string{"a"}, "models": []any{m}}, &started)
		resp, err := http.Get(service.address + "api/v1/batches/" + started.BatchID + "/events")
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, resp.Body) // until the batch has ended
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	only(t, mine, "key-of-service")
	only(t, other, "")
	for _, run := range s.runs("runs") {
		if run.Settings.Temperature != 0.75 {
			t.Errorf("%+v", run.Settings)
		}
	}
}
