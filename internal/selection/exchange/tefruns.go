package exchange

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// mcpTEF is the name of mcp-tef as the program from which cases and runs come.
const mcpTEF = "mcp-tef"

// Run is a run that another program executed. Its servers have the names of the
// set's.
type Run struct {
	// Entry names the run in messages, and OtherCase is its case in that program.
	Entry, OtherCase string
	Settings         selection.Settings
	Tools            []selection.Tool
	Calls            []selection.MadeCall
	Said             selection.Said
	Raw              json.RawMessage
	TookMS           int64
	Error            string // of a failed run
	Created, Ended   time.Time
	Imported         selection.Imported
}

// tefID is an id, which may be a number.
type tefID string

func (id *tefID) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) != nil && string(text) != "null" {
		s = string(text)
	}
	*id = tefID(s)
	return nil
}

// tefRun is a run of any version of mcp-tef.
type tefRun struct {
	ID       tefID        `json:"id"`
	CaseID   tefID        `json:"test_case_id"`
	Settings *tefSettings `json:"model_settings"`
	Status   string       `json:"status"`
	Raw      string       `json:"llm_response_raw"`

	Matches []tefMatch `json:"tool_call_matches"`
	Average *float64   `json:"avg_parameter_correctness"` // 0 to 10

	// Before a case had several calls:
	Selected    *tefTool        `json:"selected_tool"`
	Extracted   json.RawMessage `json:"extracted_parameters"`
	Correctness *float64        `json:"parameter_correctness"` // 0 to 10

	Confidence     string    `json:"llm_confidence"`
	Description    string    `json:"confidence_score"`
	Classification string    `json:"classification"`
	TookMS         int64     `json:"execution_time_ms"`
	Error          string    `json:"error_message"`
	CreatedAt      string    `json:"created_at"`
	CompletedAt    string    `json:"completed_at"`
	Tools          []tefTool `json:"tools"`
}

type tefSettings struct {
	Provider     string  `json:"provider"`
	Model        string  `json:"model"`
	Timeout      int     `json:"timeout"`
	Temperature  float64 `json:"temperature"`
	MaxRetries   int     `json:"max_retries"`
	BaseURL      string  `json:"base_url"`
	SystemPrompt string  `json:"system_prompt"`
}

// tefMatch is an expected call beside one that was made. Without Actual and
// Parameters none was made.
type tefMatch struct {
	Type       string          `json:"match_type"`
	Actual     *tefTool        `json:"actual_tool_call"`
	Parameters json.RawMessage `json:"actual_parameters"`
}

// tefTool is a tool that was offered. Its parameters are its input schema.
type tefTool struct {
	ID          tefID           `json:"id"`
	Name        string          `json:"name"`
	ServerURL   string          `json:"mcp_server_url"`
	ServerName  string          `json:"mcp_server_name"`
	Schema      json.RawMessage `json:"parameters"`
	description string
	output      json.RawMessage
}

// isTEFRun reports whether an entry is a run of mcp-tef.
func isTEFRun(raw json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields["test_case_id"] == nil || fields["status"] == nil {
		return false
	}
	for _, name := range []string{"tool_call_matches", "llm_confidence", "extracted_parameters", "tools"} {
		if _, ok := fields[name]; ok {
			return true
		}
	}
	return false
}

func (s *Set) addTEFRun(raw json.RawMessage, entry string) error {
	var f tefRun
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	return s.addRun(f, entry)
}

// addRun adds a run of mcp-tef that has ended.
func (s *Set) addRun(f tefRun, entry string) error {
	r := Run{Entry: fmt.Sprintf("%s (%s)", entry, f.ID), OtherCase: string(f.CaseID), TookMS: max(1, f.TookMS),
		Imported: selection.Imported{From: mcpTEF, ID: string(f.ID)}}
	switch {
	case f.ID == "" || f.CaseID == "":
		return errors.New("it has no id or no test_case_id")
	case f.Status == "failed":
		r.Error = cmp.Or(f.Error, "it failed in mcp-tef without a reason")
	case f.Status != "completed":
		return fmt.Errorf("its status is %q: only completed and failed runs are imported", f.Status)
	}

	if f.Settings == nil {
		return errors.New("its model is not recorded: mcp-tef has deleted its settings")
	}

	r.Settings = selection.Settings{Provider: f.Settings.Provider, Model: f.Settings.Model,
		Timeout: f.Settings.Timeout, Temperature: f.Settings.Temperature, MaxRetries: f.Settings.MaxRetries,
		BaseURL: f.Settings.BaseURL, SystemPrompt: f.Settings.SystemPrompt, Confidence: selection.ConfidenceAsked}
	if err := r.Settings.Validate(); err != nil {
		return fmt.Errorf("its model_settings: %w", err)
	}

	var err error
	if r.Created, err = tefTime(f.CreatedAt); err != nil {
		return fmt.Errorf("created_at: %w", err)
	}

	if r.Ended, err = tefTime(cmp.Or(f.CompletedAt, f.CreatedAt)); err != nil {
		return fmt.Errorf("completed_at: %w", err)
	}

	for _, t := range f.Tools {
		if err := s.offer(&r, t); err != nil {
			return err
		}
	}

	if r.Error == "" {
		if r.Calls, err = s.calls(&r, f); err != nil {
			return err
		}
	}

	if f.Raw != "" {
		if r.Raw = json.RawMessage(f.Raw); !json.Valid(r.Raw) {
			r.Raw, r.Said.Text = nil, f.Raw
		}
	}

	return s.verdict(r, f)
}

