-- +goose Up

-- Storing a result looks for the runs that refer to it by this column. Without an
-- index each result would read all runs.
CREATE INDEX test_runs_completed_id ON test_runs (completed_id);
