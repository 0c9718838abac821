-- +goose Up

-- What a model sent as parameters if it was not a JSON object. The columns of the
-- parameters are null then.
ALTER TABLE test_runs ADD COLUMN malformed_parameters TEXT CHECK (malformed_parameters IS NULL
    OR length(malformed_parameters) > 0 AND extracted_parameters IS NULL);
ALTER TABLE test_run_calls ADD COLUMN malformed_parameters TEXT CHECK (malformed_parameters IS NULL
    OR length(malformed_parameters) > 0 AND parameters IS NULL);

-- +goose StatementBegin
CREATE TRIGGER test_runs_malformed_terminal BEFORE UPDATE OF malformed_parameters ON test_runs
WHEN OLD.status IN ('completed', 'failed')
BEGIN
    SELECT RAISE(ABORT, 'a run that has ended never changes');
END;
-- +goose StatementEnd
