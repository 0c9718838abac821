-- +goose Up
-- Times are UTC text with milliseconds (RFC 3339), which sorts as it reads.
-- Ids are UUIDs. JSON columns hold text that json_valid accepts.

CREATE TABLE mcp_servers (
    id                TEXT NOT NULL PRIMARY KEY CHECK (length(id) > 0),
    name              TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 100),
    url               TEXT NOT NULL UNIQUE,
    transport         TEXT NOT NULL CHECK (transport IN ('sse', 'streamable-http', 'stdio')),
    status            TEXT NOT NULL DEFAULT 'inactive' CHECK (status IN ('active', 'failed', 'inactive')),
    last_connected_at TEXT,
    created_at        TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at        TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- GLOB, unlike LIKE, tells cases apart.
    CHECK (CASE transport WHEN 'stdio' THEN url GLOB 'stdio:?*'
           ELSE url GLOB 'http://?*' OR url GLOB 'https://?*' END)
) STRICT;
CREATE INDEX mcp_servers_name ON mcp_servers (name);
CREATE INDEX mcp_servers_url ON mcp_servers (url);

-- A case expects one call, named here, or no tool: both names are null. The
-- further calls of a multi-call case are in test_case_calls.
CREATE TABLE test_cases (
    id                       TEXT NOT NULL PRIMARY KEY CHECK (length(id) > 0),
    name                     TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    query                    TEXT NOT NULL CHECK (length(query) > 0),
    expected_mcp_server_name TEXT,
    expected_tool_name       TEXT CHECK (length(expected_tool_name) > 0),
    expected_parameters      TEXT CHECK (expected_parameters IS NULL OR json_type(expected_parameters) = 'object'),
    ordered                  INTEGER NOT NULL DEFAULT 0 CHECK (ordered IN (0, 1)),
    created_at               TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at               TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    CHECK ((expected_mcp_server_name IS NULL) = (expected_tool_name IS NULL)),
    CHECK (expected_parameters IS NULL OR expected_tool_name IS NOT NULL),
    -- The server of the expected tool is one of those on offer.
    FOREIGN KEY (id, expected_mcp_server_name) REFERENCES test_case_mcp_servers (test_case_id, mcp_server_name)
        ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX test_cases_expected_mcp_server_name ON test_cases (expected_mcp_server_name);
CREATE INDEX test_cases_expected_tool_name ON test_cases (expected_tool_name);
CREATE INDEX test_cases_created_at ON test_cases (created_at);

-- The servers whose tools a case offers. Renaming a server renames it here; a
-- server that a case needs cannot be deleted.
CREATE TABLE test_case_mcp_servers (
    test_case_id    TEXT NOT NULL REFERENCES test_cases (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    mcp_server_name TEXT NOT NULL REFERENCES mcp_servers (name) ON UPDATE CASCADE ON DELETE RESTRICT,
    PRIMARY KEY (test_case_id, mcp_server_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX test_case_mcp_servers_mcp_server_name ON test_case_mcp_servers (mcp_server_name);

-- The second and further expected calls of a multi-call case.
CREATE TABLE test_case_calls (
    test_case_id    TEXT NOT NULL REFERENCES test_cases (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL CHECK (position >= 2),
    mcp_server_name TEXT NOT NULL,
    tool_name       TEXT NOT NULL CHECK (length(tool_name) > 0),
    parameters      TEXT CHECK (parameters IS NULL OR json_type(parameters) = 'object'),
    PRIMARY KEY (test_case_id, position),
    FOREIGN KEY (test_case_id, mcp_server_name) REFERENCES test_case_mcp_servers (test_case_id, mcp_server_name)
        ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX test_case_calls_server ON test_case_calls (test_case_id, mcp_server_name);

CREATE TABLE test_case_tags (
    test_case_id TEXT NOT NULL REFERENCES test_cases (id) ON DELETE CASCADE,
    tag          TEXT NOT NULL CHECK (length(tag) BETWEEN 1 AND 100),
    PRIMARY KEY (test_case_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX test_case_tags_tag ON test_case_tags (tag);

-- The settings of one run. They never hold a credential, and never change.
CREATE TABLE model_settings (
    id            TEXT NOT NULL PRIMARY KEY CHECK (length(id) > 0),
    provider      TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 100),
    model         TEXT NOT NULL CHECK (length(model) BETWEEN 1 AND 100),
    timeout       INTEGER NOT NULL DEFAULT 30 CHECK (timeout BETWEEN 1 AND 300),
    temperature   REAL NOT NULL DEFAULT 0.4 CHECK (temperature BETWEEN 0.0 AND 2.0),
    max_retries   INTEGER NOT NULL DEFAULT 3 CHECK (max_retries BETWEEN 0 AND 10),
    confidence    TEXT NOT NULL DEFAULT 'asked' CHECK (confidence IN ('asked', 'logprobs', 'none')),
    base_url      TEXT,
    system_prompt TEXT,
    created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;
CREATE INDEX model_settings_model ON model_settings (provider, model);

-- Runs that were asked for together: repeats, models, cases, and retries later.
CREATE TABLE batches (
    id         TEXT NOT NULL PRIMARY KEY CHECK (length(id) > 0),
    label      TEXT NOT NULL DEFAULT '' CHECK (length(label) <= 200),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT;

CREATE TABLE test_runs (
    id                   TEXT NOT NULL PRIMARY KEY CHECK (length(id) > 0),
    test_case_id         TEXT NOT NULL REFERENCES test_cases (id) ON DELETE CASCADE,
    model_settings_id    TEXT NOT NULL REFERENCES model_settings (id) ON DELETE RESTRICT,
    batch_id             TEXT NOT NULL REFERENCES batches (id) ON DELETE RESTRICT,
    repeat               INTEGER NOT NULL DEFAULT 1 CHECK (repeat >= 1),
    retry_of             TEXT REFERENCES test_runs (id) ON DELETE SET NULL,
    status               TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'completed', 'failed')),
    llm_response_raw     TEXT CHECK (llm_response_raw IS NULL OR json_valid(llm_response_raw)),
    selected_tool_id     TEXT,
    unknown_tool         TEXT CHECK (length(unknown_tool) > 0),
    extracted_parameters TEXT CHECK (extracted_parameters IS NULL OR json_type(extracted_parameters) = 'object'),
    confidence_score     REAL CHECK (confidence_score BETWEEN 0.0 AND 1.0),
    confidence_source    TEXT CHECK (confidence_source IN ('asked', 'logprobs', 'score')),
    classification       TEXT CHECK (classification IN ('TP', 'FP', 'TN', 'FN')),
    execution_time_ms    INTEGER CHECK (execution_time_ms >= 1),
    input_tokens         INTEGER CHECK (input_tokens >= 0),
    output_tokens        INTEGER CHECK (output_tokens >= 0),
    cost_usd             REAL CHECK (cost_usd >= 0.0),
    attempts             INTEGER CHECK (attempts >= 0),
    error_message        TEXT CHECK (length(error_message) > 0),
    created_at           TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    completed_at         TEXT,
    -- The id of a completed run, which must have a result.
    completed_id         TEXT GENERATED ALWAYS AS (CASE status WHEN 'completed' THEN id END) STORED,
    UNIQUE (id, classification),
    CHECK ((status = 'completed') = (classification IS NOT NULL)),
    CHECK ((status = 'failed') = (error_message IS NOT NULL)),
    CHECK ((status IN ('completed', 'failed')) = (completed_at IS NOT NULL)),
    CHECK (status <> 'completed' OR execution_time_ms IS NOT NULL),
    CHECK (selected_tool_id IS NULL OR unknown_tool IS NULL),
    CHECK (extracted_parameters IS NULL OR coalesce(selected_tool_id, unknown_tool) IS NOT NULL),
    CHECK ((confidence_score IS NULL) = (confidence_source IS NULL)),
    CHECK (CASE classification
           WHEN 'TP' THEN selected_tool_id IS NOT NULL
           WHEN 'FP' THEN coalesce(selected_tool_id, unknown_tool) IS NOT NULL
           WHEN 'TN' THEN coalesce(selected_tool_id, unknown_tool) IS NULL
           ELSE 1 END),
    -- A run selects a tool of its own snapshot.
    FOREIGN KEY (id, selected_tool_id) REFERENCES tool_definitions (test_run_id, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (completed_id) REFERENCES evaluation_results (test_run_id) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX test_runs_test_case_id ON test_runs (test_case_id, created_at);
CREATE INDEX test_runs_status ON test_runs (status, created_at);
CREATE INDEX test_runs_created_at ON test_runs (created_at);
CREATE UNIQUE INDEX test_runs_model_settings_id ON test_runs (model_settings_id);
CREATE INDEX test_runs_batch_id ON test_runs (batch_id);
CREATE INDEX test_runs_retry_of ON test_runs (retry_of);
CREATE INDEX test_runs_classification ON test_runs (classification, created_at);

-- What a run offered to the model: a snapshot that belongs to the run.
CREATE TABLE tool_definitions (
    id            TEXT NOT NULL PRIMARY KEY CHECK (length(id) > 0),
    name          TEXT NOT NULL CHECK (length(name) > 0),
    description   TEXT NOT NULL DEFAULT '',
    input_schema  TEXT NOT NULL CHECK (json_valid(input_schema)),
    output_schema TEXT CHECK (output_schema IS NULL OR json_valid(output_schema)),
    mcp_server_id TEXT NOT NULL REFERENCES mcp_servers (id) ON DELETE RESTRICT,
    test_run_id   TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL CHECK (position >= 1),
    created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    UNIQUE (test_run_id, id),
    UNIQUE (test_run_id, mcp_server_id, name),
    UNIQUE (test_run_id, position)
) STRICT;
CREATE INDEX tool_definitions_name ON tool_definitions (name);
CREATE INDEX tool_definitions_mcp_server_id ON tool_definitions (mcp_server_id);
CREATE INDEX tool_definitions_test_run_id ON tool_definitions (test_run_id);

-- The calls of a run that expected or made more than one: each call that was
-- made or that is missing, with its own classification.
CREATE TABLE test_run_calls (
    test_run_id       TEXT NOT NULL REFERENCES test_runs (id) ON DELETE CASCADE,
    position          INTEGER NOT NULL CHECK (position >= 1),
    expected_position INTEGER CHECK (expected_position >= 1),
    selected_tool_id  TEXT,
    unknown_tool      TEXT CHECK (length(unknown_tool) > 0),
    parameters        TEXT CHECK (parameters IS NULL OR json_type(parameters) = 'object'),
    classification    TEXT NOT NULL CHECK (classification IN ('TP', 'FP', 'FN')),
    PRIMARY KEY (test_run_id, position),
    UNIQUE (test_run_id, expected_position),
    CHECK (selected_tool_id IS NULL OR unknown_tool IS NULL),
    CHECK (CASE classification
           WHEN 'TP' THEN selected_tool_id IS NOT NULL AND expected_position IS NOT NULL
           WHEN 'FP' THEN coalesce(selected_tool_id, unknown_tool) IS NOT NULL AND expected_position IS NULL
           ELSE coalesce(selected_tool_id, unknown_tool) IS NULL AND expected_position IS NOT NULL END),
    FOREIGN KEY (test_run_id, selected_tool_id) REFERENCES tool_definitions (test_run_id, id)
        DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX test_run_calls_selected ON test_run_calls (test_run_id, selected_tool_id);

-- One result a run. Parameter scores are 0 for a wrong tool and null where no
-- tool was expected and none selected; means are taken over right tools only. The
-- conformance is null, too, where the tool's own input schema is invalid.
CREATE TABLE evaluation_results (
    id                         TEXT NOT NULL PRIMARY KEY CHECK (length(id) > 0),
    test_run_id                TEXT NOT NULL UNIQUE REFERENCES test_runs (id) ON DELETE CASCADE,
    classification             TEXT NOT NULL CHECK (classification IN ('TP', 'FP', 'TN', 'FN')),
    tool_selection_correct     INTEGER NOT NULL CHECK (tool_selection_correct IN (0, 1)),
    parameter_completeness     REAL CHECK (parameter_completeness BETWEEN 0.0 AND 1.0),
    parameter_correctness      REAL CHECK (parameter_correctness BETWEEN 0.0 AND 1.0),
    parameter_type_conformance REAL CHECK (parameter_type_conformance BETWEEN 0.0 AND 1.0),
    hallucinated_parameters    TEXT NOT NULL DEFAULT '[]' CHECK (json_type(hallucinated_parameters) = 'array'),
    confidence_category        TEXT CHECK (confidence_category IN ('robust', 'needs_clarity', 'misleading')),
    reasoning                  TEXT NOT NULL DEFAULT '',
    recommendations            TEXT NOT NULL DEFAULT '[]' CHECK (json_type(recommendations) = 'array'),
    created_at                 TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    CHECK (tool_selection_correct = (classification IN ('TP', 'TN'))),
    CHECK (CASE classification
           WHEN 'TP' THEN parameter_completeness IS NOT NULL AND parameter_correctness IS NOT NULL
           WHEN 'TN' THEN coalesce(parameter_completeness, parameter_correctness, parameter_type_conformance) IS NULL
           ELSE parameter_completeness IS 0.0 AND parameter_correctness IS 0.0
                AND parameter_type_conformance IS 0.0 END),
    CHECK (CASE confidence_category
           WHEN 'misleading' THEN tool_selection_correct = 0
           WHEN 'robust' THEN tool_selection_correct = 1
           WHEN 'needs_clarity' THEN tool_selection_correct = 1
           ELSE 1 END),
    FOREIGN KEY (test_run_id, classification) REFERENCES test_runs (id, classification) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX evaluation_results_confidence_category ON evaluation_results (confidence_category);

-- +goose StatementBegin
CREATE TRIGGER mcp_servers_updated_at AFTER UPDATE OF name, url, transport, status, last_connected_at ON mcp_servers
BEGIN
    UPDATE mcp_servers SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = NEW.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER mcp_servers_status BEFORE UPDATE OF status ON mcp_servers
WHEN NEW.status = 'inactive' AND OLD.status <> 'inactive'
BEGIN
    SELECT RAISE(ABORT, 'a server that was contacted is active or failed, and never inactive again');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_cases_updated_at AFTER UPDATE OF name, query, expected_mcp_server_name,
    expected_tool_name, expected_parameters, ordered ON test_cases
BEGIN
    UPDATE test_cases SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = NEW.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_case_calls_first BEFORE INSERT ON test_case_calls
WHEN (SELECT expected_tool_name FROM test_cases WHERE id = NEW.test_case_id) IS NULL
BEGIN
    SELECT RAISE(ABORT, 'a case with further calls needs a first one');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_cases_keep_first BEFORE UPDATE OF expected_tool_name ON test_cases
WHEN NEW.expected_tool_name IS NULL AND EXISTS (SELECT 1 FROM test_case_calls WHERE test_case_id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'a case with further calls needs a first one');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER model_settings_immutable BEFORE UPDATE ON model_settings
BEGIN
    SELECT RAISE(ABORT, 'the model settings of a run never change');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_runs_begin_pending BEFORE INSERT ON test_runs
WHEN NEW.status <> 'pending'
BEGIN
    SELECT RAISE(ABORT, 'a run begins as pending');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_runs_transition BEFORE UPDATE OF status ON test_runs
WHEN NOT (OLD.status = 'pending' AND NEW.status IN ('running', 'failed')
       OR OLD.status = 'running' AND NEW.status IN ('completed', 'failed'))
BEGIN
    SELECT RAISE(ABORT, 'a run goes from pending to running to completed or failed, and never back');
END;
-- +goose StatementEnd

-- retry_of is left out: it becomes null when the earlier run is deleted.
-- +goose StatementBegin
CREATE TRIGGER test_runs_terminal BEFORE UPDATE OF id, test_case_id, model_settings_id, batch_id, repeat, status,
    llm_response_raw, selected_tool_id, unknown_tool, extracted_parameters, confidence_score, confidence_source,
    classification, execution_time_ms, input_tokens, output_tokens, cost_usd, attempts, error_message, created_at,
    completed_at ON test_runs
WHEN OLD.status IN ('completed', 'failed')
BEGIN
    SELECT RAISE(ABORT, 'a run that has ended never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_runs_identity BEFORE UPDATE OF id, test_case_id, model_settings_id, batch_id, repeat, created_at ON test_runs
WHEN NEW.id <> OLD.id OR NEW.test_case_id <> OLD.test_case_id OR NEW.model_settings_id <> OLD.model_settings_id
  OR NEW.batch_id <> OLD.batch_id OR NEW.repeat <> OLD.repeat OR NEW.created_at <> OLD.created_at
BEGIN
    SELECT RAISE(ABORT, 'a run keeps its case, settings, batch and repeat');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_runs_not_while_running BEFORE DELETE ON test_runs
WHEN OLD.status = 'running'
BEGIN
    SELECT RAISE(ABORT, 'a running run cannot be deleted: cancel it first');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_runs_deleted AFTER DELETE ON test_runs
BEGIN
    DELETE FROM model_settings WHERE id = OLD.model_settings_id;
    DELETE FROM batches WHERE id = OLD.batch_id AND NOT EXISTS (SELECT 1 FROM test_runs WHERE batch_id = OLD.batch_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER tool_definitions_while_running BEFORE INSERT ON tool_definitions
WHEN (SELECT status FROM test_runs WHERE id = NEW.test_run_id) IS NOT 'running'
BEGIN
    SELECT RAISE(ABORT, 'tools are ingested while their run is running');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER tool_definitions_immutable BEFORE UPDATE ON tool_definitions
BEGIN
    SELECT RAISE(ABORT, 'a snapshot of tools never changes');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER tool_definitions_kept BEFORE DELETE ON tool_definitions
WHEN EXISTS (SELECT 1 FROM test_runs WHERE id = OLD.test_run_id)
BEGIN
    SELECT RAISE(ABORT, 'a snapshot of tools is deleted with its run only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_run_calls_while_running BEFORE INSERT ON test_run_calls
WHEN (SELECT status FROM test_runs WHERE id = NEW.test_run_id) IS NOT 'running'
BEGIN
    SELECT RAISE(ABORT, 'calls are recorded while their run is running');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER test_run_calls_immutable BEFORE UPDATE ON test_run_calls
BEGIN
    SELECT RAISE(ABORT, 'the calls of a run never change');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER evaluation_results_immutable BEFORE UPDATE ON evaluation_results
BEGIN
    SELECT RAISE(ABORT, 'the result of a run never changes');
END;
-- +goose StatementEnd

-- 0x5453454c is "TSEL": it tells this file from any other SQLite database.
PRAGMA application_id = 1414743372;
