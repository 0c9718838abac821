package store

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fixture is a database with server "a", case "c1" that expects its tool x, and
// a completed run "r1" with its snapshot.
const fixture = `
INSERT INTO mcp_servers (id, name, url, transport) VALUES ('s1', 'a', 'https://a/mcp', 'streamable-http');
INSERT INTO mcp_servers (id, name, url, transport) VALUES ('s2', 'b', 'stdio:b', 'stdio');
INSERT INTO test_cases (id, name, query, expected_mcp_server_name, expected_tool_name, expected_parameters) VALUES ('c1', 'n', 'q', 'a', 'x', '{}');
INSERT INTO test_case_mcp_servers VALUES ('c1', 'a');
INSERT INTO test_case_calls VALUES ('c1', 2, 'a', 'y', NULL);
INSERT INTO test_case_tags VALUES ('c1', 't');
INSERT INTO test_cases (id, name, query) VALUES ('c2', 'n', 'q');
INSERT INTO test_case_mcp_servers VALUES ('c2', 'b');
INSERT INTO batches (id) VALUES ('b1');
INSERT INTO model_settings (id, provider, model) VALUES ('m1', 'p', 'm'), ('m2', 'p', 'm'), ('m3', 'p', 'm'), ('spare', 'p', 'm');
INSERT INTO test_runs (id, test_case_id, model_settings_id, batch_id) VALUES ('r1', 'c1', 'm1', 'b1'), ('running', 'c1', 'm2', 'b1'), ('pending', 'c1', 'm3', 'b1');
UPDATE test_runs SET status = 'running' WHERE id IN ('r1', 'running');
INSERT INTO tool_definitions (id, name, input_schema, mcp_server_id, test_run_id, position) VALUES ('t1', 'x', '{}', 's1', 'r1', 1), ('t2', 'x', '{}', 's1', 'running', 1);
INSERT INTO test_run_calls (test_run_id, position, expected_position, selected_tool_id, unknown_tool, parameters, classification) VALUES ('r1', 1, 1, 't1', NULL, '{}', 'TP');
UPDATE test_runs SET status = 'completed', selected_tool_id = 't1', extracted_parameters = '{}', classification = 'TP',
	execution_time_ms = 1, completed_at = '2026-01-01T00:00:00.000Z' WHERE id = 'r1';
INSERT INTO evaluation_results (id, test_run_id, classification, tool_selection_correct, parameter_completeness, parameter_correctness, parameter_type_conformance)
	VALUES ('e1', 'r1', 'TP', 1, 1, 1, 1);
`

func open(t *testing.T) *Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dir with space?#%")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), filepath.Join(dir, "runs.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// try executes statements in one transaction.
func try(s *Store, statements string) error {
	return s.change(context.Background(), func(c *sql.Conn) error {
		_, err := c.ExecContext(context.Background(), statements)
		return err
	})
}

func openFixture(t *testing.T) *Store {
	t.Helper()
	s := open(t)
	if err := try(s, fixture); err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	server = "INSERT INTO mcp_servers (id, name, url, transport, status) VALUES "
	cases  = "INSERT INTO test_case_mcp_servers VALUES ('c9', 'a'); INSERT INTO test_cases (id, name, query, expected_mcp_server_name, expected_tool_name, expected_parameters, ordered) VALUES "
	models = "INSERT INTO model_settings (id, provider, model, timeout, temperature, max_retries, confidence) VALUES "
	runs   = "INSERT INTO test_runs (id, test_case_id, model_settings_id, batch_id, repeat, retry_of) VALUES "
	tools  = "INSERT INTO tool_definitions (id, name, description, input_schema, output_schema, mcp_server_id, test_run_id, position) VALUES "
	calls  = "INSERT INTO test_run_calls (test_run_id, position, expected_position, selected_tool_id, unknown_tool, parameters, classification) VALUES "
	// done completes the run "running". The result is added after it.
	done   = "UPDATE test_runs SET status = 'completed', completed_at = 'now', execution_time_ms = 1, "
	result = " WHERE id = 'running'; INSERT INTO evaluation_results (id, test_run_id, classification, tool_selection_correct, parameter_completeness, parameter_correctness, parameter_type_conformance, hallucinated_parameters, confidence_category, recommendations) VALUES ('e9', 'running', "
)

