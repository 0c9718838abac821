package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// CreateCase stores a new case and returns it with its id.
func (s *Store) CreateCase(ctx context.Context, tc selection.Case) (selection.Case, error) {
	created, err := s.CreateCases(ctx, []selection.Case{tc})
	if err != nil {
		return tc, err
	}
	return created[0], nil
}

// CreateCases stores cases, all or none.
func (s *Store) CreateCases(ctx context.Context, cases []selection.Case) ([]selection.Case, error) {
	ids := make([]string, len(cases))
	for i := range cases {
		if err := cases[i].Validate(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}

	err := s.change(ctx, func(c *sql.Conn) error {
		for i := range cases {
			tc := &cases[i]
			ids[i] = newID()
			if err := checkServers(ctx, c, *tc); err != nil {
				return err
			}

			first := firstCall(*tc)
			_, err := c.ExecContext(ctx, `INSERT INTO test_cases
				(id, name, query, expected_mcp_server_name, expected_tool_name, expected_parameters, ordered) VALUES (?, ?, ?, ?, ?, ?, ?)`,
				ids[i], tc.Name, tc.Query, null(first.Server), null(first.Tool), nullJSON(first.Parameters), tc.Ordered)
			if err == nil {
				err = insertParts(ctx, c, ids[i], *tc)
			}

			if err != nil {
				return fmt.Errorf("case %q: %w", tc.Name, remedied(err))
			}
		}

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("add cases: %w", err)
	}

	created := make([]selection.Case, len(cases))
	for i, id := range ids {
		if created[i], err = s.Case(ctx, id); err != nil {
			return nil, err
		}
	}

	return created, nil
}

func firstCall(tc selection.Case) selection.Call {
	if len(tc.Expected) == 0 {
		return selection.Call{}
	}
	return tc.Expected[0]
}

// checkServers names a missing server. The error of the foreign key would not
// name it.
func checkServers(ctx context.Context, c *sql.Conn, tc selection.Case) error {
	for _, name := range tc.Servers {
		var there bool
		if err := c.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM mcp_servers WHERE name = ?)",
			name).Scan(&there); err != nil {
			return err
		}
		if !there {
			return fmt.Errorf("%w: case %q: there is no server %q: add it first", ErrInvalid, tc.Name, name)
		}
	}
	return nil
}

func insertParts(ctx context.Context, c *sql.Conn, id string, tc selection.Case) error {
	for _, name := range tc.Servers {
		if _, err := c.ExecContext(ctx, "INSERT INTO test_case_mcp_servers VALUES (?, ?)", id, name); err != nil {
			return err
		}
	}

	for i, call := range tc.Expected {
		if err := insertCall(ctx, c, id, i+1, call); err != nil {
			return err
		}
	}

	for i, t := range tc.Forbidden {
		if _, err := c.ExecContext(ctx, insertOtherCall, id, 0, i+1, t.Server, t.Tool, nil, nil); err != nil {
			return err
		}
	}

	for _, tag := range tc.Tags {
		if _, err := c.ExecContext(ctx, "INSERT INTO test_case_tags VALUES (?, ?)", id, tag); err != nil {
			return err
		}
	}

	return nil
}

const insertOtherCall = "INSERT INTO test_case_other_calls VALUES (?, ?, ?, ?, ?, ?, ?)"

// insertCall stores an expected call, of which the first is a part of the case's row.
func insertCall(ctx context.Context, c *sql.Conn, id string, position int, call selection.Call) error {
	if position > 1 {
		if _, err := c.ExecContext(ctx, "INSERT INTO test_case_calls VALUES (?, ?, ?, ?, ?)",
			id, position, call.Server, call.Tool, nullJSON(call.Parameters)); err != nil {
			return err
		}
	}

	rules, err := rulesOf(call)
	if err != nil {
		return err
	}

	if rules != nil {
		if _, err := c.ExecContext(ctx, "INSERT INTO test_case_rules VALUES (?, ?, ?)", id, position,
			string(rules)); err != nil {
			return err
		}
	}

	for i, other := range call.Alternatives {
		if rules, err = rulesOf(other); err != nil {
			return err
		}

		if _, err := c.ExecContext(ctx, insertOtherCall, id, position, i+1, other.Server, other.Tool,
			nullJSON(other.Parameters), nullJSON(rules)); err != nil {
			return err
		}
	}

	return nil
}

