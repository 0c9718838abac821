package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// MatrixColumns says what the columns of a matrix are.
type MatrixColumns string

// The columns of a matrix.
const (
	ByModel MatrixColumns = "model"
	ByBatch MatrixColumns = "batch"
)

// key is the expression for the column of a run r with the settings m.
func (c MatrixColumns) key() string {
	if c == ByBatch {
		return "r.batch_id"
	}
	return "m.provider || '/' || m.model"
}

// Matrix is a page of cases, each with its runs by model or by batch.
type Matrix struct {
	// Models names the models of all runs that the filter selects, as
	// provider/model, sorted.
	Models []string
	// Batches are the batches of all these runs, the newest first, if they are the
	// columns.
	Batches []BatchName
	Rows    []MatrixRow
	Total   int // cases on all pages
}

// BatchName names a batch.
type BatchName struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// MatrixRow is one case. It has a cell for each column that has runs of it.
type MatrixRow struct {
	CaseID string       `json:"test_case_id"`
	Name   string       `json:"name"`
	Cells  []MatrixCell `json:"cells"`
}

// MatrixCell counts the runs of one case in one column: by Model or in BatchID.
// WrongTool counts those of FN in which other tools alone were called. ForbiddenCall
// and MissingCall count those in which an expected one was, by what makes them wrong.
type MatrixCell struct {
	Model     string `json:"model,omitempty"`
	BatchID   string `json:"batch_id,omitempty"`
	Runs      int    `json:"runs"`
	Pending   int    `json:"pending"`
	Running   int    `json:"running"`
	Failed    int    `json:"failed"`
	TP        int    `json:"tp"`
	FP        int    `json:"fp"`
	TN        int    `json:"tn"`
	FN        int    `json:"fn"`
	WrongTool int    `json:"wrong_tool"`

	ForbiddenCall int `json:"forbidden_call"`
	MissingCall   int `json:"missing_call"`

	LastRunID string `json:"last_run_id"` // the run that was created last
}

// RunMatrix sets the cases of the runs that a filter selects against the models or
// the batches, sorted by the names of the cases. The filter's page counts cases. A
// run that was retried is left out: its retry stands for it. So are imported runs,
// unless the filter names their batch or asks for them.
func (s *Store) RunMatrix(ctx context.Context, f RunFilter, columns MatrixColumns) (Matrix, error) {
	var m Matrix
	limit, offset, err := f.bounds()
	if err != nil {
		return m, err
	}

	q := f.forFigures().query()
	q.and("id NOT IN (SELECT retry_of FROM test_runs WHERE retry_of IS NOT NULL)")
	selected := " FROM test_runs" + q.where()
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return m, remedied(err)
	}

	defer func() { _ = tx.Rollback() }() // it has only read
	if err := tx.QueryRowContext(ctx, "SELECT count(DISTINCT test_case_id)"+selected,
		q.args...).Scan(&m.Total); err != nil {
		return m, remedied(err)
	}

	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT provider || '/' || model FROM model_settings
		WHERE id IN (SELECT model_settings_id`+selected+") ORDER BY 1", q.args...)
	if err != nil {
		return m, remedied(err)
	}

	if m.Models, err = collect(rows,
		func(row scanner) (name string, err error) { return name, row.Scan(&name) }); err != nil {
		return m, err
	}

	if columns == ByBatch {
		rows, err = tx.QueryContext(ctx, "SELECT id, label FROM batches WHERE id IN (SELECT batch_id"+selected+
			") ORDER BY created_at DESC, rowid DESC", q.args...)
		if err != nil {
			return m, remedied(err)
		}

		m.Batches, err = collect(rows, func(row scanner) (b BatchName, err error) {
			return b, row.Scan(&b.ID, &b.Label)
		})
		if err != nil {
			return m, err
		}
	}

	rows, err = tx.QueryContext(ctx, `SELECT id, name FROM test_cases WHERE id IN (SELECT test_case_id`+selected+`)
		ORDER BY name, id LIMIT ? OFFSET ?`, append(q.args, limit, offset)...)
	if err != nil {
		return m, remedied(err)
	}

	m.Rows, err = collect(rows, func(row scanner) (MatrixRow, error) {
		r := MatrixRow{Cells: []MatrixCell{}}
		err := row.Scan(&r.CaseID, &r.Name)
		return r, err
	})
	if err != nil {
		return m, err
	}

	return m, fillCells(ctx, tx, &m, q, columns)
}

// fillCells counts the runs of the cases of a page.
func fillCells(ctx context.Context, tx *sql.Tx, m *Matrix, q query, columns MatrixColumns) error {
	places := map[string]int{}
	ids := []string{}
	for i, row := range m.Rows {
		places[row.CaseID] = i
		ids = append(ids, row.CaseID)
	}

	text, err := json.Marshal(ids)
	if err != nil {
		return err
	}

	q.and("test_case_id IN (SELECT value FROM json_each(?))", string(text))
	rows, err := tx.QueryContext(ctx,
		"SELECT r.test_case_id, "+columns.key()+`, r.status, coalesce(r.classification, ''),
		coalesce(r.selected_tool_id, r.unknown_tool) IS NOT NULL, `+wrongBecause+`, count(*), max(r.id)
		FROM test_runs r JOIN model_settings m ON m.id = r.model_settings_id
		WHERE r.rowid IN (SELECT rowid FROM test_runs`+q.where()+`) GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2`, q.args...)
	if err != nil {
		return remedied(err)
	}

	defer rows.Close()
	for rows.Next() {
		var id, column, last string
		var status selection.RunStatus
		var class selection.Classification
		var made bool
		var because selection.WrongBecause
		var n int
		if err := rows.Scan(&id, &column, &status, &class, &made, &because, &n, &last); err != nil {
			return remedied(err)
		}

		cell := MatrixCell{Model: column}
		if columns == ByBatch {
			cell = MatrixCell{BatchID: column}
		}

		row := &m.Rows[places[id]]
		if k := len(row.Cells); k == 0 || row.Cells[k-1].Model != cell.Model || row.Cells[k-1].BatchID != cell.BatchID {
			row.Cells = append(row.Cells, cell)
		}

		row.Cells[len(row.Cells)-1].add(status, class, made, because, n, last)
	}

	return remedied(rows.Err())
}

func (c *MatrixCell) add(status selection.RunStatus, class selection.Classification, made bool,
	because selection.WrongBecause, n int, last string) {
	c.Runs += n
	c.LastRunID = max(c.LastRunID, last) // ids sort by time
	switch status {
	case selection.Pending:
		c.Pending += n
	case selection.Running:
		c.Running += n
	case selection.Failed:
		c.Failed += n
	}

	switch class {
	case selection.TP:
		c.TP += n
	case selection.FP:
		c.FP += n
	case selection.TN:
		c.TN += n
	case selection.FN:
		c.FN += n
		switch {
		case because == selection.ForbiddenCall:
			c.ForbiddenCall += n
		case because == selection.MissingCall:
			c.MissingCall += n
		case made:
			c.WrongTool += n
		}
	}
}
