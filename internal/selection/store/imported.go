package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// ImportedRun is an ended run that another program executed. Without an Error it was
// completed with Outcome; else it failed, and Outcome has no evaluation. The calls of
// its answer name tools of Tools by server and name.
type ImportedRun struct {
	CaseID   string
	Settings selection.Settings
	Repeat   int // from 1; 0 means 1
	Tools    []selection.Tool
	Outcome
	Error                  string
	CreatedAt, CompletedAt time.Time
	Imported               selection.Imported
}

// HasImported reports whether a run of another program is stored.
func (s *Store) HasImported(ctx context.Context, from, id string) (there bool, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM imported_runs WHERE origin = ? AND origin_id = ?)",
		from, id).Scan(&there)
	return there, remedied(err)
}

// ImportRuns stores runs of another program as one batch, all or none.
func (s *Store) ImportRuns(ctx context.Context, label string, runs []ImportedRun) (batchID string, err error) {
	batchID = newID()
	err = s.change(ctx, func(c *sql.Conn) error {
		if _, err := c.ExecContext(ctx, "INSERT INTO batches (id, label) VALUES (?, ?)", batchID, label); err != nil {
			return err
		}

		for _, r := range runs {
			if err := importRun(ctx, c, batchID, r); err != nil {
				return fmt.Errorf("run %q of %s: %w", r.Imported.ID, r.Imported.From, remedied(err))
			}
		}

		return nil
	})
	if err != nil {
		return "", fmt.Errorf("import runs: %w", err)
	}

	return batchID, nil
}

func importRun(ctx context.Context, c *sql.Conn, batchID string, r ImportedRun) error {
	settingsID, err := insertSettings(ctx, c, r.Settings)
	if err != nil {
		return err
	}

	id := newID()
	if _, err := c.ExecContext(ctx,
		`INSERT INTO test_runs (id, test_case_id, model_settings_id, batch_id, repeat, created_at)
		VALUES (?, ?, ?, ?, ?, ?)`, id, r.CaseID, settingsID, batchID, max(1, r.Repeat),
		formatTime(r.CreatedAt)); err != nil {
		return err
	}

	verdict, err := json.Marshal(r.Imported.OtherVerdict)
	if err != nil {
		return err
	}

	if _, err := c.ExecContext(ctx, "INSERT INTO imported_runs VALUES (?, ?, ?, ?)", id, r.Imported.From,
		r.Imported.ID, string(verdict)); err != nil {
		return err
	}

	if _, err := c.ExecContext(ctx, "UPDATE test_runs SET status = 'running' WHERE id = ?", id); err != nil {
		return err
	}

	if err := insertTools(ctx, c, id, r.Tools); err != nil {
		return err
	}

	if r.Error != "" {
		return fail(ctx, c, id, r.Error, r.Answer, r.ExecutionTimeMS, r.CompletedAt)
	}

	nameTools(r.Answer.Calls, r.Tools)
	if err := insertCalls(ctx, c, id, r.Outcome); err != nil {
		return err
	}

	return complete(ctx, c, id, r.Outcome, r.CompletedAt)
}

// nameTools sets the ids of the called tools.
func nameTools(calls []selection.MadeCall, tools []selection.Tool) {
	ids := map[selection.ToolName]string{}
	for _, t := range tools {
		ids[selection.ToolName{Server: t.Server, Tool: t.Name}] = t.ID
	}
	for i, call := range calls {
		calls[i].ToolID = ids[selection.ToolName{Server: call.Server, Tool: call.Tool}]
	}
}

// NameCases stores the ids that cases have in another program: ids maps them to
// those of the cases here.
func (s *Store) NameCases(ctx context.Context, from string, ids map[string]string) error {
	return s.change(ctx, func(c *sql.Conn) error {
		for id, caseID := range ids {
			if _, err := c.ExecContext(ctx, `INSERT INTO imported_cases VALUES (?, ?, ?)
				ON CONFLICT (origin, origin_id) DO UPDATE SET test_case_id = excluded.test_case_id`, from, id,
				caseID); err != nil {
				return err
			}
		}

		return nil
	})
}

// CaseNamed returns the id of the case that has an id in another program, or this id
// or this name here.
func (s *Store) CaseNamed(ctx context.Context, from, id string) (known string, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT test_case_id FROM imported_cases WHERE origin = ? AND origin_id = ?`,
		from, id).Scan(&known)
	if !errors.Is(err, sql.ErrNoRows) {
		return known, remedied(err)
	}

	return caseID(ctx, s.read, id)
}
