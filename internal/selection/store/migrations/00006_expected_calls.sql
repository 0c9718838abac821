-- +goose Up

-- Every call that a case expects: the first one, which test_cases names, and the
-- further ones. Whatever asks for the server or the tool that a case expects reads
-- this, and not the columns of one of the two tables.
CREATE VIEW expected_calls AS
    SELECT id AS test_case_id, 1 AS position, expected_mcp_server_name AS mcp_server_name, expected_tool_name AS tool_name
    FROM test_cases WHERE expected_tool_name IS NOT NULL
    UNION ALL
    SELECT test_case_id, position, mcp_server_name, tool_name FROM test_case_calls;

CREATE INDEX test_case_calls_mcp_server_name ON test_case_calls (mcp_server_name);
CREATE INDEX test_case_calls_tool_name ON test_case_calls (tool_name);
