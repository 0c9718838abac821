-- +goose Up

-- Runs that another program executed (origin), under their id there, and how that
-- program judged them. Figures leave them out unless they are asked for.
CREATE TABLE imported_runs (
    test_run_id TEXT NOT NULL PRIMARY KEY REFERENCES test_runs (id) ON DELETE CASCADE,
    origin      TEXT NOT NULL CHECK (length(origin) BETWEEN 1 AND 100),
    origin_id   TEXT NOT NULL CHECK (length(origin_id) BETWEEN 1 AND 200),
    verdict     TEXT NOT NULL CHECK (json_type(verdict) = 'object'),
    UNIQUE (origin, origin_id)
) STRICT, WITHOUT ROWID;

-- The ids that cases had in the program from which they were imported. Its runs
-- name their cases by them.
CREATE TABLE imported_cases (
    origin       TEXT NOT NULL CHECK (length(origin) BETWEEN 1 AND 100),
    origin_id    TEXT NOT NULL CHECK (length(origin_id) BETWEEN 1 AND 200),
    test_case_id TEXT NOT NULL REFERENCES test_cases (id) ON DELETE CASCADE,
    PRIMARY KEY (origin, origin_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_cases_test_case_id ON imported_cases (test_case_id);

-- +goose StatementBegin
CREATE TRIGGER imported_runs_immutable BEFORE UPDATE ON imported_runs
BEGIN
    SELECT RAISE(ABORT, 'where a run comes from never changes');
END;
-- +goose StatementEnd