// verdict adds what mcp-tef said of a run, and the run to the set.
func (s *Set) verdict(r Run, f tefRun) error {
	v := &r.Imported.OtherVerdict
	v.Classification, v.Confidence, v.Description = selection.Classification(f.Classification), f.Confidence,
		f.Description
	if score := cmp.Or(f.Average, f.Correctness); score != nil {
		share := *score / 10
		v.ParameterCorrectness = &share
	}

	classes := []selection.Classification{"", selection.TP, selection.FP, selection.TN, selection.FN}
	if !slices.Contains(classes, v.Classification) {
		return fmt.Errorf("its classification is %q, and not TP, FP, TN or FN", f.Classification)
	}

	if slices.ContainsFunc(s.Runs, func(x Run) bool { return x.Imported.ID == r.Imported.ID }) {
		return errors.New("another entry has the same id")
	}

	s.Runs = append(s.Runs, r)
	return nil
}

// offer adds a tool to those that a run offered. Queries of mcp-tef give a run
// without tools one without a name.
func (s *Set) offer(r *Run, t tefTool) error {
	if t.Name == "" {
		return nil
	}

	server := s.server(t.ServerName, t.ServerURL, "")
	if server == "" {
		return fmt.Errorf("the tool %q has no server", t.Name)
	}

	same := func(x selection.Tool) bool { return x.Server == server && x.Name == t.Name }
	if slices.ContainsFunc(r.Tools, same) {
		return nil
	}

	schema := t.Schema
	if len(schema) == 0 {
		schema = json.RawMessage("null")
	}

	r.Tools = append(r.Tools, selection.Tool{Server: server, Name: t.Name, Description: t.description,
		InputSchema: schema, OutputSchema: t.output})
	return nil
}

// calls are the calls that were made in a run.
func (s *Set) calls(r *Run, f tefRun) ([]selection.MadeCall, error) {
	matches := f.Matches
	if f.Selected != nil && f.Selected.Name != "" || given(f.Extracted) {
		matches = append(matches, tefMatch{Actual: f.Selected, Parameters: f.Extracted})
	}

	var made []selection.MadeCall
	for _, m := range matches {
		switch {
		case m.Actual != nil && m.Actual.Name != "":
		case given(m.Parameters), m.Type == "TP", m.Type == "FP":
			// mcp-tef stores no name for a tool that was not offered.
			m.Actual = nil
		default:
			continue
		}

		call := selection.MadeCall{Unknown: "a tool that mcp-tef did not record"}
		if m.Actual != nil {
			if err := s.offer(r, *m.Actual); err != nil {
				return nil, err
			}

			server := s.server(m.Actual.ServerName, m.Actual.ServerURL, "")
			call = selection.MadeCall{Server: server, Tool: m.Actual.Name}
		}

		switch text := strings.TrimSpace(string(m.Parameters)); {
		case !given(m.Parameters):
			call.Parameters = json.RawMessage("{}")
		case text[0] == '{':
			call.Parameters = m.Parameters
		default:
			call.Malformed = text
		}

		made = append(made, call)
	}

	return made, nil
}

// given reports whether a field has a value.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// tefTime reads a time of mcp-tef, which is UTC if it has no zone.
func tefTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
		"2006-01-02 15:04:05.999999999-07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time", text)
}

