-- +goose Up

-- What a case says of an expected call beyond its right values: the rules for
-- further arguments (match), whether others may be given (other_parameters), and
-- whether the call is optional. The first call has the position 1.
CREATE TABLE test_case_rules (
    test_case_id TEXT NOT NULL REFERENCES test_cases (id) ON DELETE CASCADE,
    position     INTEGER NOT NULL CHECK (position >= 1),
    rules        TEXT NOT NULL CHECK (json_type(rules) = 'object'),
    PRIMARY KEY (test_case_id, position)
) STRICT, WITHOUT ROWID;

-- Calls that are as right as the expected one at a position, and, at the position
-- 0, calls that make a run wrong.
CREATE TABLE test_case_other_calls (
    test_case_id    TEXT NOT NULL REFERENCES test_cases (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL CHECK (position >= 0),
    place           INTEGER NOT NULL CHECK (place >= 1),
    mcp_server_name TEXT NOT NULL,
    tool_name       TEXT NOT NULL CHECK (length(tool_name) > 0),
    parameters      TEXT CHECK (parameters IS NULL OR json_type(parameters) = 'object'),
    rules           TEXT CHECK (rules IS NULL OR json_type(rules) = 'object'),
    PRIMARY KEY (test_case_id, position, place),
    FOREIGN KEY (test_case_id, mcp_server_name) REFERENCES test_case_mcp_servers (test_case_id, mcp_server_name)
        ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX test_case_other_calls_mcp_server_name ON test_case_other_calls (mcp_server_name);
CREATE INDEX test_case_other_calls_tool_name ON test_case_other_calls (tool_name);
CREATE INDEX test_case_other_calls_server ON test_case_other_calls (test_case_id, mcp_server_name);

DROP VIEW expected_calls;
CREATE VIEW expected_calls AS
    SELECT id AS test_case_id, 1 AS position, expected_mcp_server_name AS mcp_server_name, expected_tool_name AS tool_name
    FROM test_cases WHERE expected_tool_name IS NOT NULL
    UNION ALL
    SELECT test_case_id, position, mcp_server_name, tool_name FROM test_case_calls
    UNION ALL
    SELECT test_case_id, position, mcp_server_name, tool_name FROM test_case_other_calls WHERE position > 0;

-- System prompts by their digest: all runs of a batch share one. Runs of earlier
-- versions have theirs in model_settings.system_prompt.
CREATE TABLE system_prompts (
    sha256 TEXT NOT NULL PRIMARY KEY CHECK (length(sha256) = 64),
    prompt TEXT NOT NULL CHECK (length(prompt) > 0)
) STRICT, WITHOUT ROWID;

DROP TRIGGER model_settings_immutable;
ALTER TABLE model_settings ADD COLUMN system_prompt_sha256 TEXT REFERENCES system_prompts (sha256);
ALTER TABLE model_settings ADD COLUMN tool_choice TEXT CHECK (tool_choice IN ('required', 'none'));
ALTER TABLE model_settings ADD COLUMN parallel_tool_calls INTEGER CHECK (parallel_tool_calls IN (0, 1));
ALTER TABLE model_settings ADD COLUMN confidence_from TEXT NOT NULL DEFAULT 'auto'
    CHECK (confidence_from IN ('auto', 'asked', 'logprobs', 'none'));
UPDATE model_settings SET confidence_from = confidence;
ALTER TABLE model_settings DROP COLUMN confidence;
ALTER TABLE model_settings RENAME COLUMN confidence_from TO confidence;
CREATE INDEX model_settings_system_prompt_sha256 ON model_settings (system_prompt_sha256);

-- +goose StatementBegin
CREATE TRIGGER model_settings_immutable BEFORE UPDATE ON model_settings
BEGIN
    SELECT RAISE(ABORT, 'the model settings of a run never change');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER model_settings_deleted AFTER DELETE ON model_settings
BEGIN
    DELETE FROM system_prompts WHERE sha256 = OLD.system_prompt_sha256
        AND NOT EXISTS (SELECT 1 FROM model_settings WHERE system_prompt_sha256 = OLD.system_prompt_sha256);
END;
-- +goose StatementEnd

-- What the model said beside its calls: text, refusal, reasoning, finish_reason,
-- call_as_text.
ALTER TABLE test_runs ADD COLUMN said TEXT CHECK (said IS NULL OR json_type(said) = 'object');

-- +goose StatementBegin
CREATE TRIGGER test_runs_said_terminal BEFORE UPDATE OF said ON test_runs
WHEN OLD.status IN ('completed', 'failed')
BEGIN
    SELECT RAISE(ABORT, 'a run that has ended never changes');
END;
-- +goose StatementEnd

ALTER TABLE tool_definitions ADD COLUMN annotations TEXT CHECK (annotations IS NULL OR json_valid(annotations));

-- Why a call makes the run wrong, and which alternative of the expected call was
-- made: 0 is the call itself.
ALTER TABLE test_run_calls ADD COLUMN forbidden TEXT CHECK (forbidden IS NULL
    OR forbidden IN ('case', 'destructive') AND classification = 'FP');
ALTER TABLE test_run_calls ADD COLUMN alternative INTEGER NOT NULL DEFAULT 0 CHECK (alternative >= 0);

ALTER TABLE evaluation_results ADD COLUMN unexpected_parameters TEXT NOT NULL DEFAULT '[]'
    CHECK (json_type(unexpected_parameters) = 'array');
ALTER TABLE evaluation_results ADD COLUMN judged TEXT NOT NULL DEFAULT '[]' CHECK (json_type(judged) = 'array');
