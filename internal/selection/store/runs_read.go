package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

const runColumns = `SELECT r.id, r.test_case_id, (SELECT name FROM test_cases WHERE id = r.test_case_id), r.batch_id, r.repeat, r.retry_of, r.status,
	m.provider, m.model, m.timeout, m.temperature, m.max_retries, m.confidence, m.base_url, coalesce(p.prompt, m.system_prompt), m.tool_choice, m.parallel_tool_calls,
	r.selected_tool_id, t.name, (SELECT name FROM mcp_servers WHERE id = t.mcp_server_id), r.unknown_tool, r.extracted_parameters, r.malformed_parameters,
	r.confidence_score, r.confidence_source, r.classification, r.execution_time_ms, r.input_tokens, r.output_tokens, r.cost_usd, r.attempts,
	r.error_message, r.created_at, r.completed_at, i.origin, i.origin_id, i.verdict, ` + wrongBecause + `
	FROM test_runs r JOIN model_settings m ON m.id = r.model_settings_id LEFT JOIN tool_definitions t ON t.id = r.selected_tool_id
	LEFT JOIN system_prompts p ON p.sha256 = m.system_prompt_sha256 LEFT JOIN imported_runs i ON i.test_run_id = r.id`

// wrongBecause is why a run r is wrong that called an expected tool, or the empty text.
const wrongBecause = `CASE WHEN r.classification IS NOT 'FN' THEN ''
	WHEN NOT EXISTS (SELECT 1 FROM test_run_calls WHERE test_run_id = r.id AND classification = 'TP') THEN ''
	WHEN EXISTS (SELECT 1 FROM test_run_calls WHERE test_run_id = r.id AND classification = 'FN') THEN 'missing_call'
	ELSE 'forbidden_call' END`

func scanRun(row scanner) (selection.Run, error) {
	var r selection.Run
	var retryOf, baseURL, prompt, choice, toolID, tool, server, unknown, parameters, malformed, source, class, message, completed, origin, originID, verdict sql.NullString
	var took, input, output, attempts sql.NullInt64
	var cost *float64
	var created string
	m := &r.Settings
	err := row.Scan(&r.ID, &r.CaseID, &r.CaseName, &r.BatchID, &r.Repeat, &retryOf, &r.Status,
		&m.Provider, &m.Model, &m.Timeout, &m.Temperature, &m.MaxRetries, &m.Confidence, &baseURL, &prompt, &choice, &m.ParallelToolCalls,
		&toolID, &tool, &server, &unknown, &parameters, &malformed,
		&r.Confidence, &source, &class, &took, &input, &output, &cost, &attempts, &message, &created, &completed, &origin, &originID, &verdict, &r.WrongBecause)
	if err != nil {
		return r, err
	}

	if origin.Valid {
		r.Imported = &selection.Imported{From: origin.String, ID: originID.String}
		if err := decodeColumn("verdict on run "+r.ID, verdict.String, &r.Imported.OtherVerdict); err != nil {
			return r, err
		}
	}

	r.RetryOf, m.BaseURL, m.SystemPrompt, r.Error = retryOf.String, baseURL.String, prompt.String, message.String
	m.ToolChoice, m.SystemPromptSHA256 = choice.String, selection.PromptDigest(m.SystemPrompt)

	r.ConfidenceSource, r.Classification = selection.ConfidenceSource(source.String),
		selection.Classification(class.String)
	r.ExecutionTimeMS, r.Attempts = took.Int64, int(attempts.Int64)
	if toolID.Valid || unknown.Valid {
		r.Selected = &selection.MadeCall{
			ToolID: toolID.String, Server: server.String, Tool: tool.String, Unknown: unknown.String,
			Parameters: rawJSON(parameters),
			Malformed:  malformed.String,
		}
	}

	if input.Valid {
		r.Usage = &selection.Usage{InputTokens: int(input.Int64), OutputTokens: int(output.Int64), CostUSD: cost}
	}

	if r.CompletedAt, err = parseTimePtr(completed); err != nil {
		return r, err
	}

	r.CreatedAt, err = parseTime(created)
	return r, err
}

// Run returns the run with an id.
func (s *Store) Run(ctx context.Context, id string) (selection.Run, error) {
	r, err := scanRun(s.read.QueryRowContext(ctx, runColumns+" WHERE r.id = ?", id))
	if err != nil {
		return r, one(err, "run", id)
	}

	var said sql.NullString
	err = s.read.QueryRowContext(ctx, "SELECT said FROM test_runs WHERE id = ?", id).Scan(&said)
	if err == nil && said.Valid {
		r.Said = new(selection.Said)
		err = decodeColumn("answer of run "+id, said.String, r.Said)
	}

	if err == nil && r.Status == selection.Completed && r.Confidence == nil {
		err = s.rateByRepeats(ctx, &r)
	}

	return r, one(err, "run", id)
}

