package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// NewRun is a run to be created.
type NewRun struct {
	CaseID   string // or its name
	Settings selection.Settings
	Repeat   int    // from 1; 0 means 1
	RetryOf  string // the id of an earlier run, or empty
}

// CreateBatch stores runs as pending, all or none, as one batch.
func (s *Store) CreateBatch(ctx context.Context, label string, runs []NewRun) (batchID string, ids []string,
	err error) {
	if len(runs) == 0 {
		return "", nil, fmt.Errorf("%w: a batch needs at least one run", ErrInvalid)
	}

	batchID = newID()
	err = s.change(ctx, func(c *sql.Conn) error {
		if _, err := c.ExecContext(ctx, "INSERT INTO batches (id, label) VALUES (?, ?)", batchID, label); err != nil {
			return err
		}

		ids, err = insertRuns(ctx, c, batchID, runs)
		return err
	})
	if err != nil {
		return "", nil, fmt.Errorf("create runs: %w", err)
	}

	return batchID, ids, nil
}

// RetryRun creates a new pending run with the case, settings and batch of an
// ended run.
func (s *Store) RetryRun(ctx context.Context, id string) (newRunID string, err error) {
	old, err := s.Run(ctx, id)
	if err != nil {
		return "", err
	}

	if err := CanRetry(old); err != nil {
		return "", err
	}

	err = s.change(ctx, func(c *sql.Conn) error {
		ids, err := insertRuns(ctx, c, old.BatchID,
			[]NewRun{{CaseID: old.CaseID, Settings: old.Settings, Repeat: old.Repeat, RetryOf: id}})
		if err == nil {
			newRunID = ids[0]
		}

		return err
	})
	if err != nil {
		return "", fmt.Errorf("retry run %q: %w", id, err)
	}

	return newRunID, nil
}

// CanRetry returns ErrConflict with the reason why a run cannot be executed again.
func CanRetry(r selection.Run) error {
	switch {
	case !r.Ended():
		return fmt.Errorf("retry run %q: %w: it is %s: wait for its end or cancel it", r.ID, ErrConflict, r.Status)
	case r.Imported != nil:
		return fmt.Errorf("retry run %q: %w: it was imported from %s: start a run of its case instead", r.ID,
			ErrConflict, r.Imported.From)
	}
	return nil
}

func insertRuns(ctx context.Context, c *sql.Conn, batchID string, runs []NewRun) ([]string, error) {
	ids := make([]string, len(runs))
	for i, r := range runs {
		settingsID, err := insertSettings(ctx, c, r.Settings)
		if err != nil {
			return nil, err
		}

		known, err := caseID(ctx, c, r.CaseID)
		if err != nil {
			return nil, err
		}

		ids[i] = newID()
		_, err = c.ExecContext(ctx,
			`INSERT INTO test_runs (id, test_case_id, model_settings_id, batch_id, repeat, retry_of)
			VALUES (?, ?, ?, ?, ?, ?)`, ids[i], known, settingsID, batchID, max(1, r.Repeat), null(r.RetryOf))
		if err != nil {
			return nil, err
		}
	}

	return ids, nil
}

