package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

const serverColumns = "id, name, url, transport, login, status, last_connected_at, created_at, updated_at"

type scanner interface{ Scan(...any) error }

func scanServer(row scanner) (selection.Server, error) {
	var s selection.Server
	var connected sql.NullString
	var created, updated, login string
	if err := row.Scan(&s.ID, &s.Name, &s.URL, &s.Transport, &login, &s.Status, &connected, &created, &updated); err != nil {
		return s, err
	}

	if err := decodeColumn("login of server "+s.Name, login, &s.Login); err != nil {
		return s, err
	}

	var err error
	if s.LastConnectedAt, err = parseTimePtr(connected); err != nil {
		return s, err
	}

	if s.CreatedAt, err = parseTime(created); err != nil {
		return s, err
	}

	s.UpdatedAt, err = parseTime(updated)
	return s, err
}

// CreateServer stores a new server, as inactive, and returns it with its id.
func (s *Store) CreateServer(ctx context.Context, server selection.Server) (selection.Server, error) {
	if err := server.Validate(); err != nil {
		return server, fmt.Errorf("%w: %w", ErrInvalid, err)
	}

	login, err := json.Marshal(server.Login)
	if err != nil {
		return server, err
	}

	id := newID()
	err = s.change(ctx, func(c *sql.Conn) error {
		if err := checkAddress(ctx, c, server); err != nil {
			return err
		}

		_, err := c.ExecContext(ctx, "INSERT INTO mcp_servers (id, name, url, transport, login) VALUES (?, ?, ?, ?, ?)",
			id, server.Name, server.URL, server.Transport, string(login))
		return err
	})
	if err != nil {
		return server, fmt.Errorf("add server %q: %w", server.Name, err)
	}

	return s.Server(ctx, id)
}

// checkAddress refuses a second server at an address, however it is written.
func checkAddress(ctx context.Context, c *sql.Conn, server selection.Server) error {
	rows, err := c.QueryContext(ctx, "SELECT name, url FROM mcp_servers WHERE id <> ?", server.ID)
	if err != nil {
		return err
	}

	defer rows.Close()
	for rows.Next() {
		var name, address string
		if err := rows.Scan(&name, &address); err != nil {
			return err
		}

		if name != server.Name && selection.SameAddress(address, server.URL) {
			return fmt.Errorf("%w: server %q has the same address, %s: use that one", ErrConflict, name, address)
		}
	}

	return rows.Err()
}

// Server returns the server with an id or a name.
func (s *Store) Server(ctx context.Context, id string) (selection.Server, error) {
	server, err := scanServer(s.read.QueryRowContext(ctx, "SELECT "+serverColumns+" FROM mcp_servers WHERE id = ? OR name = ? "+
		"ORDER BY id = ? DESC LIMIT 1", id, id, id))
	return server, one(err, "server", id)
}

// ServerNamed returns the server with a name.
func (s *Store) ServerNamed(ctx context.Context, name string) (selection.Server, error) {
	server, err := scanServer(s.read.QueryRowContext(ctx, "SELECT "+serverColumns+" FROM mcp_servers WHERE name = ?",
		name))
	return server, one(err, "server", name)
}

// ServerFilter selects servers. Empty fields select all.
type ServerFilter struct {
	Status selection.ServerStatus
	Search string // in the name or the URL
	Sort   string // name (default), created_at or status; a minus sign before it reverses the order
	Page
}

// Servers returns a page of the servers, and the number of all servers that the
// filter selects.
func (s *Store) Servers(ctx context.Context, f ServerFilter) ([]selection.Server, int, error) {
	var q query
	q.equal("status", string(f.Status))
	if f.Search != "" {
		q.and("(instr(lower(name), lower(?)) > 0 OR instr(lower(url), lower(?)) > 0)", f.Search, f.Search)
	}
	by, err := order(f.Sort, "name", "created_at", "status")
	if err != nil {
		return nil, 0, err
	}
	return list(ctx, s.read, "SELECT "+serverColumns+" FROM mcp_servers", "mcp_servers", q, by, f.Page, scanServer)
}

// UpdateServer changes a server's name, URL, transport and login.
func (s *Store) UpdateServer(ctx context.Context, server selection.Server) (selection.Server, error) {
	if err := server.Validate(); err != nil {
		return server, fmt.Errorf("%w: %w", ErrInvalid, err)
	}

	login, err := json.Marshal(server.Login)
	if err != nil {
		return server, err
	}

	err = s.change(ctx, func(c *sql.Conn) error {
		if err := checkAddress(ctx, c, server); err != nil {
			return err
		}

		result, err := c.ExecContext(ctx, "UPDATE mcp_servers SET name = ?, url = ?, transport = ?, login = ? WHERE id = ?",
			server.Name, server.URL, server.Transport, string(login), server.ID)
		return affected(result, err, "server", server.ID)
	})
	if err != nil {
		return server, fmt.Errorf("change server %q: %w", server.Name, err)
	}

	return s.Server(ctx, server.ID)
}

