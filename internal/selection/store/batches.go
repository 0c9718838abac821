package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Batch is a set of runs that were started together, with the number of runs in
// each status. A retry counts in place of the run that it repeats.
type Batch struct {
	ID        string    `json:"id"`
	Label     string    `json:"label"`
	CreatedAt time.Time `json:"created_at"`
	Total     int       `json:"total"`
	Pending   int       `json:"pending"`
	Running   int       `json:"running"`
	Completed int       `json:"completed"`
	Failed    int       `json:"failed"`
	// Imported counts the runs that another program executed.
	Imported int `json:"imported"`
	// Accuracy is the share of the completed runs that are right, and
	// ParameterCorrectness the mean over right calls. They are nil without such runs.
	Accuracy             *float64 `json:"accuracy"`
	ParameterCorrectness *float64 `json:"parameter_correctness"`
	// Models names the models of the runs as provider/model, sorted.
	Models []string `json:"models"`
}

// notRetried is the condition that no later run repeats a run.
const notRetried = "id NOT IN (SELECT retry_of FROM test_runs WHERE retry_of IS NOT NULL)"

// notImported is the condition that no other program executed a run.
const notImported = "id NOT IN (SELECT test_run_id FROM imported_runs)"

// The page is selected before the runs of its batches are counted.
const batchColumns = `SELECT b.id, b.label, b.created_at,
	(SELECT count(*) FROM test_runs WHERE batch_id = b.id AND status = 'pending' AND ` + notRetried + `),
	(SELECT count(*) FROM test_runs WHERE batch_id = b.id AND status = 'running' AND ` + notRetried + `),
	(SELECT count(*) FROM test_runs WHERE batch_id = b.id AND status = 'completed' AND ` + notRetried + `),
	(SELECT count(*) FROM test_runs WHERE batch_id = b.id AND status = 'failed' AND ` + notRetried + `),
	(SELECT count(*) FROM test_runs WHERE batch_id = b.id AND id IN (SELECT test_run_id FROM imported_runs)),
	(SELECT avg(classification IN ('TP', 'TN')) FROM test_runs WHERE batch_id = b.id AND status = 'completed' AND ` + notRetried + `),
	(SELECT avg(e.parameter_correctness) FROM test_runs r JOIN evaluation_results e ON e.test_run_id = r.id
		WHERE r.batch_id = b.id AND r.classification = 'TP' AND r.` + notRetried + `),
	(SELECT json_group_array(name ORDER BY name) FROM (SELECT DISTINCT m.provider || '/' || m.model AS name
		FROM test_runs r JOIN model_settings m ON m.id = r.model_settings_id WHERE r.batch_id = b.id))
	FROM batches b`

func scanBatch(row scanner) (Batch, error) {
	var b Batch
	var created, models string
	if err := row.Scan(&b.ID, &b.Label, &created, &b.Pending, &b.Running, &b.Completed, &b.Failed,
		&b.Imported, &b.Accuracy, &b.ParameterCorrectness, &models); err != nil {
		return b, err
	}

	b.Total = b.Pending + b.Running + b.Completed + b.Failed
	if err := decodeColumn("models of batch "+b.ID, models, &b.Models); err != nil {
		return b, err
	}

	var err error
	b.CreatedAt, err = parseTime(created)
	return b, err
}

// theBatch is the id of the batch with an id or a label, given twice: of several
// with a label the newest.
const theBatch = `coalesce((SELECT id FROM batches WHERE id = ?),
			(SELECT id FROM batches WHERE label = ? ORDER BY created_at DESC, rowid DESC LIMIT 1))`

// Batch is the batch with an id, or the newest with a label.
func (s *Store) Batch(ctx context.Context, id string) (Batch, error) {
	b, err := scanBatch(s.read.QueryRowContext(ctx, batchColumns+" WHERE b.id = "+theBatch, id, id))
	return b, one(err, "batch", id)
}

// Batches lists a page of the batches, newest first, and counts them all.
func (s *Store) Batches(ctx context.Context, p Page) ([]Batch, int, error) {
	limit, offset, err := p.bounds()
	if err != nil {
		return nil, 0, err
	}

	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, remedied(err)
	}

	defer func() { _ = tx.Rollback() }() // it has only read
	total := 0
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM batches").Scan(&total); err != nil {
		return nil, 0, remedied(err)
	}

	rows, err := tx.QueryContext(ctx, batchColumns+` WHERE b.rowid IN
		(SELECT rowid FROM batches ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?) ORDER BY b.created_at DESC, b.id DESC`, limit, offset)
	if err != nil {
		return nil, 0, remedied(err)
	}

	items, err := collect(rows, scanBatch)
	return items, total, err
}

// Unfinished lists the ids of the pending and running runs of a batch, those that
// were created last first.
func (s *Store) Unfinished(ctx context.Context, batchID string) ([]string, error) {
	return s.runIDs(ctx, "batch_id = ? AND status IN (?, ?) ORDER BY rowid DESC", batchID, selection.Pending,
		selection.Running)
}

// Retryable lists the ids of the failed runs of a batch that were not retried, in
// the order of their creation. Imported runs are none of them.
func (s *Store) Retryable(ctx context.Context, batchID string) ([]string, error) {
	return s.runIDs(ctx, "batch_id = ? AND status = ? AND "+notRetried+" AND "+notImported+
		" ORDER BY rowid", batchID, selection.Failed)
}

func (s *Store) runIDs(ctx context.Context, where string, args ...any) ([]string, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT id FROM test_runs WHERE "+where, args...)
	if err != nil {
		return nil, remedied(err)
	}
	return collect(rows, func(row scanner) (id string, err error) { return id, row.Scan(&id) })
}