// insertSettings stores the settings of one run.
func insertSettings(ctx context.Context, c *sql.Conn, m selection.Settings) (id string, err error) {
	id = newID()
	if err := m.Validate(); err != nil {
		return "", fmt.Errorf("%w: %w", ErrInvalid, err)
	}

	if m.SystemPrompt != "" {
		if _, err := c.ExecContext(ctx, "INSERT OR IGNORE INTO system_prompts VALUES (?, ?)", m.SystemPromptSHA256,
			m.SystemPrompt); err != nil {
			return "", err
		}
	}

	_, err = c.ExecContext(ctx, `INSERT INTO model_settings
		(id, provider, model, timeout, temperature, max_retries, confidence, base_url, system_prompt_sha256, tool_choice, parallel_tool_calls)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, m.Provider, m.Model, m.Timeout, m.Temperature, m.MaxRetries, m.Confidence, null(m.BaseURL),
		null(m.SystemPromptSHA256), null(m.ToolChoice), m.ParallelToolCalls)
	return id, err
}

// StartRun changes a pending run to running. It returns ErrConflict if the run
// is not pending, so only one of two callers succeeds.
func (s *Store) StartRun(ctx context.Context, id string) error {
	return s.change(ctx, func(c *sql.Conn) error {
		result, err := c.ExecContext(ctx, "UPDATE test_runs SET status = 'running' WHERE id = ? AND status = 'pending'",
			id)
		if err != nil {
			return err
		}

		if n, err := result.RowsAffected(); err != nil || n == 1 {
			return err
		}

		var status string
		if err := c.QueryRowContext(ctx, "SELECT status FROM test_runs WHERE id = ?", id).Scan(&status); err != nil {
			return one(err, "run", id)
		}

		return fmt.Errorf("start run %q: %w: it is %s", id, ErrConflict, status)
	})
}

// SaveTools stores the snapshot of a running run, in order, and sets the tools'
// ids. Servers keep their present names in it.
func (s *Store) SaveTools(ctx context.Context, runID string, tools []selection.Tool) error {
	return s.change(ctx, func(c *sql.Conn) error { return insertTools(ctx, c, runID, tools) })
}

func insertTools(ctx context.Context, c *sql.Conn, runID string, tools []selection.Tool) error {
	insert, err := c.PrepareContext(ctx, `INSERT INTO tool_definitions
		(id, name, description, input_schema, output_schema, annotations, mcp_server_id, test_run_id, position)
		VALUES (?, ?, ?, ?, ?, ?, (SELECT id FROM mcp_servers WHERE name = ?), ?, ?)`)
	if err != nil {
		return err
	}

	defer insert.Close()
	for i := range tools {
		t := &tools[i]
		t.ID = newID()
		if _, err := insert.ExecContext(ctx, t.ID, t.Name, t.Description, string(t.InputSchema),
			nullJSON(t.OutputSchema), nullJSON(t.Annotations), t.Server, runID, i+1); err != nil {
			return fmt.Errorf("store tool %q of server %q: %w", t.Name, t.Server, remedied(err))
		}
	}

	return nil
}

// Outcome is the result of a completed run. The calls of Answer have the ids
// that SaveTools set.
type Outcome struct {
	Answer          selection.Answer
	Evaluation      selection.Evaluation
	ExecutionTimeMS int64
}

// CompleteRun stores the answer of a running run with its evaluation.
func (s *Store) CompleteRun(ctx context.Context, id string, o Outcome) error {
	err := s.change(ctx, func(c *sql.Conn) error {
		if err := insertCalls(ctx, c, id, o); err != nil {
			return err
		}
		return complete(ctx, c, id, o, time.Now())
	})
	if err != nil {
		return fmt.Errorf("complete run %q: %w", id, err)
	}
	return nil
}

func complete(ctx context.Context, c *sql.Conn, id string, o Outcome, at time.Time) error {
	e, a := o.Evaluation, o.Answer
	var selected selection.MadeCall
	if e.Selected >= 0 && e.Selected < len(a.Calls) {
		selected = a.Calls[e.Selected]
	}

	said, err := saidJSON(a.Said)
	if err != nil {
		return err
	}

	input, output, attempts := tokens(a)
	result, err := c.ExecContext(ctx,
		`UPDATE test_runs SET status = 'completed', llm_response_raw = ?, said = ?, selected_tool_id = ?,
		unknown_tool = ?, extracted_parameters = ?, malformed_parameters = ?, confidence_score = ?, confidence_source = ?, classification = ?,
		execution_time_ms = ?, input_tokens = ?, output_tokens = ?, cost_usd = ?, attempts = ?,
		completed_at = ? WHERE id = ?`,
		nullJSON(boundedRaw(a.Raw)), said, null(selected.ToolID), null(selected.Unknown), nullJSON(selected.Parameters),
		null(selected.Malformed), a.Confidence, null(string(a.ConfidenceSource)),
		e.Classification, max(1, o.ExecutionTimeMS), input, output, a.Usage.CostUSD, attempts, formatTime(at), id)
	if err := affected(result, err, "run", id); err != nil {
		return err
	}

	var lists [4]string
	for i, text := range []func() ([]byte, error){
		func() ([]byte, error) { return jsonList(e.HallucinatedParameters) },
		func() ([]byte, error) { return jsonList(e.UnexpectedParameters) },
		func() ([]byte, error) { return jsonList(e.Judged) },
		func() ([]byte, error) { return jsonList(e.Recommendations) },
	} {
		b, err := text()
		if err != nil {
			return err
		}

		lists[i] = string(b)
	}

	_, err = c.ExecContext(ctx,
		`INSERT INTO evaluation_results (id, test_run_id, classification, tool_selection_correct,
		parameter_completeness, parameter_correctness, parameter_type_conformance, hallucinated_parameters,
		unexpected_parameters, judged, confidence_category, reasoning, recommendations) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		newID(), id, e.Classification, e.ToolSelectionCorrect, e.ParameterCompleteness, e.ParameterCorrectness,
		e.ParameterConformance, lists[0], lists[1], lists[2], null(string(e.ConfidenceCategory)), e.Reasoning, lists[3])
	return err
}

// tokens are the tokens and the requests of an answer, or nil if no request was sent.
func tokens(a selection.Answer) (input, output, attempts any) {
	if a.Attempts == 0 && a.Usage.InputTokens == 0 && a.Usage.OutputTokens == 0 {
		return nil, nil, nil
	}
	return a.Usage.InputTokens, a.Usage.OutputTokens, a.Attempts
}

// jsonList encodes a list, an empty one as [].
func jsonList[T any](list []T) ([]byte, error) {
	if list == nil {
		list = []T{}
	}
	return json.Marshal(list)
}