// rateByRepeats sets the confidence of a run without one from the repeats of its
// case in its batch, if there are any.
func (s *Store) rateByRepeats(ctx context.Context, r *selection.Run) error {
	repeats, err := s.Observations(ctx, RunFilter{CaseID: r.CaseID, BatchID: r.BatchID, Provider: r.Settings.Provider,
		Model: r.Settings.Model})
	for _, o := range repeats {
		if o.RunID == r.ID {
			r.Confidence, r.ConfidenceSource = o.Confidence, o.Source
		}
	}
	return err
}

// RunFilter selects runs. Empty fields select all.
type RunFilter struct {
	CaseID         string
	Case           string // the id or the name of a case
	BatchID        string // or its label: the newest batch that has it
	Status         selection.RunStatus
	Classification selection.Classification
	Provider       string
	Model          string
	Server         string // of any call that the case expects
	Tool           string // of any such call; with Server, of the same one
	Tag            string // of the case
	Since          time.Time
	Imported       ImportedRuns
	OldestFirst    bool
	Page
}

// ImportedRuns says whether runs that another program executed are selected. Empty
// selects them in lists, and in figures only if the filter names their batch.
type ImportedRuns string

// The values of ImportedRuns.
const (
	WithImported    ImportedRuns = "with"
	WithoutImported ImportedRuns = "without"
	OnlyImported    ImportedRuns = "only"
)

// ImportedChoices are the values of ImportedRuns beside the empty one.
var ImportedChoices = []string{string(WithImported), string(WithoutImported), string(OnlyImported)}

// forFigures is the filter for figures, which are of this program's runs unless the
// filter says otherwise.
func (f RunFilter) forFigures() RunFilter {
	if f.Imported == "" && f.BatchID == "" {
		f.Imported = WithoutImported
	}
	return f
}

func (f RunFilter) query() query {
	var q query
	q.equal("test_case_id", f.CaseID)
	if f.Case != "" {
		q.and("test_case_id IN (SELECT id FROM test_cases WHERE id = ? OR name = ?)", f.Case, f.Case)
	}

	if f.BatchID != "" {
		q.and("batch_id = "+theBatch, f.BatchID, f.BatchID)
	}

	q.equal("status", string(f.Status))
	q.equal("classification", string(f.Classification))
	switch {
	case f.Provider != "" && f.Model != "":
		q.equal("model_name", f.Provider+"/"+f.Model)
	case f.Provider != "": // names that begin with the provider and a slash, which comes before 0
		q.and("model_name >= ? AND model_name < ?", f.Provider+"/", f.Provider+"0")
	case f.Model != "":
		q.and("model_settings_id IN (SELECT id FROM model_settings WHERE model = ?)", f.Model)
	}

	q.expects("test_case_id", f.Server, f.Tool)
	if f.Tag != "" {
		q.and("test_case_id IN (SELECT test_case_id FROM test_case_tags WHERE tag = ?)", f.Tag)
	}

	switch f.Imported {
	case WithoutImported:
		q.and(notImported)
	case OnlyImported:
		q.and("id IN (SELECT test_run_id FROM imported_runs)")
	}

	if !f.Since.IsZero() {
		q.and("created_at >= ?", formatTime(f.Since))
	}

	return q
}

// Runs returns a page of the runs, newest first unless OldestFirst is set, and
// the number of all runs that the filter selects.
func (s *Store) Runs(ctx context.Context, f RunFilter) ([]selection.Run, int, error) {
	limit, offset, err := f.bounds()
	if err != nil {
		return nil, 0, err
	}

	order := " DESC"
	if f.OldestFirst {
		order = ""
	}

	q := f.query()
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, remedied(err)
	}

	defer func() { _ = tx.Rollback() }() // read-only
	total := 0
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM test_runs"+q.where(), q.args...).Scan(&total); err != nil {
		return nil, 0, remedied(err)
	}

	// The page is found in an index before other tables are joined. SQLite steps over
	// every row before the page, so the page is counted from its nearer end.
	found := order
	n := max(0, min(limit, total-offset))
	if fromEnd := total - offset - n; n > 0 && fromEnd < offset {
		found, offset = opposite[order], fromEnd
	}

	page := " WHERE r.rowid IN (SELECT rowid FROM test_runs" + q.where() + " ORDER BY created_at" + found + ", rowid" +
		found + " LIMIT ? OFFSET ?)"
	rows, err := tx.QueryContext(ctx, runColumns+page+" ORDER BY r.created_at"+order+", r.rowid"+order,
		append(q.args, n, offset)...)
	if err != nil {
		return nil, 0, remedied(err)
	}

	items, err := collect(rows, scanRun)
	return items, total, err
}

// opposite maps a direction of ORDER BY to the other one.
var opposite = map[string]string{"": " DESC", " DESC": ""}

// CountRuns counts the runs that a filter selects by their status, at one moment
// and ignoring the page. A status without runs is missing.
func (s *Store) CountRuns(ctx context.Context, f RunFilter) (map[selection.RunStatus]int, error) {
	q := f.query()
	rows, err := s.read.QueryContext(ctx, "SELECT status, count(*) FROM test_runs"+q.where()+" GROUP BY status",
		q.args...)
	if err != nil {
		return nil, remedied(err)
	}

	defer rows.Close()
	counts := map[selection.RunStatus]int{}
	for rows.Next() {
		var status selection.RunStatus
		var count int
		if err := rows.Scan(&status, &count); err != nil {
			return nil, remedied(err)
		}

		counts[status] = count
	}

	return counts, remedied(rows.Err())
}