// SetServerStatus records the result of a connection check, and the time of the
// last success.
func (s *Store) SetServerStatus(ctx context.Context, id string, status selection.ServerStatus, at time.Time) error {
	return s.change(ctx, func(c *sql.Conn) error {
		var connected any
		if status == selection.ServerActive {
			connected = formatTime(at)
		}
		result, err := c.ExecContext(ctx,
			"UPDATE mcp_servers SET status = ?, last_connected_at = coalesce(?, last_connected_at) WHERE id = ?",
			status, connected, id)
		return affected(result, err, "server", id)
	})
}

// DeleteServer removes a server that no case and no run uses.
func (s *Store) DeleteServer(ctx context.Context, id string) error {
	server, err := s.Server(ctx, id)
	if err != nil {
		return fmt.Errorf("delete server %q: %w", id, err)
	}

	id = server.ID
	err = s.change(ctx, func(c *sql.Conn) error {
		var cases, runs int
		err := c.QueryRowContext(ctx, `SELECT
			(SELECT count(*) FROM test_case_mcp_servers JOIN mcp_servers ON name = mcp_server_name WHERE id = ?1),
			(SELECT count(DISTINCT test_run_id) FROM tool_definitions WHERE mcp_server_id = ?1)`, id).Scan(&cases, &runs)
		if err != nil {
			return err
		}

		if cases > 0 || runs > 0 {
			return fmt.Errorf("%w: it is needed by %s and %s: delete these first", ErrConflict,
				english.Plural(cases, "case", ""), english.Plural(runs, "run", ""))
		}

		result, err := c.ExecContext(ctx, "DELETE FROM mcp_servers WHERE id = ?", id)
		return affected(result, err, "server", id)
	})
	if err != nil {
		return fmt.Errorf("delete server %q: %w", id, err)
	}

	return nil
}

// query builds the conditions of a list.
type query struct {
	conditions []string
	args       []any
}

func (q *query) and(condition string, args ...any) {
	q.conditions = append(q.conditions, condition)
	q.args = append(q.args, args...)
}

// equal adds a condition unless the value is empty.
func (q *query) equal(column, value string) {
	if value != "" {
		q.and(column+" = ?", value)
	}
}

// expects selects the cases that expect a call with a server and a tool, whichever
// of their calls it is. An empty name stands for any. column holds the ids of cases.
func (q *query) expects(column, server, tool string) {
	var call query
	call.equal("mcp_server_name", server)
	call.equal("tool_name", tool)
	if len(call.conditions) > 0 {
		q.and(column+" IN (SELECT test_case_id FROM expected_calls"+call.where()+")", call.args...)
	}
}

func (q *query) where() string {
	if len(q.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(q.conditions, " AND ")
}

// order returns the ORDER BY for a sort key. The first key is the default. Rows
// with equal keys are in the order of their creation.
func order(key string, known ...string) (string, error) {
	if key == "" {
		key = known[0]
	}

	column, descending := strings.CutPrefix(key, "-")
	if !slices.Contains(known, column) {
		return "", fmt.Errorf("%w: lists cannot be sorted by %q: use %s, with a minus sign before it for the "+
			"reverse order", ErrInvalid, key, strings.Join(known, ", "))
	}

	if descending {
		return column + " DESC, rowid DESC", nil
	}

	return column + ", rowid", nil
}

// list reads a page and counts everything that q selects, in one snapshot.
func list[T any](ctx context.Context, db *sql.DB, columns, table string, q query, order string, page Page,
	scan func(scanner) (T, error)) ([]T, int, error) {
	limit, offset, err := page.bounds()
	if err != nil {
		return nil, 0, err
	}

	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, remedied(err)
	}

	defer func() { _ = tx.Rollback() }() // it has only read
	total := 0
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table+q.where(), q.args...).Scan(&total); err != nil {
		return nil, 0, remedied(err)
	}

	rows, err := tx.QueryContext(ctx, columns+q.where()+" ORDER BY "+order+" LIMIT ? OFFSET ?",
		append(q.args, limit, offset)...)
	if err != nil {
		return nil, 0, remedied(err)
	}

	items, err := collect(rows, scan)
	return items, total, err
}

// collect reads all rows and closes them. The result is never nil.
func collect[T any](rows *sql.Rows, scan func(scanner) (T, error)) ([]T, error) {
	defer rows.Close()
	items := []T{}
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, remedied(err)
		}
		items = append(items, item)
	}
	return items, remedied(rows.Err())
}
