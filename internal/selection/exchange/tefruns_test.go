package exchange

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// Two cases and their runs, as the service of mcp-tef lists them.
const (
	tefCasePage = `{"items":[
 {"id":"c-1","name":"warm","query":"How warm is it in Oslo?","available_mcp_servers":[{"url":"http://127.0.0.1:9/mcp","transport":"streamable-http"}],
  "expected_tool_calls":[{"mcp_server_url":"http://127.0.0.1:9/mcp","tool_name":"now","parameters":{"city":"Oslo"}}],"order_dependent_matching":false},
 {"id":"c-2","name":"hello","query":"Hello!","available_mcp_servers":[{"url":"http://127.0.0.1:9/mcp","transport":"streamable-http"}],"expected_tool_calls":null}
],"total":2,"offset":0,"limit":100}`

	tefRunSettings = `"model_settings":{"id":"m","provider":"openai","model":"gpt","timeout":30,"temperature":0.4,"max_retries":3,"base_url":null,"system_prompt":null,"created_at":"2026-01-02T03:04:05"},"created_at":"2026-01-02T03:04:05","completed_at":"2026-01-02T03:04:06.500000","tools":[` +
		`{"id":"t1","name":"now","mcp_server_url":"http://127.0.0.1:9/mcp","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}},{"id":"t2","name":"past","mcp_server_url":"http://127.0.0.1:9/mcp","parameters":{"type":"object"}}]`

	tefNow  = `{"id":"t1","name":"now","mcp_server_url":"http://127.0.0.1:9/mcp","parameters":{"type":"object"}}`
	tefPast = `{"id":"t2","name":"past","mcp_server_url":"http://127.0.0.1:9/mcp","parameters":{"type":"object"}}`
)

// tefRunPage is a page of runs: right, another tool, an extra call, no tool, failed,
// one that goes on, one of a case that is not known, and one without a model.
var tefRunPage = `{"items":[` + strings.Join([]string{
	`{"id":"r-1","test_case_id":"c-1","status":"completed","classification":"TP","execution_time_ms":1500,"llm_confidence":"high","confidence_score":"robust description","avg_parameter_correctness":10.0,"llm_response_raw":"not JSON","tool_call_matches":[{"match_type":"TP","parameter_correctness":10.0,"actual_tool_call":` + tefNow + `,"actual_parameters":{"city":"Oslo"}}],` + tefRunSettings + `}`,
	`{"id":"r-2","test_case_id":"c-1","status":"completed","classification":"FN","execution_time_ms":7,"llm_response_raw":"{\"a\": 1}","tool_call_matches":[{"match_type":"FN","parameter_correctness":0.0,"actual_tool_call":null,"actual_parameters":null},{"match_type":"FP","actual_tool_call":` + tefPast + `,"actual_parameters":{}}],` + tefRunSettings + `}`,
	`{"id":"r-3","test_case_id":"c-1","status":"completed","classification":"FP","avg_parameter_correctness":0.0,"tool_call_matches":[{"match_type":"TP","actual_tool_call":` + tefNow + `,"actual_parameters":{"city":"Bergen"}},{"match_type":"FP","actual_tool_call":` + tefPast + `,"actual_parameters":{}},{"match_type":"FP","actual_tool_call":null,"actual_parameters":{"x":1}}],` + tefRunSettings + `}`,
	`{"id":"r-4","test_case_id":"c-2","status":"completed","classification":"TN","tool_call_matches":[{"match_type":"TN","actual_tool_call":null,"actual_parameters":null}],` + tefRunSettings + `}`,
	`{"id":"r-5","test_case_id":"c-2","status":"failed","error_message":"Tool ingestion failed","tool_call_matches":[],` + strings.Replace(tefRunSettings, `{"id":"t1"`, `{"id":"","name":"","mcp_server_url":"","parameters":null},{"id":"t1"`, 1) + `}`,
	`{"id":"r-6","test_case_id":"c-2","status":"running","tool_call_matches":[],` + tefRunSettings + `}`,
	`{"id":"r-7","test_case_id":"c-9","status":"completed","classification":"TN","tool_call_matches":[],` + tefRunSettings + `}`,
	`{"id":"r-8","test_case_id":"c-2","status":"completed","classification":"TN","tool_call_matches":[],"model_settings":null,"created_at":"2026-01-02T03:04:05","tools":[]}`,
}, ",") + `],"total":8,"offset":0,"limit":100}`