// Tools returns the snapshot of a run: the tools offered to the model, in
// order.
func (s *Store) Tools(ctx context.Context, runID string) ([]selection.Tool, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT t.id, s.name, t.name, t.description, t.input_schema, t.output_schema, t.annotations
		FROM tool_definitions t JOIN mcp_servers s ON s.id = t.mcp_server_id WHERE t.test_run_id = ? ORDER BY t.position`, runID)
	if err != nil {
		return nil, remedied(err)
	}

	return collect(rows, func(row scanner) (selection.Tool, error) {
		var t selection.Tool
		var input string
		var output, annotations sql.NullString
		err := row.Scan(&t.ID, &t.Server, &t.Name, &t.Description, &input, &output, &annotations)
		t.InputSchema, t.OutputSchema, t.Annotations = json.RawMessage(input), rawJSON(output), rawJSON(annotations)
		return t, err
	})
}

// Response returns the provider's answer of a run as JSON, or nil.
func (s *Store) Response(ctx context.Context, runID string) (json.RawMessage, error) {
	var raw sql.NullString
	err := s.read.QueryRowContext(ctx, "SELECT llm_response_raw FROM test_runs WHERE id = ?", runID).Scan(&raw)
	return rawJSON(raw), one(err, "run", runID)
}

// Result returns the evaluation of a completed run.
func (s *Store) Result(ctx context.Context, runID string) (selection.Evaluation, error) {
	var e selection.Evaluation
	var hallucinated, unexpected, judged, recommendations string
	var category sql.NullString
	err := s.read.QueryRowContext(ctx,
		`SELECT classification, tool_selection_correct, parameter_completeness, parameter_correctness,
		parameter_type_conformance, hallucinated_parameters, unexpected_parameters, judged, confidence_category, reasoning, recommendations
		FROM evaluation_results WHERE test_run_id = ?`, runID).Scan(&e.Classification, &e.ToolSelectionCorrect, &e.ParameterCompleteness,
		&e.ParameterCorrectness, &e.ParameterConformance, &hallucinated, &unexpected, &judged, &category, &e.Reasoning, &recommendations)
	if err != nil {
		return e, one(err, "result of the run", runID)
	}

	e.ConfidenceCategory = selection.ConfidenceCategory(category.String)
	for into, text := range map[any]string{&e.HallucinatedParameters: hallucinated,
		&e.UnexpectedParameters: unexpected, &e.Judged: judged, &e.Recommendations: recommendations} {
		if err := decodeColumn("result of run "+runID, text, into); err != nil {
			return e, err
		}
	}

	if e.ConfidenceCategory == "" {
		run, err := s.Run(ctx, runID)
		if err != nil {
			return e, err
		}

		e.ConfidenceCategory = selection.Categorize(e.ToolSelectionCorrect, run.Confidence)
	}

	return e, nil
}

// Call is one call of a run with several expected or made calls. Expected
// counts from 1 and is 0 if the call was not expected. Made is nil if an
// expected call was not made.
type Call struct {
	Expected       int                      `json:"expected,omitempty"`
	Alternative    int                      `json:"alternative,omitempty"` // 0 is the expected call itself
	Made           *selection.MadeCall      `json:"made,omitempty"`
	Classification selection.Classification `json:"classification"`
	Forbidden      selection.ForbiddenBy    `json:"forbidden,omitempty"`
}

// Calls returns the individual calls of a run with several expected or made
// calls, and none for other runs.
func (s *Store) Calls(ctx context.Context, runID string) ([]Call, error) {
	rows, err := s.read.QueryContext(ctx,
		`SELECT coalesce(c.expected_position, 0), c.selected_tool_id, t.name, s.name, c.unknown_tool,
		c.parameters, c.malformed_parameters, c.classification, coalesce(c.forbidden, ''), c.alternative FROM test_run_calls c LEFT JOIN tool_definitions t ON t.id = c.selected_tool_id
		LEFT JOIN mcp_servers s ON s.id = t.mcp_server_id WHERE c.test_run_id = ? ORDER BY c.position`, runID)
	if err != nil {
		return nil, remedied(err)
	}

	return collect(rows, func(row scanner) (Call, error) {
		var call Call
		var id, tool, server, unknown, parameters, malformed sql.NullString
		err := row.Scan(&call.Expected, &id, &tool, &server, &unknown, &parameters, &malformed, &call.Classification,
			&call.Forbidden, &call.Alternative)
		if id.Valid || unknown.Valid {
			call.Made = &selection.MadeCall{
				ToolID: id.String, Tool: tool.String, Server: server.String, Unknown: unknown.String,
				Parameters: rawJSON(parameters),
				Malformed:  malformed.String,
			}
		}

		return call, err
	})
}