// saidJSON is what a model said, for the database, or nil.
func saidJSON(said selection.Said) (any, error) {
	if said.Text == "" && said.Refusal == "" && said.Reasoning == "" && said.FinishReason == "" {
		return nil, nil
	}
	b, err := json.Marshal(said.Bounded())
	return string(b), err
}

// boundedRaw is a raw answer, or the beginning of one that is too long to keep.
func boundedRaw(raw json.RawMessage) json.RawMessage {
	if len(raw) <= selection.MaxRaw {
		return raw
	}
	b, err := json.Marshal(map[string]any{"truncated": true, "bytes": len(raw),
		"beginning": strings.ToValidUTF8(string(raw[:selection.MaxRaw/2]), "")})
	if err != nil { // a map of texts and numbers can always be encoded
		panic(err)
	}
	return b
}

// insertCalls stores the individual calls of a run with several expected or
// made calls.
func insertCalls(ctx context.Context, c *sql.Conn, id string, o Outcome) error {
	for i, j := range o.Evaluation.Calls {
		var expected any
		if j.Expected >= 0 {
			expected = j.Expected + 1
		}

		var m selection.MadeCall
		if j.Made >= 0 {
			m = o.Answer.Calls[j.Made]
		}

		_, err := c.ExecContext(ctx, "INSERT INTO test_run_calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			id, i+1, expected, null(m.ToolID), null(m.Unknown), nullJSON(m.Parameters), j.Classification,
			null(m.Malformed), null(string(j.Forbidden)), j.Alternative)
		if err != nil {
			return err
		}
	}

	return nil
}

// FailRun ends a pending or running run with a reason. answer holds the known
// part of the model's answer, and may be nil.
func (s *Store) FailRun(ctx context.Context, id, reason string, answer *selection.Answer, executionTimeMS int64) error {
	if reason == "" {
		reason = "it failed without a reason"
	}

	if answer == nil {
		answer = &selection.Answer{}
	}

	err := s.change(ctx, func(c *sql.Conn) error {
		return fail(ctx, c, id, reason, *answer, executionTimeMS, time.Now())
	})
	if err != nil {
		return fmt.Errorf("fail run %q: %w", id, err)
	}

	return nil
}

func fail(ctx context.Context, c *sql.Conn, id, reason string, a selection.Answer, executionTimeMS int64,
	at time.Time) error {
	said, err := saidJSON(a.Said)
	if err != nil {
		return err
	}

	var took any
	if executionTimeMS > 0 {
		took = executionTimeMS
	}

	input, output, attempts := tokens(a)
	result, err := c.ExecContext(ctx,
		`UPDATE test_runs SET status = 'failed', error_message = ?, llm_response_raw = ?, said = ?,
		execution_time_ms = ?, input_tokens = ?, output_tokens = ?, cost_usd = ?, attempts = ?,
		completed_at = ? WHERE id = ?`,
		reason, nullJSON(boundedRaw(a.Raw)), said, took, input, output, a.Usage.CostUSD, attempts, formatTime(at), id)
	return affected(result, err, "run", id)
}

// CancelPending ends a pending run as cancelled. It returns ErrConflict if the
// run is not pending.
func (s *Store) CancelPending(ctx context.Context, id string) error {
	return s.change(ctx, func(c *sql.Conn) error {
		result, err := c.ExecContext(ctx, `UPDATE test_runs SET status = 'failed', error_message = ?,
			completed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = ? AND status = 'pending'`, selection.Cancelled, id)
		if err != nil {
			return err
		}

		if n, err := result.RowsAffected(); err != nil || n == 1 {
			return err
		}

		var there bool
		if err := c.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM test_runs WHERE id = ?)",
			id).Scan(&there); err != nil {
			return err
		}

		if !there {
			return notFound("run", id)
		}

		return fmt.Errorf("cancel run %q: %w: it is not pending", id, ErrConflict)
	})
}

// FailInterrupted ends the runs that a process left pending or running. Only
// the owner of the database may call it, before it starts its own runs.
func (s *Store) FailInterrupted(ctx context.Context) (int, error) {
	count := int64(0)
	err := s.change(ctx, func(c *sql.Conn) error {
		result, err := c.ExecContext(ctx, `UPDATE test_runs SET status = 'failed', error_message = ?,
			completed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE status IN ('pending', 'running')`, selection.Interrupted)
		if err == nil {
			count, err = result.RowsAffected()
		}
		return err
	})
	return int(count), err
}

// DeleteRun removes a run with its snapshot, settings and result. A running run
// must be cancelled first.
func (s *Store) DeleteRun(ctx context.Context, id string) error {
	err := s.change(ctx, func(c *sql.Conn) error {
		result, err := c.ExecContext(ctx, "DELETE FROM test_runs WHERE id = ?", id)
		return affected(result, err, "run", id)
	})
	if err != nil {
		return fmt.Errorf("delete run %q: %w", id, err)
	}
	return nil
}
