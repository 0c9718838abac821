-- +goose Up

-- How a server is logged in to: headers, env and oauth, with references to secrets
-- and never a secret.
ALTER TABLE mcp_servers ADD COLUMN login TEXT NOT NULL DEFAULT '{}' CHECK (json_type(login) = 'object');

DROP TRIGGER mcp_servers_updated_at;
-- +goose StatementBegin
CREATE TRIGGER mcp_servers_updated_at AFTER UPDATE OF name, url, transport, login, status, last_connected_at ON mcp_servers
BEGIN
    UPDATE mcp_servers SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = NEW.id;
END;
-- +goose StatementEnd
