package store

import (
	"context"
	"database/sql"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// Observations returns the ended runs that a filter selects, for a summary,
// ignoring the page. It leaves out cancelled runs, retried ones, which their retries
// replace, and imported ones, unless the filter names their batch or asks for them.
func (s *Store) Observations(ctx context.Context, f RunFilter) ([]score.Observation, error) {
	q := f.forFigures().query()
	q.and("status IN ('completed', 'failed')")
	q.and("coalesce(error_message, '') <> ?", selection.Cancelled)
	q.and(notRetried)
	rows, err := s.read.QueryContext(ctx,
		`SELECT r.id, r.batch_id, r.test_case_id, c.name, m.provider, m.model, r.repeat, r.status, r.error_message,
		r.selected_tool_id, t.name, (SELECT name FROM mcp_servers WHERE id = t.mcp_server_id), r.unknown_tool, r.classification, coalesce(e.reasoning, ''),
		e.parameter_completeness, e.parameter_correctness, e.parameter_type_conformance, coalesce(json_array_length(e.hallucinated_parameters), 0),
		e.confidence_category, r.confidence_score, r.confidence_source, r.execution_time_ms, r.input_tokens, r.output_tokens, r.cost_usd,
		(SELECT json_group_array(tag ORDER BY tag) FROM test_case_tags WHERE test_case_id = r.test_case_id),
		(SELECT json_group_array(DISTINCT mcp_server_name ORDER BY mcp_server_name)
			FROM expected_calls WHERE test_case_id = r.test_case_id),
		(SELECT json_group_array(DISTINCT mcp_server_name || ':' || tool_name ORDER BY mcp_server_name || ':' || tool_name)
			FROM expected_calls WHERE test_case_id = r.test_case_id),
		(SELECT count(*) FROM test_run_calls k WHERE test_run_id = r.id AND classification = 'FP'
			AND EXISTS (SELECT 1 FROM test_run_calls WHERE test_run_id = k.test_run_id AND classification = 'TP')),
		(SELECT count(*) FROM test_run_calls WHERE test_run_id = r.id AND forbidden IS NOT NULL),
		EXISTS (SELECT 1 FROM test_run_calls WHERE test_run_id = r.id AND classification = 'FN'),
		coalesce((SELECT origin FROM imported_runs WHERE test_run_id = r.id), '')
		FROM test_runs r JOIN test_cases c ON c.id = r.test_case_id JOIN model_settings m ON m.id = r.model_settings_id
		LEFT JOIN tool_definitions t ON t.id = r.selected_tool_id LEFT JOIN evaluation_results e ON e.test_run_id = r.id
		WHERE r.rowid IN (SELECT rowid FROM test_runs`+q.where()+`) ORDER BY r.created_at, r.rowid`, q.args...)
	if err != nil {
		return nil, remedied(err)
	}

	all, err := collect(rows, scanObservation)
	score.RateByRepeats(all)
	return all, err
}

// Answers returns what the models said in the runs that Observations returns, by run.
// The provider's answers are cut off after selection.MaxSaid characters.
func (s *Store) Answers(ctx context.Context, f RunFilter) (map[string]selection.SaidRaw, error) {
	q := f.forFigures().query()
	q.and("status IN ('completed', 'failed')")
	rows, err := s.read.QueryContext(ctx, "SELECT id, coalesce(said, '{}'), coalesce(substr(llm_response_raw, 1, ?), '') "+
		"FROM test_runs"+q.where(), append([]any{selection.MaxSaid}, q.args...)...)
	if err != nil {
		return nil, remedied(err)
	}

	defer rows.Close()
	answers := map[string]selection.SaidRaw{}
	for rows.Next() {
		var id, said string
		var a selection.SaidRaw
		if err := rows.Scan(&id, &said, &a.Raw); err != nil {
			return nil, remedied(err)
		}

		if err := decodeColumn("answer of run "+id, said, &a.Said); err != nil {
			return nil, err
		}

		answers[id] = a
	}

	return answers, remedied(rows.Err())
}

func scanObservation(row scanner) (score.Observation, error) {
	var o score.Observation
	var message, toolID, tool, toolServer, unknown, class, category, source sql.NullString
	var provider, name, status, tags, servers, tools string
	var took, input, output sql.NullInt64
	err := row.Scan(&o.RunID, &o.BatchID, &o.CaseID, &o.Case, &provider, &name, &o.Repeat, &status, &message,
		&toolID, &tool, &toolServer, &unknown, &class, &o.Reasoning, &o.Completeness, &o.Correctness, &o.Conformance, &o.Hallucinated,
		&category, &o.Confidence, &source, &took, &input, &output, &o.CostUSD, &tags, &servers, &tools,
		&o.Extra, &o.Forbidden, &o.Missed, &o.ImportedFrom)
	if err != nil {
		return o, err
	}

	o.Model, o.Error = provider+"/"+name, message.String
	o.Failed = selection.RunStatus(status) == selection.Failed
	o.Made = toolID.Valid || unknown.Valid
	var made *selection.MadeCall
	if o.Made {
		made = &selection.MadeCall{Server: toolServer.String, Tool: tool.String, Unknown: unknown.String}
	}

	o.Selects = score.Selects(made)
	o.Classification, o.Category = selection.Classification(class.String), selection.ConfidenceCategory(category.String)
	o.Source = selection.ConfidenceSource(source.String)
	o.DurationMS, o.InputTokens, o.OutputTokens = took.Int64, int(input.Int64), int(output.Int64)
	if err := decodeColumn("servers of case "+o.CaseID, servers, &o.Servers); err != nil {
		return o, err
	}

	if err := decodeColumn("tools of case "+o.CaseID, tools, &o.Tools); err != nil {
		return o, err
	}

	return o, decodeColumn("tags of case "+o.CaseID, tags, &o.Tags)
}