// rulesOf is what a call says beyond its tool and its right values, or nil.
func rulesOf(call selection.Call) (json.RawMessage, error) {
	if len(call.Match) == 0 && call.OtherParameters == "" && !call.Optional {
		return nil, nil
	}
	return json.Marshal(callRules{call.Match, call.OtherParameters, call.Optional})
}

type callRules struct {
	Match           map[string]selection.Matcher `json:"match,omitempty"`
	OtherParameters string                       `json:"other_parameters,omitempty"`
	Optional        bool                         `json:"optional,omitempty"`
}

// caseColumns collect the parts of a case as JSON, so that a list needs one
// statement. Calls are in order, with the position and the place of each: the
// expected ones with the place 0, their alternatives from 1, and the forbidden
// ones at the position 0.
const caseColumns = `SELECT id, name, query, ordered, created_at, updated_at,
	(SELECT json_group_array(mcp_server_name ORDER BY mcp_server_name) FROM test_case_mcp_servers WHERE test_case_id = id),
	(SELECT json_group_array(json_object('position', k.position, 'place', k.place, 'server', k.server, 'tool', k.tool,
			'parameters', json(k.parameters), 'rules', json(k.rules)) ORDER BY k.position, k.place) FROM (
		SELECT 1 AS position, 0 AS place, expected_mcp_server_name AS server, expected_tool_name AS tool, expected_parameters AS parameters,
			(SELECT rules FROM test_case_rules WHERE test_case_id = id AND position = 1) AS rules WHERE expected_tool_name IS NOT NULL
		UNION ALL SELECT c.position, 0, c.mcp_server_name, c.tool_name, c.parameters,
			(SELECT rules FROM test_case_rules WHERE test_case_id = id AND position = c.position) FROM test_case_calls c WHERE c.test_case_id = id
		UNION ALL SELECT position, place, mcp_server_name, tool_name, parameters, rules FROM test_case_other_calls WHERE test_case_id = id) k),
	(SELECT json_group_array(tag ORDER BY tag) FROM test_case_tags WHERE test_case_id = id)
	FROM test_cases`

func scanCase(row scanner) (selection.Case, error) {
	var tc selection.Case
	var created, updated, servers, calls, tags string
	err := row.Scan(&tc.ID, &tc.Name, &tc.Query, &tc.Ordered, &created, &updated, &servers, &calls, &tags)
	if err != nil {
		return tc, err
	}

	var stored []storedCall
	for into, text := range map[any]string{&tc.Servers: servers, &stored: calls, &tc.Tags: tags} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			return tc, fmt.Errorf("case %s in the database: %w", tc.ID, err)
		}
	}

	tc.Expected = []selection.Call{}
	for _, call := range stored {
		switch last := len(tc.Expected) - 1; {
		case call.Position == 0:
			tc.Forbidden = append(tc.Forbidden, selection.ToolName{Server: call.Server, Tool: call.Tool})
		case call.Place == 0:
			tc.Expected = append(tc.Expected, call.selection())
		default:
			tc.Expected[last].Alternatives = append(tc.Expected[last].Alternatives, call.selection())
		}
	}

	if tc.CreatedAt, err = parseTime(created); err != nil {
		return tc, err
	}

	tc.UpdatedAt, err = parseTime(updated)
	return tc, err
}

// storedCall is a call of a case as the database has it.
type storedCall struct {
	Position, Place int
	Server, Tool    string
	Parameters      json.RawMessage
	Rules           callRules
}

func (c storedCall) selection() selection.Call {
	call := selection.Call{Server: c.Server, Tool: c.Tool, Match: c.Rules.Match,
		OtherParameters: c.Rules.OtherParameters, Optional: c.Rules.Optional}
	if string(c.Parameters) != "null" {
		call.Parameters = c.Parameters
	}
	return call
}

func rawJSON(text sql.NullString) json.RawMessage {
	if !text.Valid {
		return nil
	}
	return json.RawMessage(text.String)
}

