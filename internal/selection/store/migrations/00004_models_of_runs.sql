-- +goose Up

-- The model of a run as provider/model. Lists of one model's runs are found by it,
-- in place of the settings of all runs. It follows from the settings, which never
-- change.
ALTER TABLE test_runs ADD COLUMN model_name TEXT;
UPDATE test_runs SET model_name = (SELECT provider || '/' || model FROM model_settings WHERE id = model_settings_id);
CREATE INDEX test_runs_model_name ON test_runs (model_name, created_at);

-- +goose StatementBegin
CREATE TRIGGER test_runs_set_model_name AFTER INSERT ON test_runs
BEGIN
    UPDATE test_runs SET model_name = (SELECT provider || '/' || model FROM model_settings WHERE id = NEW.model_settings_id)
    WHERE rowid = NEW.rowid;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_runs_model_name_stays BEFORE UPDATE OF model_name ON test_runs
WHEN OLD.model_name IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'the model of a run never changes');
END;
-- +goose StatementEnd