func imports(t *testing.T, s *store.Store, file string) Imported {
	t.Helper()
	set, err := Read([]byte(file), "json")
	if err != nil {
		t.Fatal(err)
	}
	done, err := Import(t.Context(), s, set)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func openStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "eval.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// reasons are the skipped entries as text.
func reasons(done Imported) string {
	var text strings.Builder
	for _, x := range done.Skipped {
		fmt.Fprintf(&text, "%s: %s\n", x.Entry, x.Reason)
	}
	return text.String()
}

// Runs of mcp-tef come along, marked, judged by the rules of this program, and in no
// figure that does not ask for them.
func TestRunsOfTEF(t *testing.T) {
	s := openStore(t)
	if set, err := Read([]byte(tefRunPage), "json"); err != nil || len(set.Runs) != 6 || len(set.Notes) != 0 {
		t.Fatalf("%+v, %v", set, err)
	}
	// Without their cases none is known.
	if done := imports(t, s, tefRunPage); done.RunsAdded != 0 || len(done.Skipped) != 8 || !strings.Contains(reasons(done), `run 1 (r-1): there is no case with the id or name "c-1"`) {
		t.Errorf("%+v", done)
	}
	if done := imports(t, s, tefCasePage); done.CasesAdded != 2 {
		t.Errorf("%+v", done)
	}
	done := imports(t, s, tefRunPage)
	if done.RunsAdded != 5 || done.RunsJudgedOtherwise != 1 || done.BatchID == "" {
		t.Errorf("%+v", done)
	}
	for _, want := range []string{`run 6: its status is "running"`, `run 7 (r-7): there is no case with the id or name "c-9"`, "run 8: its model is not recorded"} {
		if !strings.Contains(reasons(done), want) {
			t.Errorf("%q is not in %s", want, reasons(done))
		}
	}
	if again := imports(t, s, tefRunPage); again.RunsAdded != 0 || again.RunsExisting != 5 {
		t.Errorf("%+v", again)
	}

	checkRuns(t, s, done)
	checkFigures(t, s, done)
	checkNoRetry(t, s, done)
}

// checkRuns checks the stored runs of the page.
func checkRuns(t *testing.T, s *store.Store, done Imported) {
	t.Helper()
	runs, _, err := s.Runs(t.Context(), store.RunFilter{OldestFirst: true})
	if err != nil || len(runs) != 5 {
		t.Fatal(runs, err)
	}
	byID := map[string]selection.Run{}
	for _, r := range runs {
		byID[r.Imported.ID] = r
		if r.Imported.From != "mcp-tef" || r.BatchID != done.BatchID || r.CreatedAt.Format("2006-01-02 15:04:05") != "2026-01-02 03:04:05" {
			t.Errorf("%+v", r)
		}
	}
	for id, class := range map[string]selection.Classification{"r-1": selection.TP, "r-2": selection.FN, "r-3": selection.TP, "r-4": selection.TN, "r-5": ""} {
		if got := byID[id].Classification; got != class {
			t.Errorf("%s is %s, not %s", id, got, class)
		}
	}
	first, third := byID["r-1"], byID["r-3"]
	if first.ExecutionTimeMS != 1500 || first.Selected.Tool != "now" || string(first.Selected.Parameters) != `{"city":"Oslo"}` || first.Repeat != 1 || third.Repeat != 3 ||
		first.Imported.Classification != selection.TP || *first.Imported.ParameterCorrectness != 1 || first.Imported.Description != "robust description" ||
		third.Imported.Classification != selection.FP || byID["r-5"].Error != "Tool ingestion failed" {
		t.Errorf("%+v\n%+v", first, third)
	}
	one, err := s.Run(t.Context(), first.ID)
	if err != nil || one.Said == nil || one.Said.Text != "not JSON" {
		t.Errorf("%+v, %v", one, err)
	}
	if raw, err := s.Response(t.Context(), byID["r-2"].ID); err != nil || string(raw) != `{"a": 1}` {
		t.Errorf("%s, %v", raw, err)
	}
	if e, err := s.Result(t.Context(), third.ID); err != nil || *e.ParameterCompleteness != 1 || *e.ParameterCorrectness != 0 || *e.ParameterConformance != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	if tools, err := s.Tools(t.Context(), byID["r-5"].ID); err != nil || len(tools) != 2 {
		t.Errorf("%+v, %v", tools, err)
	}
}

// checkFigures checks of which runs figures are computed.
func checkFigures(t *testing.T, s *store.Store, done Imported) {
	t.Helper()
	for _, tc := range []struct {
		filter store.RunFilter
		want   int
	}{
		{store.RunFilter{}, 0}, {store.RunFilter{Imported: store.WithImported}, 5}, {store.RunFilter{Imported: store.OnlyImported}, 5},
		{store.RunFilter{BatchID: done.BatchID}, 5}, {store.RunFilter{BatchID: done.BatchID, Imported: store.WithoutImported}, 0}, {store.RunFilter{Provider: "openai", Model: "gpt"}, 0},
	} {
		o, err := s.Observations(t.Context(), tc.filter)
		if err != nil || len(o) != tc.want || slices.ContainsFunc(o, func(x score.Observation) bool { return x.ImportedFrom != "mcp-tef" }) {
			t.Errorf("%+v: %d, %v", tc.filter, len(o), err)
		}
		m, err := s.RunMatrix(t.Context(), tc.filter, store.ByModel)
		if err != nil || (m.Total > 0) != (tc.want > 0) {
			t.Errorf("%+v: %+v, %v", tc.filter, m, err)
		}
	}
	if b, err := s.Batch(t.Context(), done.BatchID); err != nil || b.Imported != 5 || b.Failed != 1 {
		t.Errorf("%+v, %v", b, err)
	}
}

// checkNoRetry checks that no run can be retried: that would be a run of this program in
// the batch. Runs can be deleted.
func checkNoRetry(t *testing.T, s *store.Store, done Imported) {
	t.Helper()
	runs, _, err := s.Runs(t.Context(), store.RunFilter{Status: selection.Failed})
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	if _, err := s.RetryRun(t.Context(), runs[0].ID); err == nil || !strings.Contains(err.Error(), "imported from mcp-tef") {
		t.Error(err)
	}
	if ids, err := s.Retryable(t.Context(), done.BatchID); err != nil || len(ids) != 0 {
		t.Error(ids, err)
	}
	if err := s.DeleteRun(t.Context(), runs[0].ID); err != nil {
		t.Error(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// A run names its case by its id there, or by the id or the name of a case here.
func TestRunsOfTEFNameCases(t *testing.T) {
	s := openStore(t)
	imports(t, s, `{"servers":[{"name":"w","url":"http://localhost:9/mcp"}],"cases":[{"name":"c-1","query":"q","servers":["w"],"expected":[{"server":"w","tool":"now"}]}]}`)
	done := imports(t, s, tefRunPage)
	if done.RunsAdded != 3 || done.ServersAdded != 0 {
		t.Errorf("%+v", done)
	}
	runs, _, err := s.Runs(t.Context(), store.RunFilter{Classification: selection.TP})
	if err != nil || len(runs) != 2 || runs[0].Selected.Server != "w" {
		t.Errorf("%+v, %v", runs, err)
	}
}

// The command line of mcp-tef writes a single run, and earlier versions one call.
func TestSingleRunOfTEF(t *testing.T) {
	s := openStore(t)
	imports(t, s, tefCasePage)
	old := `{"id":7,"test_case_id":"c-1","status":"completed","classification":"TP","parameter_correctness":5.0,"selected_tool":` + tefNow + `,"expected_tool":` + tefNow + `,"extracted_parameters":{"city":"Bergen"},` + tefRunSettings + `}`
	if done := imports(t, s, old); done.RunsAdded != 1 {
		t.Fatalf("%+v", done)
	}
	runs, _, err := s.Runs(t.Context(), store.RunFilter{})
	if err != nil || len(runs) != 1 || runs[0].Imported.ID != "7" || *runs[0].Imported.ParameterCorrectness != 0.5 || string(runs[0].Selected.Parameters) != `{"city":"Bergen"}` {
		t.Errorf("%+v, %v", runs, err)
	}
	page := strings.Replace(tefRunPage, `"limit":100`, `"limit":8`, 1)
	if set, err := Read([]byte(page), "json"); err != nil || len(set.Notes) != 1 || !strings.Contains(set.Notes[0], "--offset") {
		t.Errorf("%+v, %v", set, err)
	}
	for file, want := range map[string]string{
		strings.Replace(old, `"city":"Bergen"`, `"city":`, 1):                                                              "not a set",
		strings.Replace(old, `"timeout":30`, `"timeout":900`, 1):                                                           "a timeout of 900 seconds",
		strings.Replace(old, `"classification":"TP"`, `"classification":"XX"`, 1):                                          `its classification is "XX"`,
		strings.Replace(old, `"created_at":"2026-01-02T03:04:05","completed_at"`, `"created_at":"soon","completed_at"`, 1): "is no time",
	} {
		if _, err := Read([]byte(file), "json"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The database of mcp-tef has the runs, too, in each version.
func TestRunsOfTEFDatabase(t *testing.T) {
	common := `CREATE TABLE model_settings (id TEXT PRIMARY KEY, provider TEXT, model TEXT, timeout INTEGER, temperature REAL, max_retries INTEGER, base_url TEXT, system_prompt TEXT);
		CREATE TABLE tool_definitions (id TEXT PRIMARY KEY, name TEXT, description TEXT, input_schema TEXT, output_schema TEXT, mcp_server_url TEXT, test_run_id TEXT);
		INSERT INTO model_settings VALUES ('m', 'openai', 'gpt', 30, 0.4, 3, NULL, 'be brief');
		INSERT INTO tool_definitions VALUES ('t', 'x', 'does x', '{"type":"object"}', NULL, 'http://h/mcp', 'r');`
	for version, statements := range map[string]string{
		"present": `CREATE TABLE test_runs (id TEXT PRIMARY KEY, test_case_id TEXT, model_settings_id TEXT, status TEXT, llm_response_raw TEXT, llm_confidence TEXT, avg_parameter_correctness REAL, confidence_score TEXT, classification TEXT, execution_time_ms INTEGER, error_message TEXT, created_at TIMESTAMP, completed_at TIMESTAMP);
			CREATE TABLE tool_call_matches (id TEXT, test_run_id TEXT, expected_tool_call_id TEXT, actual_tool_id TEXT, match_type TEXT, parameter_correctness REAL, actual_parameters TEXT);
			INSERT INTO test_runs VALUES ('r', '1', 'm', 'completed', '{}', 'low', 10, 'needs clarity', 'FN', 5, NULL, '2026-01-01 00:00:00', '2026-01-01 00:00:01'), ('f', '2', 'm', 'failed', NULL, NULL, NULL, NULL, NULL, NULL, 'gone', '2026-01-01 00:00:00', NULL), ('g', '2', 'x', 'failed', NULL, NULL, NULL, NULL, NULL, NULL, 'gone', '2026-01-01 00:00:00', NULL);
			INSERT INTO tool_call_matches VALUES ('a', 'r', 'a', 't', 'TP', 10, '{"a":1}'), ('b', 'r', 'b', NULL, 'FN', 0, NULL);`,
		"first": `CREATE TABLE test_runs (id TEXT PRIMARY KEY, test_case_id TEXT, model_settings_id TEXT, status TEXT, llm_response_raw TEXT, selected_tool_id TEXT, extracted_parameters TEXT, llm_confidence TEXT, parameter_correctness REAL, confidence_score TEXT, classification TEXT, execution_time_ms INTEGER, error_message TEXT, created_at TIMESTAMP, completed_at TIMESTAMP);
			INSERT INTO test_runs VALUES ('r', '1', 'm', 'completed', '{}', 't', '{"a":1}', 'low', 10, 'needs clarity', 'TP', 5, NULL, '2026-01-01 00:00:00', '2026-01-01 00:00:01'), ('f', '2', 'm', 'failed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'gone', '2026-01-01 00:00:00', NULL), ('g', '2', 'x', 'failed', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'gone', '2026-01-01 00:00:00', NULL);`,
	} {
		set, err := ReadTEF(t.Context(), tefDatabaseFile(t, tefSchemas[version]+common+statements))
		if err != nil || len(set.Runs) != 2 || len(set.Skipped) != 1 || set.Skipped[0].Entry != "run 3 (g)" {
			t.Errorf("%s: %+v, %v", version, set, err)
			continue
		}
		s := openStore(t)
		done, err := Import(t.Context(), s, set)
		if err != nil || done.RunsAdded != 2 || done.CasesAdded != 2 {
			t.Errorf("%s: %+v, %v", version, done, err)
			continue
		}
		runs, _, err := s.Runs(t.Context(), store.RunFilter{Status: selection.Completed})
		if err != nil || len(runs) != 1 || runs[0].Settings.SystemPrompt != "be brief" || runs[0].Imported.Confidence != "low" || runs[0].ExecutionTimeMS != 5 {
			t.Errorf("%s: %+v, %v", version, runs, err)
			continue
		}
		if want := map[string]selection.Classification{"present": selection.FN, "first": selection.TP}[version]; runs[0].Classification != want {
			t.Errorf("%s: %s", version, runs[0].Classification)
		}
		if tools, err := s.Tools(t.Context(), runs[0].ID); err != nil || len(tools) != 1 || tools[0].Description != "does x" {
			t.Errorf("%s: %+v, %v", version, tools, err)
		}
	}
}