// Each statement violates exactly one rule, or none if want is empty. The
// accepted statements show that the refused ones fail only because of that
// difference.
var constraints = []struct{ name, statement, want string }{
	{"server", server + "('s9', 'n', 'http://h', 'sse', 'inactive')", ""},
	{"server without id", server + "('', 'n', 'http://h', 'sse', 'inactive')", "length(id)"},
	{"server id twice", server + "('s1', 'n', 'http://h', 'sse', 'inactive')", "same id"},
	{"server name twice", server + "('s9', 'a', 'http://h', 'sse', 'inactive')", "same name"},
	{"server url twice", server + "('s9', 'n', 'https://a/mcp', 'sse', 'inactive')", "same url"},
	{"server without name", server + "('s9', '', 'http://h', 'sse', 'inactive')", "length(name)"},
	{"server with a null name", server + "('s9', NULL, 'http://h', 'sse', 'inactive')", "NOT NULL"},
	{"server with a long name", server + "('s9', printf('%101s', 'n'), 'http://h', 'sse', 'inactive')", "length(name)"},
	{"server transport", server + "('s9', 'n', 'http://h', 'http', 'inactive')", "transport IN"},
	{"server status", server + "('s9', 'n', 'http://h', 'sse', 'up')", "status IN"},
	{"server scheme", server + "('s9', 'n', 'ftp://h', 'sse', 'inactive')", "CASE transport"},
	{"server of a command that is a URL", server + "('s9', 'n', 'http://h', 'stdio', 'inactive')", "CASE transport"},
	{"server of a URL that is a command", server + "('s9', 'n', 'stdio:x', 'sse', 'inactive')", "CASE transport"},
	{"server without a command", server + "('s9', 'n', 'stdio:', 'stdio', 'inactive')", "CASE transport"},
	{"server becomes active", "UPDATE mcp_servers SET status = 'active'; UPDATE mcp_servers SET status = 'failed'; UPDATE mcp_servers SET status = 'active'", ""},
	{"server becomes inactive again", "UPDATE mcp_servers SET status = 'active'; UPDATE mcp_servers SET status = 'inactive'", "never inactive again"},
	{"server that a case needs", "DELETE FROM mcp_servers WHERE id = 's2'", "still needs it"},
	{"server that a run needs", "DELETE FROM test_case_calls; UPDATE test_cases SET expected_parameters = NULL, expected_tool_name = NULL, expected_mcp_server_name = NULL; DELETE FROM test_case_mcp_servers; DELETE FROM mcp_servers WHERE id = 's1'", "still needs it"},

	{"case", cases + "('c9', 'n', 'q', 'a', 'x', '{\"n\":1}', 1)", ""},
	{"case that expects no tool", cases + "('c9', 'n', 'q', NULL, NULL, NULL, 0)", ""},
	{"case without name", cases + "('c9', '', 'q', NULL, NULL, NULL, 0)", "length(name)"},
	{"case without query", cases + "('c9', 'n', '', NULL, NULL, NULL, 0)", "length(query)"},
	{"case with a server alone", cases + "('c9', 'n', 'q', 'a', NULL, NULL, 0)", "expected_tool_name IS NULL"},
	{"case with a tool alone", cases + "('c9', 'n', 'q', NULL, 'x', NULL, 0)", "expected_tool_name IS NULL"},
	{"case with parameters alone", cases + "('c9', 'n', 'q', NULL, NULL, '{}', 0)", "expected_tool_name IS NOT NULL"},
	{"case with an empty tool", cases + "('c9', 'n', 'q', 'a', '', NULL, 0)", "length(expected_tool_name)"},
	{"case with parameters that are no JSON", cases + "('c9', 'n', 'q', 'a', 'x', '{', 0)", "malformed JSON"},
	{"case with parameters that are no object", cases + "('c9', 'n', 'q', 'a', 'x', '[]', 0)", "json_type"},
	{"case with order of another kind", cases + "('c9', 'n', 'q', 'a', 'x', NULL, 2)", "ordered IN"},
	{"case with a server that is not on offer", cases + "('c9', 'n', 'q', 'b', 'x', NULL, 0)", "does not exist"},
	{"offer of a server that is not there", "INSERT INTO test_case_mcp_servers VALUES ('c2', 'z')", "does not exist"},
	{"offer to a case that is not there", "INSERT INTO test_case_mcp_servers VALUES ('c9', 'a')", "does not exist"},
	{"offer twice", "INSERT INTO test_case_mcp_servers VALUES ('c1', 'a')", "same test_case_id"},
	{"offer that the expected tool needs", "DELETE FROM test_case_mcp_servers WHERE test_case_id = 'c1'", "still needs it"},
	{"further call", "INSERT INTO test_case_calls VALUES ('c1', 3, 'a', 'z', '{}')", ""},
	{"further call in the first place", "INSERT INTO test_case_calls VALUES ('c1', 1, 'a', 'z', '{}')", "position >= 2"},
	{"further call in a place that is taken", "INSERT INTO test_case_calls VALUES ('c1', 2, 'a', 'z', '{}')", "same test_case_id and position"},
	{"further call without a tool", "INSERT INTO test_case_calls VALUES ('c1', 3, 'a', '', '{}')", "length(tool_name)"},
	{"further call with parameters that are no object", "INSERT INTO test_case_calls VALUES ('c1', 3, 'a', 'z', '1')", "json_type"},
	{"further call of a server that is not on offer", "INSERT INTO test_case_calls VALUES ('c1', 3, 'b', 'z', '{}')", "does not exist"},
	{"further call without a first", "INSERT INTO test_case_calls VALUES ('c2', 2, 'b', 'z', '{}')", "needs a first one"},
	{"first call is taken away", "UPDATE test_cases SET expected_parameters = NULL, expected_mcp_server_name = NULL, expected_tool_name = NULL WHERE id = 'c1'", "needs a first one"},
	{"tag", "INSERT INTO test_case_tags VALUES ('c2', 't')", ""},
	{"tag twice", "INSERT INTO test_case_tags VALUES ('c1', 't')", "same test_case_id and tag"},
	{"tag that is empty", "INSERT INTO test_case_tags VALUES ('c1', '')", "length(tag)"},
	{"tag of no case", "INSERT INTO test_case_tags VALUES ('c9', 't')", "does not exist"},

	{"settings", models + "('m9', 'p', 'm', 1, 0, 0, 'asked'), ('m8', printf('%100s', 'p'), 'm', 300, 2.0, 10, 'none')", ""},
	{"settings without provider", models + "('m9', '', 'm', 1, 0, 0, 'asked')", "length(provider)"},
	{"settings with a long provider", models + "('m9', printf('%101s', 'p'), 'm', 1, 0, 0, 'asked')", "length(provider)"},
	{"settings without model", models + "('m9', 'p', '', 1, 0, 0, 'asked')", "length(model)"},
	{"settings with a long model", models + "('m9', 'p', printf('%101s', 'p'), 1, 0, 0, 'asked')", "length(model)"},
	{"settings with timeout 0", models + "('m9', 'p', 'm', 0, 0, 0, 'asked')", "timeout BETWEEN"},
	{"settings with timeout 301", models + "('m9', 'p', 'm', 301, 0, 0, 'asked')", "timeout BETWEEN"},
	{"settings with a part of a second", models + "('m9', 'p', 'm', 1.5, 0, 0, 'asked')", "cannot store REAL"},
	{"settings below temperature 0", models + "('m9', 'p', 'm', 1, -0.1, 0, 'asked')", "temperature BETWEEN"},
	{"settings above temperature 2", models + "('m9', 'p', 'm', 1, 2.1, 0, 'asked')", "temperature BETWEEN"},
	{"settings with fewer retries than none", models + "('m9', 'p', 'm', 1, 0, -1, 'asked')", "max_retries BETWEEN"},
	{"settings with 11 retries", models + "('m9', 'p', 'm', 1, 0, 11, 'asked')", "max_retries BETWEEN"},
	{"settings with another confidence", models + "('m9', 'p', 'm', 1, 0, 0, 'often')", "confidence IN"},
	{"settings change", "UPDATE model_settings SET model = 'other' WHERE id = 'spare'", "never change"},
	{"settings of a run are deleted", "DELETE FROM model_settings WHERE id = 'm1'", "still needs it"},

	{"run", runs + "('r9', 'c1', 'spare', 'b1', 2, 'r1')", ""},
	{"run of no case", runs + "('r9', 'c9', 'spare', 'b1', 1, NULL)", "does not exist"},
	{"run without settings", runs + "('r9', 'c1', 'none', 'b1', 1, NULL)", "does not exist"},
	{"run with settings of another", runs + "('r9', 'c1', 'm1', 'b1', 1, NULL)", "same model_settings_id"},
	{"run of no batch", runs + "('r9', 'c1', 'spare', 'b9', 1, NULL)", "does not exist"},
	{"run with repeat 0", runs + "('r9', 'c1', 'spare', 'b1', 0, NULL)", "repeat >= 1"},
	{"run that retries nothing", runs + "('r9', 'c1', 'spare', 'b1', 1, 'r8')", "does not exist"},
	{"run begins running", "INSERT INTO test_runs (id, test_case_id, model_settings_id, batch_id, status) VALUES ('r9', 'c1', 'spare', 'b1', 'running')", "begins as pending"},
	{"run changes its case", "UPDATE test_runs SET test_case_id = 'c2' WHERE id = 'pending'", "keeps its case"},
	{"run changes its batch", "INSERT INTO batches (id) VALUES ('b2'); UPDATE test_runs SET batch_id = 'b2' WHERE id = 'running'", "keeps its case"},
	{"batch with runs", "DELETE FROM batches", "still needs it"},
	{"batch with a long label", "INSERT INTO batches (id, label) VALUES ('b2', printf('%201s', 'x'))", "length(label)"},
	{"running run is deleted", "DELETE FROM test_runs WHERE id = 'running'", "cancel it first"},
	{"case with a running run is deleted", "DELETE FROM test_cases WHERE id = 'c1'", "cancel it first"},

	{"failed run", "UPDATE test_runs SET status = 'failed', error_message = 'e', completed_at = 'now' WHERE id = 'running'", ""},
	{"failed run without a reason", "UPDATE test_runs SET status = 'failed', completed_at = 'now' WHERE id = 'running'", "error_message IS NOT NULL"},
	{"failed run with an empty reason", "UPDATE test_runs SET status = 'failed', error_message = '', completed_at = 'now' WHERE id = 'running'", "length(error_message)"},
	{"failed run without an end", "UPDATE test_runs SET status = 'failed', error_message = 'e' WHERE id = 'running'", "completed_at IS NOT NULL"},
	{"failed run with a classification", "UPDATE test_runs SET status = 'failed', error_message = 'e', completed_at = 'now', classification = 'TN' WHERE id = 'running'", "classification IS NOT NULL"},
	{"running run with an end", "UPDATE test_runs SET completed_at = 'now' WHERE id = 'running'", "completed_at IS NOT NULL"},
	{"running run with a reason", "UPDATE test_runs SET error_message = 'e' WHERE id = 'running'", "error_message IS NOT NULL"},
	{"status of another kind", "UPDATE test_runs SET status = 'cancelled' WHERE id = 'running'", "and never back"},

	{"completed run", done + "classification = 'TP', selected_tool_id = 't2', extracted_parameters = '{}', confidence_score = 1, confidence_source = 'asked'" + result + "'TP', 1, 0, 0.5, 1, '[\"x\"]', 'robust', '[]')", ""},
	{"completed run without a tool", done + "classification = 'TN'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", ""},
	{"completed run with a wrong tool", done + "classification = 'FN', selected_tool_id = 't2'" + result + "'FN', 0, 0, 0, 0, '[]', 'misleading', '[]')", ""},
	{"completed run with an unknown tool", done + "classification = 'FP', unknown_tool = 'z', extracted_parameters = '{}'" + result + "'FP', 0, 0, 0, 0, '[]', NULL, '[]')", ""},
	{"completed run without a result", done + "classification = 'TN' WHERE id = 'running'", "does not exist"},
	{"completed run without a classification", "UPDATE test_runs SET status = 'completed', completed_at = 'now', execution_time_ms = 1" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "classification IS NOT NULL"},
	{"completed run without a time", "UPDATE test_runs SET status = 'completed', completed_at = 'now', classification = 'TN'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "execution_time_ms IS NOT NULL"},
	{"completed run in no time", "UPDATE test_runs SET status = 'completed', completed_at = 'now', execution_time_ms = 0, classification = 'TN'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "execution_time_ms >= 1"},
	{"completed run with a reason", done + "error_message = 'e', classification = 'TN'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "error_message IS NOT NULL"},
	{"classification of another kind", done + "classification = 'XX'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "classification IN"},
	{"TP without a tool", done + "classification = 'TP'" + result + "'TP', 1, 1, 1, 1, '[]', NULL, '[]')", "CASE classification"},
	{"FP without a tool", done + "classification = 'FP'" + result + "'FP', 0, 0, 0, 0, '[]', NULL, '[]')", "CASE classification"},
	{"TN with a tool", done + "classification = 'TN', selected_tool_id = 't2'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "CASE classification"},
	{"TP with an unknown tool", done + "classification = 'TP', unknown_tool = 'z'" + result + "'TP', 1, 1, 1, 1, '[]', NULL, '[]')", "CASE classification"},
	{"a tool and an unknown one", done + "classification = 'FN', unknown_tool = 'z', selected_tool_id = 't2'" + result + "'FN', 0, 0, 0, 0, '[]', NULL, '[]')", "unknown_tool IS NULL"},
	{"an unknown tool without name", done + "classification = 'FN', unknown_tool = ''" + result + "'FN', 0, 0, 0, 0, '[]', NULL, '[]')", "length(unknown_tool)"},
	{"parameters without a tool", done + "classification = 'FN', extracted_parameters = '{}'" + result + "'FN', 0, 0, 0, 0, '[]', NULL, '[]')", "extracted_parameters IS NULL"},
	{"parameters that are no object", done + "classification = 'FN', selected_tool_id = 't2', extracted_parameters = '[]'" + result + "'FN', 0, 0, 0, 0, '[]', NULL, '[]')", "json_type(extracted_parameters)"},
	{"answer that is no JSON", done + "classification = 'TN', llm_response_raw = '{'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "json_valid"},
	{"tool of another run", done + "classification = 'FN', selected_tool_id = 't1'" + result + "'FN', 0, 0, 0, 0, '[]', NULL, '[]')", "does not exist"},
	{"confidence above 1", done + "classification = 'TN', confidence_score = 1.1, confidence_source = 'asked'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "confidence_score BETWEEN"},
	{"confidence below 0", done + "classification = 'TN', confidence_score = -0.1, confidence_source = 'asked'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "confidence_score BETWEEN"},
	{"confidence without a source", done + "classification = 'TN', confidence_score = 1" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "confidence_source IS NULL"},
	{"source of another kind", done + "classification = 'TN', confidence_score = 1, confidence_source = 'me'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "confidence_source IN"},
	{"fewer tokens than none", done + "classification = 'TN', input_tokens = -1" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "input_tokens >= 0"},
	{"fewer tokens than none, out", done + "classification = 'TN', output_tokens = -1" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "output_tokens >= 0"},
	{"cost below 0", done + "classification = 'TN', cost_usd = -1" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "cost_usd >= 0"},
	{"fewer attempts than none", done + "classification = 'TN', attempts = -1" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "attempts >= 0"},

	{"result with another classification", done + "classification = 'TN'" + result + "'FN', 0, 0, 0, 0, '[]', NULL, '[]')", "does not exist"},
	{"result of a running run", "UPDATE test_runs SET attempts = 1" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '[]')", "does not exist"},
	{"result with another correctness", done + "classification = 'TN'" + result + "'TN', 0, NULL, NULL, NULL, '[]', NULL, '[]')", "tool_selection_correct ="},
	{"result of TP without scores", done + "classification = 'TP', selected_tool_id = 't2'" + result + "'TP', 1, 1, NULL, 1, '[]', NULL, '[]')", "CASE classification"},
	{"result of TN with scores", done + "classification = 'TN'" + result + "'TN', 1, NULL, 1, NULL, '[]', NULL, '[]')", "CASE classification"},
	{"result of a wrong tool with scores", done + "classification = 'FN', selected_tool_id = 't2'" + result + "'FN', 0, 0, 0.1, 0, '[]', NULL, '[]')", "CASE classification"},
	{"result of a wrong tool without scores", done + "classification = 'FN', selected_tool_id = 't2'" + result + "'FN', 0, 0, NULL, 0, '[]', NULL, '[]')", "CASE classification"},
	{"result with a score above 1", done + "classification = 'TP', selected_tool_id = 't2'" + result + "'TP', 1, 1.1, 1, 1, '[]', NULL, '[]')", "parameter_completeness BETWEEN"},
	{"result with a correctness above 1", done + "classification = 'TP', selected_tool_id = 't2'" + result + "'TP', 1, 1, 1.1, 1, '[]', NULL, '[]')", "parameter_correctness BETWEEN"},
	{"result with a conformance below 0", done + "classification = 'TP', selected_tool_id = 't2'" + result + "'TP', 1, 1, 1, -1, '[]', NULL, '[]')", "parameter_type_conformance BETWEEN"},
	{"result with a category of another kind", done + "classification = 'TN'" + result + "'TN', 1, NULL, NULL, NULL, '[]', 'good', '[]')", "confidence_category IN"},
	{"right and misleading", done + "classification = 'TN'" + result + "'TN', 1, NULL, NULL, NULL, '[]', 'misleading', '[]')", "CASE confidence_category"},
	{"wrong and robust", done + "classification = 'FN'" + result + "'FN', 0, 0, 0, 0, '[]', 'robust', '[]')", "CASE confidence_category"},
	{"wrong and unclear", done + "classification = 'FN'" + result + "'FN', 0, 0, 0, 0, '[]', 'needs_clarity', '[]')", "CASE confidence_category"},
	{"hallucinated parameters that are no list", done + "classification = 'TN'" + result + "'TN', 1, NULL, NULL, NULL, '{}', NULL, '[]')", "json_type(hallucinated_parameters)"},
	{"recommendations that are no list", done + "classification = 'TN'" + result + "'TN', 1, NULL, NULL, NULL, '[]', NULL, '1')", "json_type(recommendations)"},
	{"two results", "INSERT INTO evaluation_results (id, test_run_id, classification, tool_selection_correct, parameter_completeness, parameter_correctness, parameter_type_conformance) VALUES ('e9', 'r1', 'TP', 1, 1, 1, 1)", "same test_run_id"},
	{"result changes", "UPDATE evaluation_results SET reasoning = 'x'", "never changes"},
	{"result is deleted", "DELETE FROM evaluation_results", "still needs it"},

	{"tool", tools + "('t9', 'y', '', 'true', NULL, 's1', 'running', 2), ('t8', 'x', 'd', '{}', '{}', 's2', 'running', 3)", ""},
	{"tool without name", tools + "('t9', '', '', '{}', NULL, 's1', 'running', 2)", "length(name)"},
	{"tool with a schema that is no JSON", tools + "('t9', 'y', '', '{', NULL, 's1', 'running', 2)", "json_valid(input_schema)"},
	{"tool with an output schema that is no JSON", tools + "('t9', 'y', '', '{}', '{', 's1', 'running', 2)", "json_valid(output_schema)"},
	{"tool of no server", tools + "('t9', 'y', '', '{}', NULL, 's9', 'running', 2)", "does not exist"},
	{"tool of no run", tools + "('t9', 'y', '', '{}', NULL, 's1', 'r9', 2)", "while their run is running"},
	{"tool without a run", tools + "('t9', 'y', '', '{}', NULL, 's1', NULL, 2)", "while their run is running"},
	{"tool of a pending run", tools + "('t9', 'y', '', '{}', NULL, 's1', 'pending', 2)", "while their run is running"},
	{"tool of a completed run", tools + "('t9', 'y', '', '{}', NULL, 's1', 'r1', 2)", "while their run is running"},
	{"tool twice", tools + "('t9', 'x', '', '{}', NULL, 's1', 'running', 2)", "same test_run_id and mcp_server_id and name"},
	{"tool in a place that is taken", tools + "('t9', 'y', '', '{}', NULL, 's1', 'running', 1)", "same test_run_id and position"},
	{"tool in place 0", tools + "('t9', 'y', '', '{}', NULL, 's1', 'running', 0)", "position >= 1"},
	{"tool changes", "UPDATE tool_definitions SET description = 'x'", "never changes"},
	{"tool is deleted without its run", "DELETE FROM tool_definitions WHERE id = 't2'", "with its run only"},

	{"calls", calls + "('running', 1, 1, 't2', NULL, '{}', 'TP'), ('running', 2, 2, NULL, NULL, NULL, 'FN'), ('running', 3, NULL, NULL, 'z', NULL, 'FP')", ""},
	{"call TP that was not expected", calls + "('running', 1, NULL, 't2', NULL, '{}', 'TP')", "CASE classification"},
	{"call FP that was expected", calls + "('running', 1, 1, 't2', NULL, '{}', 'FP')", "CASE classification"},
	{"call FN that was made", calls + "('running', 1, 1, 't2', NULL, '{}', 'FN')", "CASE classification"},
	{"call TN", calls + "('running', 1, 1, NULL, NULL, NULL, 'TN')", "classification IN"},
	{"call of another run's tool", calls + "('running', 1, 1, 't1', NULL, '{}', 'TP')", "does not exist"},
	{"call that is two tools", calls + "('running', 1, NULL, 't2', 'z', '{}', 'FP')", "unknown_tool IS NULL"},
	{"call with parameters that are no object", calls + "('running', 1, 1, 't2', NULL, '1', 'TP')", "json_type(parameters)"},
	{"call in place 0", calls + "('running', 0, 1, 't2', NULL, '{}', 'TP')", "position >= 1"},
	{"call that is expected in place 0", calls + "('running', 1, 0, 't2', NULL, '{}', 'TP')", "expected_position >= 1"},
	{"calls that are expected in one place", calls + "('running', 1, 1, 't2', NULL, '{}', 'TP'), ('running', 2, 1, 't2', NULL, '{}', 'TP')", "same test_run_id and expected_position"},
	{"calls in one place", calls + "('running', 1, 1, 't2', NULL, '{}', 'TP'), ('running', 1, 2, 't2', NULL, '{}', 'TP')", "same test_run_id and position"},
	{"call of an unknown tool without name", calls + "('running', 1, NULL, NULL, '', '{}', 'FP')", "length(unknown_tool)"},
	{"call of a completed run", calls + "('r1', 2, 2, 't1', NULL, '{}', 'TP')", "while their run is running"},
	{"call changes", "UPDATE test_run_calls SET parameters = NULL", "never change"},
	{"malformed parameters of a run that has ended", "UPDATE test_runs SET malformed_parameters = '{' WHERE id = 'r1'", "never changes"},
}

func TestConstraints(t *testing.T) {
	s := openFixture(t)
	for _, tc := range constraints {
		err := try(s, tc.statement)
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: refused: %v", tc.name, err)
		case tc.want != "" && err == nil:
			t.Errorf("%s: accepted", tc.name)
		case tc.want != "" && !strings.Contains(err.Error(), tc.want):
			t.Errorf("%s: refused for another reason: %v", tc.name, err)
		}
		if err == nil { // the next statement needs a new fixture
			s = openFixture(t)
		}
	}
}

// All pairs of statuses are tried: only the legal ones succeed.
func TestTransitions(t *testing.T) {
	legal := []string{"pending>running", "pending>failed", "running>completed", "running>failed"}
	set := map[string]string{
		"pending":   "status = 'pending'",
		"running":   "status = 'running'",
		"completed": "status = 'completed', classification = 'TN', execution_time_ms = 1, completed_at = 'now', error_message = NULL",
		"failed":    "status = 'failed', error_message = 'e', completed_at = 'now', classification = NULL",
	}
	ways := map[string][]string{"pending": nil, "running": {"running"}, "completed": {"running", "completed"}, "failed": {"failed"}}
	to := func(status string) string {
		statement := "UPDATE test_runs SET " + set[status] + " WHERE id = 'r9';"
		if status == "completed" {
			statement += `INSERT OR IGNORE INTO evaluation_results (id, test_run_id, classification, tool_selection_correct) VALUES ('e9', 'r9', 'TN', 1);`
		}
		return statement
	}
	for from, way := range ways {
		for target := range set {
			s := openFixture(t)
			if err := try(s, runs+"('r9', 'c1', 'spare', 'b1', 1, NULL)"); err != nil {
				t.Fatal(err)
			}
			for _, step := range way {
				if err := try(s, to(step)); err != nil {
					t.Fatalf("%s: %v", from, err)
				}
			}
			err := try(s, to(target))
			if want := slices.Contains(legal, from+">"+target); (err == nil) != want {
				t.Errorf("from %s to %s: %v", from, target, err)
			}
		}
	}
}

// Nothing in a run that has ended can change.
func TestEndedRunsNeverChange(t *testing.T) {
	s := openFixture(t)
	rows, err := s.read.Query("SELECT name FROM pragma_table_xinfo('test_runs') WHERE hidden = 0")
	if err != nil {
		t.Fatal(err)
	}
	columns, err := collect(rows, func(row scanner) (string, error) {
		var name string
		return name, row.Scan(&name)
	})
	if err != nil || len(columns) < 20 {
		t.Fatal(columns, err)
	}
	for _, column := range columns {
		err := try(s, "UPDATE test_runs SET "+column+" = "+column+" WHERE id = 'r1'")
		if column == "retry_of" {
			if err != nil {
				t.Errorf("%s: %v", column, err)
			}
			continue
		}
		if err == nil {
			t.Errorf("%s of a completed run can change", column)
		}
	}
}

func count(t *testing.T, s *Store, what string) int {
	t.Helper()
	n := 0
	if err := s.read.QueryRow("SELECT count(*) FROM " + what).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCascades(t *testing.T) {
	s := openFixture(t)
	if err := try(s, runs+"('r9', 'c1', 'spare', 'b1', 1, 'r1')"); err != nil {
		t.Fatal(err)
	}
	if err := try(s, "DELETE FROM test_runs WHERE id = 'r1'"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"tool_definitions", "evaluation_results", "test_run_calls"} {
		if n := count(t, s, table+" WHERE test_run_id = 'r1'"); n != 0 {
			t.Errorf("%d rows of the deleted run stay in %s", n, table)
		}
	}
	if count(t, s, "model_settings WHERE id = 'm1'") != 0 || count(t, s, "model_settings") != 3 {
		t.Error("settings of a deleted run stay, or others went")
	}
	if count(t, s, "test_runs WHERE id = 'r9' AND retry_of IS NULL") != 1 {
		t.Error("the retry of a deleted run is gone or names it still")
	}
	if count(t, s, "tool_definitions WHERE test_run_id = 'running'") != 1 || count(t, s, "batches") != 1 {
		t.Error("what belongs to another run went")
	}

	end := "UPDATE test_runs SET status = 'failed', error_message = 'e', completed_at = 'now' WHERE id = 'running';"
	if err := try(s, end+"DELETE FROM test_cases WHERE id = 'c1'"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{
		"test_runs", "tool_definitions", "model_settings", "batches", "test_case_calls", "test_case_tags",
		"test_cases WHERE id = 'c1'", "test_case_mcp_servers WHERE test_case_id = 'c1'",
	} {
		if n := count(t, s, table); n != 0 {
			t.Errorf("%d rows of the deleted case stay in %s", n, table)
		}
	}
	if err := try(s, "DELETE FROM mcp_servers WHERE id = 's1'"); err != nil {
		t.Errorf("a server that nothing needs any more: %v", err)
	}
}

func TestRenamingAServerRenamesItInCases(t *testing.T) {
	s := openFixture(t)
	if err := try(s, "UPDATE mcp_servers SET name = 'renamed' WHERE id = 's1'"); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{
		"test_cases WHERE expected_mcp_server_name = 'renamed'",
		"test_case_mcp_servers WHERE mcp_server_name = 'renamed'",
		"test_case_calls WHERE mcp_server_name = 'renamed'",
	} {
		if count(t, s, where) != 1 {
			t.Errorf("not one in %s", where)
		}
	}
}

func TestUpdatedAtIsKept(t *testing.T) {
	s := openFixture(t)
	for _, table := range []string{"mcp_servers", "test_cases"} {
		if err := try(s, "UPDATE "+table+" SET updated_at = '2001-01-01T00:00:00.000Z'"); err != nil {
			t.Fatal(err)
		}
		if err := try(s, "UPDATE "+table+" SET name = 'changed' WHERE id IN ('s1', 'c1')"); err != nil {
			t.Fatal(err)
		}
		if n := count(t, s, table+" WHERE updated_at > '2025' AND updated_at LIKE '____-__-__T__:__:__.___Z'"); n != 1 {
			t.Errorf("%s: %d rows have a new time", table, n)
		}
	}
}

func TestIndexes(t *testing.T) {
	s := open(t)
	for _, want := range []string{
		"mcp_servers name", "mcp_servers url", "tool_definitions name", "tool_definitions mcp_server_id", "tool_definitions test_run_id",
		"test_cases expected_mcp_server_name", "test_cases expected_tool_name",
		"test_case_calls mcp_server_name", "test_case_calls tool_name", "test_runs test_case_id", "test_runs status",
		"test_runs created_at", "test_runs model_settings_id", "test_runs completed_id", "test_runs model_name",
	} {
		table, column, _ := strings.Cut(want, " ")
		n := count(t, s, "pragma_index_list('"+table+"') l, pragma_index_info(l.name) i WHERE l.origin = 'c' AND i.seqno = 0 AND i.name = '"+column+"'")
		if n == 0 {
			t.Errorf("%s(%s) has no index", table, column)
		}
	}
}