// runs reads the runs of a database.
func (t tefDatabase) runs(set *Set, servers map[string]string) error {
	columns, err := t.columns("test_runs")
	if err != nil || len(columns) == 0 {
		return err
	}

	settings, err := t.byID("model_settings")
	if err != nil {
		return err
	}

	tools, err := t.byRun("tool_definitions")
	if err != nil {
		return err
	}

	matches, err := t.byRun("tool_call_matches")
	if err != nil {
		return err
	}

	rows, err := t.rows("SELECT * FROM test_runs ORDER BY created_at, rowid")
	if err != nil {
		return err
	}

	for i, row := range rows {
		entry := fmt.Sprintf("run %d", i+1)
		f, err := runOfRow(row, settings, tools[row["id"]], matches[row["id"]], servers)
		if err == nil {
			err = set.addRun(f, entry)
		}

		if err != nil {
			set.skip(fmt.Sprintf("%s (%s)", entry, row["id"]), err)
		}
	}

	return nil
}

// byID reads a table, which only some versions have, by id.
func (t tefDatabase) byID(table string) (map[string]map[string]string, error) {
	all, err := t.table(table)
	found := map[string]map[string]string{}
	for _, row := range all {
		found[row["id"]] = row
	}
	return found, err
}

// byRun reads a table, which only some versions have, by run.
func (t tefDatabase) byRun(table string) (map[string][]map[string]string, error) {
	all, err := t.table(table)
	found := map[string][]map[string]string{}
	for _, row := range all {
		found[row["test_run_id"]] = append(found[row["test_run_id"]], row)
	}
	return found, err
}

// table reads one of the tables that are named in this file.
func (t tefDatabase) table(name string) ([]map[string]string, error) {
	columns, err := t.columns(name)
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	return t.rows("SELECT * FROM " + name + " ORDER BY rowid")
}

// runOfRow is a run of a database as its service writes it.
func runOfRow(row map[string]string, settings map[string]map[string]string, tools, matches []map[string]string,
	servers map[string]string) (tefRun, error) {
	text := func(name string) json.RawMessage { return json.RawMessage(row[name]) }
	f := tefRun{ID: tefID(row["id"]), CaseID: tefID(row["test_case_id"]), Status: row["status"],
		Raw: row["llm_response_raw"], Extracted: text("extracted_parameters"), Confidence: row["llm_confidence"],
		Description: row["confidence_score"], Classification: row["classification"], Error: row["error_message"],
		CreatedAt: row["created_at"], CompletedAt: row["completed_at"]}
	for into, name := range map[any]string{&f.Average: "avg_parameter_correctness", &f.TookMS: "execution_time_ms",
		&f.Correctness: "parameter_correctness"} {
		if err := numberIn(row, name, into); err != nil {
			return f, err
		}
	}

	if of := settings[row["model_settings_id"]]; of != nil {
		f.Settings = &tefSettings{Provider: of["provider"], Model: of["model"], BaseURL: of["base_url"],
			SystemPrompt: of["system_prompt"]}
		for into, name := range map[any]string{&f.Settings.Timeout: "timeout",
			&f.Settings.Temperature: "temperature", &f.Settings.MaxRetries: "max_retries"} {
			if err := numberIn(of, name, into); err != nil {
				return f, err
			}
		}
	}

	byID := map[string]*tefTool{}
	for _, t := range tools {
		tool := tefTool{ID: tefID(t["id"]), Name: t["name"], ServerURL: t["mcp_server_url"],
			ServerName: cmp.Or(servers[t["mcp_server_id"]], t["mcp_server_name"]),
			Schema:     json.RawMessage(t["input_schema"]), description: t["description"]}
		if t["output_schema"] != "" {
			tool.output = json.RawMessage(t["output_schema"])
		}

		for _, schema := range []json.RawMessage{tool.Schema, tool.output} {
			if len(schema) > 0 && !json.Valid(schema) {
				return f, fmt.Errorf("a schema of the tool %q is no JSON", tool.Name)
			}
		}

		f.Tools = append(f.Tools, tool)
		byID[t["id"]] = &tool
	}

	f.Selected = byID[row["selected_tool_id"]]
	for _, m := range matches {
		f.Matches = append(f.Matches, tefMatch{Type: m["match_type"], Actual: byID[m["actual_tool_id"]],
			Parameters: json.RawMessage(m["actual_parameters"])})
	}

	return f, nil
}

// numberIn reads a number of a row. NULL leaves it as it is.
func numberIn(row map[string]string, name string, into any) error {
	if row[name] == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(row[name]), into); err != nil {
		return fmt.Errorf("%s is %q, and no such number", name, row[name])
	}
	return nil
}
