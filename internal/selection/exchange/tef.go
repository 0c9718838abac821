package exchange

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// tefCase is a test case of any version of mcp-tef.
type tefCase struct {
	ID      tefID           `json:"id"`
	Name    string          `json:"name"`
	Query   string          `json:"query"`
	Servers json.RawMessage `json:"available_mcp_servers"`

	ServerURL  string          `json:"expected_mcp_server_url"`
	ServerName string          `json:"expected_mcp_server_name"`
	Tool       string          `json:"expected_tool_name"`
	Parameters json.RawMessage `json:"expected_parameters"`

	Calls   []tefCall `json:"expected_tool_calls"`
	Ordered bool      `json:"order_dependent_matching"`
}

// template matches a place for a value, such as ${MCP_SERVER_URL}, in a field of its
// own or at the beginning of an address.
var template = lazyregexp.New(`"\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

type tefCall struct {
	ServerURL  string          `json:"mcp_server_url"`
	ServerName string          `json:"mcp_server_name"`
	Tool       string          `json:"tool_name"`
	Parameters json.RawMessage `json:"parameters"`
}

// isTEF reports whether a file is in mcp-tef's format and not in Touchstone's.
func isTEF(raw json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return false
	}
	for _, name := range []string{"available_mcp_servers", "expected_tool_calls", "expected_tool_name",
		"expected_mcp_server_url", "expected_mcp_server_name"} {
		if _, ok := fields[name]; ok {
			return true
		}
	}
	return false
}

// addTEF adds a test case. It ignores additional fields of exports, such as times.
func (s *Set) addTEF(raw json.RawMessage) error {
	var f tefCase
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&f); err != nil {
		return err
	}

	if at := template().FindStringSubmatch(string(raw)); at != nil {
		return fmt.Errorf("it has the template ${%s}: give its value with --set %s=VALUE", at[1], at[1])
	}

	c := Case{Name: f.Name, Query: f.Query, Ordered: f.Ordered, OtherID: string(f.ID)}
	var entries []json.RawMessage
	if len(f.Servers) > 0 && json.Unmarshal(f.Servers, &entries) != nil {
		return errors.New("available_mcp_servers is not a list")
	}

	for _, entry := range entries {
		var server struct{ Name, URL, Transport string }
		if json.Unmarshal(entry, &server.URL) != nil && json.Unmarshal(entry, &server) != nil {
			return errors.New("available_mcp_servers contains an entry that is neither a URL nor a server")
		}

		c.Servers = append(c.Servers, s.server(server.Name, server.URL, server.Transport))
	}

	if f.Tool != "" || f.ServerURL != "" || f.ServerName != "" {
		f.Calls = append([]tefCall{{f.ServerURL, f.ServerName, f.Tool, f.Parameters}}, f.Calls...)
	}

	for _, call := range f.Calls {
		want := selection.Call{Server: s.server(call.ServerName, call.ServerURL, ""), Tool: call.Tool,
			Parameters: call.Parameters}
		if err := want.Check(); err != nil {
			return fmt.Errorf("the call of %q: %w", call.Tool, err)
		}

		c.Expected = append(c.Expected, want)
	}

	s.Cases = append(s.Cases, c)
	return nil
}

// server returns the name of a server with this URL or name, and adds it to the
// set if it is new. A server without a name is named after its URL. mcp-tef's
// URL field may contain a name.
func (s *Set) server(name, address, transport string) string {
	if address != "" && !isAddress(address) {
		name, address = address, ""
	}

	if address == "" {
		return name
	}

	for _, known := range s.Servers {
		if known.URL == address {
			return known.Name
		}
	}

	if name == "" {
		name = nameOf(address)
	}

	base := name
	for n := 2; slices.ContainsFunc(s.Servers, func(x Server) bool { return x.Name == name }); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}

	s.Servers = append(s.Servers, Server{Name: name, URL: address, Transport: transport})
	return name
}

func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	name := u.Host + strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/mcp")
	if runes := []rune(name); len(runes) > 90 {
		name = string(runes[:90])
	}
	return name
}

// ReadTEF reads the servers, test cases and runs of a database of any version of
// mcp-tef. It opens the file read-only.
func ReadTEF(ctx context.Context, path string) (Set, error) {
	if _, err := os.Stat(path); err != nil {
		return Set{}, fmt.Errorf("open the database: %w", err)
	}

	absolute, err := filepath.Abs(path)
	if err != nil {
		return Set{}, err
	}

	address := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute),
		RawQuery: "mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(5000)&_pragma=trusted_schema(0)"}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return Set{}, err
	}

	defer db.Close()
	t := tefDatabase{ctx: ctx, db: db}
	set, err := t.read()
	if err != nil {
		return Set{}, fmt.Errorf("database %s: %w", path, err)
	}

	return set, nil
}

type tefDatabase struct {
	ctx context.Context
	db  *sql.DB
}

func (t tefDatabase) columns(table string) (map[string]bool, error) {
	rows, err := t.rows("SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, r := range rows {
		found[r["name"]] = true
	}
	return found, nil
}

// rows returns the rows of a statement as strings. NULL values are absent.
func (t tefDatabase) rows(statement string, args ...any) ([]map[string]string, error) {
	rows, err := t.db.QueryContext(t.ctx, statement, args...)
	if err != nil {
		return nil, err
	}

	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}

	var all []map[string]string
	for rows.Next() {
		values, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}

		if err := rows.Scan(into...); err != nil {
			return nil, err
		}

		row := map[string]string{}
		for i, name := range names {
			if values[i].Valid {
				row[name] = values[i].String
			}
		}

		all = append(all, row)
	}

	return all, rows.Err()
}

func (t tefDatabase) read() (Set, error) {
	set := Set{Cases: []Case{}}
	cases, err := t.columns("test_cases")
	if err != nil {
		return set, err
	}

	links, err := t.columns("test_case_mcp_servers")
	if err != nil {
		return set, err
	}

	if !cases["query"] || len(links) == 0 {
		return set, errors.New("it is not a database of mcp-tef: it has no test cases")
	}

	byID, err := t.servers(&set)
	if err != nil {
		return set, err
	}

	rows, err := t.rows("SELECT * FROM test_cases ORDER BY rowid")
	if err != nil {
		return set, err
	}

	calls, err := t.columns("expected_tool_calls")
	if err != nil {
		return set, err
	}

	for _, row := range rows {
		c := Case{Name: row["name"], Query: row["query"], Ordered: row["order_dependent_matching"] == "1",
			OtherID: row["id"]}
		linked, err := t.rows("SELECT * FROM test_case_mcp_servers WHERE test_case_id = ? ORDER BY rowid", row["id"])
		if err != nil {
			return set, err
		}

		for _, l := range linked {
			name := byID[l["mcp_server_id"]]
			if name == "" {
				name = set.server("", l["server_url"]+l["mcp_server_url"], l["transport"])
			}

			c.Servers = append(c.Servers, name)
		}

		expected := []map[string]string{{
			"mcp_server_url": row["expected_mcp_server_url"] + row["expected_mcp_server_name"],
			"tool_name":      row["expected_tool_name"], "parameters": row["expected_parameters"],
		}}
		if len(calls) > 0 {
			if expected, err = t.rows("SELECT * FROM expected_tool_calls WHERE test_case_id = ? ORDER BY "+
				"sequence_order, rowid", row["id"]); err != nil {
				return set, err
			}
		}

		var bad error
		for _, e := range expected {
			if e["tool_name"] == "" {
				continue
			}

			call := selection.Call{Server: set.server("", e["mcp_server_url"], ""), Tool: e["tool_name"],
				Parameters: json.RawMessage(e["parameters"])}
			if err := call.Check(); err != nil {
				bad = fmt.Errorf("the call of %q: %w", e["tool_name"], err)
				break
			}

			c.Expected = append(c.Expected, call)
		}

		if bad != nil {
			set.skip(fmt.Sprintf("test case %q", row["name"]), bad)
			continue
		}

		set.Cases = append(set.Cases, c)
	}

	if err := t.runs(&set, byID); err != nil {
		return set, err
	}

	return set, set.nothingRead()
}

// servers reads the table of servers, which only some versions have.
func (t tefDatabase) servers(set *Set) (byID map[string]string, err error) {
	columns, err := t.columns("mcp_servers")
	if err != nil || len(columns) == 0 {
		return nil, err
	}

	rows, err := t.rows("SELECT * FROM mcp_servers ORDER BY rowid")
	if err != nil {
		return nil, err
	}

	byID = map[string]string{}
	for _, r := range rows {
		transport := strings.ReplaceAll(r["transport"], "_", "-")
		byID[r["id"]] = set.server(r["name"], r["url"], transport)
	}

	return byID, nil
}
