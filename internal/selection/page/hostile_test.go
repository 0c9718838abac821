package page_test

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

var back = chromedp.NavigateBack()

// evil is markup that would run a script. Each text gets its own mark, so that a
// test can tell which one was shown.
func evil(mark string) string {
	return `<img src=x onerror="window.pwned=1"></script><svg onload="window.pwned=1"> ` + mark
}

// nested are parameters whose value is an object.
func nested(mark string) any {
	return map[string]any{evil("name"): map[string]string{evil("inner"): evil(mark)}}
}

func object(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// addHostile stores markup in every field that holds text of others, and returns a
// completed and a failed run.
func addHostile(t *testing.T, s *store.Store, url string) (completed, failed, batch string) {
	t.Helper()
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	server, err := s.CreateServer(ctx, selection.Server{Name: evil("server"), URL: url})
	check(err)
	c, err := s.CreateCase(ctx, selection.Case{
		Name: evil("case"), Query: evil("query"), Servers: []string{server.Name}, Tags: []string{evil("tag")},
		Expected: []selection.Call{{Server: server.Name, Tool: evil("tool"), Parameters: object(t, nested("expected"))}},
	})
	check(err)
	settings := selection.Settings{Provider: "<img src=x onerror=pwned=1>", Model: evil("m"), Timeout: 1, Confidence: selection.ConfidenceNone}
	batch, ids, err := s.CreateBatch(ctx, evil("label"), []store.NewRun{{CaseID: c.ID, Settings: settings}, {CaseID: c.ID, Settings: settings, Repeat: 2}})
	check(err)
	check(s.StartRun(ctx, ids[0]))
	tools := []selection.Tool{{Server: server.Name, Name: evil("tool"), Description: evil("description") + poison, InputSchema: object(t, map[string]any{
		"type": "object", "properties": map[string]any{evil("name"): map[string]any{"type": "object", "description": evil("property"), "required": []string{evil("absent")}}},
	})}}
	check(s.SaveTools(ctx, ids[0], tools))
	one := 1.0
	check(s.CompleteRun(ctx, ids[0], store.Outcome{
		Answer: selection.Answer{
			Calls: []selection.MadeCall{{ToolID: tools[0].ID, Server: server.Name, Tool: tools[0].Name, Parameters: object(t, nested("actual"))}},
		},
		Evaluation: selection.Evaluation{
			Classification: selection.TP, ToolSelectionCorrect: true, ParameterCompleteness: &one, ParameterCorrectness: &one, Reasoning: evil("reasoning"),
			Recommendations: []selection.Recommendation{{Kind: "k", Server: server.Name, Tool: evil("tool"), Priority: evil("priority"), Text: evil("advice"), Evidence: []string{evil("evidence")}}},
		},
	}))
	check(s.FailRun(ctx, ids[1], evil("error"), nil, 1))
	return ids[0], ids[1], batch
}

// attack shows markup of strangers in every view: it stays text.
func attack(t *testing.T, u user, b *bench) {
	url := mcpServer(t, map[string]string{"harmless": evil("live description"), "other": evil("other description")}, nil)
	completed, failed, batch := addHostile(t, b.store, url+"/<script>pwned=1</script>")
	for fragment, marks := range map[string]string{
		"#/servers": "server", "#/cases": "case query tool tag", "#/batches": "label m", "#/batches/" + batch: "label m", "#/matrix?batch=" + batch: "case m label",
		"#/runs?batch=" + batch: "case m tool error", "#/runs/" + failed: "case query error", "#/start": "case",
		"#/runs/" + completed:                                            "case query tool name expected actual inner absent reasoning advice priority evidence description property schema m",
		"#/compare?first=" + evil("a") + "&second=x":                     "a",
		"#/similarity?server=" + evilQuery("server") + "&threshold=0.01": "server harmless other",
		"#/quality?server=" + evilQuery("server"):                        "server harmless",
		"#/cases?tag=" + evilQuery("tag"):                                "case",
		"#/runs?model=" + evilQuery("filter"):                            "No run matches",
		"#/" + evil("view"):                                              "There is no such view",
	} {
		t.Run(strings.SplitN(fragment, "?", 2)[0], func(t *testing.T) {
			u := u.in(t)
			u.visit(fragment)
			u.Wait(`!document.querySelector(".loading")`)
			u.Eval(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
			for mark := range strings.FieldsSeq(marks) {
				u.Wait(`document.getElementById("main").textContent.includes(` + quote(mark) + `)`)
			}
			u.Expect(`document.querySelectorAll("img, main script, main svg[onload]").length`, "0")
			u.Expect(`typeof window.pwned`, "undefined")
			u.Expect(`document.documentElement.scrollWidth <= innerWidth`, "true")
		})
	}
	// The dialog and the messages show names, too.
	u.visit("#/servers")
	u.push("main", "Delete "+evil("server"))
	u.Expect(`document.querySelector("dialog").textContent.includes("<img src=x onerror=")`, "true")
	u.push("dialog", "Keep")
	u.push("main", "Check "+evil("server"))
	u.reads(evil("server") + ": ")
	u.Expect(`document.querySelectorAll("img").length + typeof window.pwned`, "0undefined")
	// The policy stops what would slip through.
	u.Expect(`(() => { try { document.createElement("p").innerHTML = "<b>x</b>"; return "parsed"; } catch (e) { return e.name; } })()`, "TypeError")
	u.Errors() // the browser reports that
}

func evilQuery(mark string) string {
	return strings.NewReplacer(`"`, "%22", " ", "%20", "<", "%3C", ">", "%3E").Replace(evil(mark))
}

// seed stores 5,000 ended runs: 500 cases and 10 models.
const seed = `
INSERT INTO mcp_servers (id, name, url, transport) VALUES ('big', 'big', 'https://big.example/mcp', 'streamable-http');
CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999) SELECT i FROM n;
INSERT INTO test_cases (id, name, query, expected_mcp_server_name, expected_tool_name)
	SELECT 'case' || i, printf('case %04d', i), 'query ' || i, 'big', 'right' FROM numbers WHERE i < 500;
INSERT INTO test_case_mcp_servers SELECT 'case' || i, 'big' FROM numbers WHERE i < 500;
INSERT INTO batches (id, label) VALUES ('big', 'five thousand');
INSERT INTO model_settings (id, provider, model) SELECT 'm' || i, 'lexical', 'model' || (i % 10) FROM numbers;
INSERT INTO test_runs (id, test_case_id, model_settings_id, batch_id) SELECT 'run' || i, 'case' || (i / 10), 'm' || i, 'big' FROM numbers;
UPDATE test_runs SET status = 'running' WHERE batch_id = 'big';
INSERT INTO tool_definitions (id, name, description, input_schema, mcp_server_id, test_run_id, position)
	SELECT 't' || i, iif(i % 7 = 0, 'wrong', 'right'), 'd', '{}', 'big', 'run' || i, 1 FROM numbers;
UPDATE test_runs SET status = 'completed', selected_tool_id = 't' || substr(id, 4), classification = iif(substr(id, 4) % 7 = 0, 'FN', 'TP'),
	execution_time_ms = 1, completed_at = '2026-01-01T00:00:00.000Z' WHERE batch_id = 'big';
INSERT INTO evaluation_results (id, test_run_id, classification, tool_selection_correct, parameter_completeness, parameter_correctness, parameter_type_conformance)
	SELECT 'e' || i, 'run' || i, iif(i % 7 = 0, 'FN', 'TP'), i % 7 <> 0, i % 7 <> 0, i % 7 <> 0, i % 7 <> 0 FROM numbers;
DROP TABLE numbers;
`

// fillUp shows 5,000 runs: a page of them is in the document at a time.
func fillUp(t *testing.T, u user, b *bench) {
	db, err := sql.Open("sqlite", "file:"+b.path+"?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE;"+seed+"COMMIT;"); err != nil {
		t.Fatal(err)
	}
	u.visit("#/matrix?batch=big")
	u.Expect(`document.querySelectorAll("tbody tr").length + " " + document.querySelectorAll("td a").length`, "50 500")
	u.Expect(`document.querySelectorAll("*").length < 4000`, "true")
	u.reads("1–50 of 500")
	u.Expect(`document.querySelector("td a").textContent`, "✗ wrong tool")
	u.push("main", "Next")
	u.reads("51–100 of 500")
	u.Expect(`location.hash`, "#/matrix?offset=50&batch=big")
	u.push("main", "Last")
	u.reads("451–500 of 500")
	u.Expect(`document.querySelector("tbody tr:last-child th").textContent`, "case 0499")
	u.visit("#/matrix?batch=big&model=lexical/model3")
	u.Expect(`document.querySelectorAll("thead th").length`, "2")
	u.visit("#/runs?batch=big")
	u.reads("1–50 of 5,000")
	u.Expect(`document.querySelectorAll("tbody tr").length`, "50")
	u.push("main", "Last")
	u.reads("4,951–5,000 of 5,000")
	u.visit("#/batches/big")
	u.reads("5000 of 5000 runs have ended")
	u.Expect(`document.querySelector("tbody").querySelectorAll("tr").length`, "10")
	u.visit("#/compare?first=lexical/model1&second=lexical/model2")
	u.reads("Lost: ")
	u.Expect(`document.querySelectorAll("*").length < 6000`, "true")
}