// Case returns the case with an id, or with a name that no other case has.
func (s *Store) Case(ctx context.Context, id string) (selection.Case, error) {
	id, err := caseID(ctx, s.read, id)
	if err != nil {
		return selection.Case{}, err
	}

	tc, err := scanCase(s.read.QueryRowContext(ctx, caseColumns+" WHERE id = ?", id))
	return tc, one(err, "case", id)
}

// queryer is a database or a connection.
type queryer interface {
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// caseID is the id of the case with an id, or with a name that no other case has. Ids
// have an index, and are looked up first.
func caseID(ctx context.Context, q queryer, text string) (string, error) {
	for _, column := range []string{"id", "name"} {
		rows, err := q.QueryContext(ctx, "SELECT id FROM test_cases WHERE "+column+" = ? LIMIT 2", text)
		if err != nil {
			return "", remedied(err)
		}

		found, err := collect(rows, func(row scanner) (id string, err error) { return id, row.Scan(&id) })
		switch {
		case err != nil:
			return "", err
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return "", fmt.Errorf("%w: several cases have the name %q: give the id of one", ErrConflict, text)
		}
	}

	return "", notFound("case", text)
}

// CaseFilter selects cases. Empty fields select all.
type CaseFilter struct {
	Name   string // the whole name
	Server string // of any expected call
	Tool   string // of any expected call; with Server, of the same one
	Tag    string
	Search string // in the name or the query
	Sort   string // created_at (default) or name; a minus sign before it reverses the order
	Page
}

// Cases returns a page of the cases, and the number of all cases that the
// filter selects.
func (s *Store) Cases(ctx context.Context, f CaseFilter) ([]selection.Case, int, error) {
	var q query
	q.equal("name", f.Name)
	q.expects("id", f.Server, f.Tool)
	if f.Tag != "" {
		q.and("id IN (SELECT test_case_id FROM test_case_tags WHERE tag = ?)", f.Tag)
	}

	if f.Search != "" {
		q.and("(instr(lower(name), lower(?)) > 0 OR instr(lower(query), lower(?)) > 0)", f.Search, f.Search)
	}

	by, err := order(f.Sort, "created_at", "name")
	if err != nil {
		return nil, 0, err
	}

	return list(ctx, s.read, caseColumns, "test_cases", q, by, f.Page, scanCase)
}

// UpdateCase replaces the content of a case. Its runs are not changed.
func (s *Store) UpdateCase(ctx context.Context, tc selection.Case) (selection.Case, error) {
	if err := tc.Validate(); err != nil {
		return tc, fmt.Errorf("%w: %w", ErrInvalid, err)
	}

	err := s.change(ctx, func(c *sql.Conn) error {
		if err := checkServers(ctx, c, tc); err != nil {
			return err
		}

		// Delete the parts first, because a case without a first call may have
		// no further calls. Foreign keys are checked at the end.
		for _, table := range []string{"test_case_calls", "test_case_rules", "test_case_other_calls", "test_case_tags",
			"test_case_mcp_servers"} {
			if _, err := c.ExecContext(ctx, "DELETE FROM "+table+" WHERE test_case_id = ?", tc.ID); err != nil {
				return err
			}
		}

		first := firstCall(tc)
		result, err := c.ExecContext(ctx, `UPDATE test_cases SET name = ?, query = ?, expected_mcp_server_name = ?,
			expected_tool_name = ?, expected_parameters = ?, ordered = ? WHERE id = ?`,
			tc.Name, tc.Query, null(first.Server), null(first.Tool), nullJSON(first.Parameters), tc.Ordered, tc.ID)
		if err := affected(result, err, "case", tc.ID); err != nil {
			return err
		}

		return insertParts(ctx, c, tc.ID, tc)
	})
	if err != nil {
		return tc, fmt.Errorf("change case %q: %w", tc.Name, err)
	}

	return s.Case(ctx, tc.ID)
}

// DeleteCase removes a case with all its runs. None of them may be running.
func (s *Store) DeleteCase(ctx context.Context, id string) error {
	err := s.change(ctx, func(c *sql.Conn) error {
		known, err := caseID(ctx, c, id)
		if err != nil {
			return err
		}

		result, err := c.ExecContext(ctx, "DELETE FROM test_cases WHERE id = ?", known)
		return affected(result, err, "case", id)
	})
	if err != nil {
		return fmt.Errorf("delete case %q: %w", id, err)
	}
	return nil
}
