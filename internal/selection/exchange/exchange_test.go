package exchange

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

func sample(t *testing.T) Set {
	t.Helper()
	limit := 59.9
	return Of([]selection.Server{{Name: "a", URL: "https://a/mcp", Transport: selection.StreamableHTTP}}, []selection.Case{
		{Name: "one, two", Query: "say \"hi\"\nnow", Servers: []string{"a", "b"}, Ordered: true, Tags: []string{"t", "u"}, Expected: []selection.Call{
			{Server: "a", Tool: "x", Parameters: json.RawMessage(`{"big":9007199254740993,"day":"2026-11-22","n":1.5,"no":null,"o":{"list":[1,true]},"yes":"yes"}`)},
			{Server: "b", Tool: "y"}, {Server: "a", Tool: "z", Parameters: json.RawMessage(`{"q":"1"}`)},
		}},
		{Name: "none", Query: "q", Servers: []string{"a"}},
		{Name: "rules", Query: "a\n  - b: c\n", Servers: []string{"a"}, Expected: []selection.Call{
			{Server: "a", Tool: "x", Match: map[string]selection.Matcher{
				"a": {Any: true}, "b": {Absent: true}, "c": {OneOf: []json.RawMessage{[]byte(`1`), []byte(`"1"`)}}, "d": {Contains: "<b>"},
				"e": {Regex: `^\d+: #`}, "f": {Number: &limit, Tolerance: 0.5}, "g": {Date: "2026-11-22"}, "h": {Set: []byte(`[]`)},
				"i": {Rule: "is polite"}, "j": {Equal: []byte(`null`)},
			}, OtherParameters: "forbidden", Alternatives: []selection.Call{{Server: "a", Tool: "y"}}},
			{Server: "a", Tool: "z", Optional: true},
		}, Forbidden: []selection.ToolName{{Server: "a", Tool: "drop"}}},
	})
}

func text(t *testing.T, set Set) string {
	t.Helper()
	_, cases, err := set.Selection()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	for _, format := range Formats {
		var b bytes.Buffer
		if err := sample(t).Write(&b, format); err != nil {
			t.Fatal(err)
		}
		got, err := Read(b.Bytes(), format)
		if err != nil {
			t.Fatalf("%s: %v\n%s", format, err, b.String())
		}
		if text(t, got) != text(t, sample(t)) {
			t.Errorf("%s: got %s", format, text(t, got))
		}
		if format != "csv" && !reflect.DeepEqual(got.Servers, sample(t).Servers) {
			t.Errorf("%s: %+v", format, got.Servers)
		}
	}
	bad := Set{Cases: []Case{{Name: "n", Query: "q", Servers: []string{"a;b"}}}}
	if err := bad.Write(&bytes.Buffer{}, "csv"); err == nil || !strings.Contains(err.Error(), "JSON or YAML") {
		t.Errorf("got %v", err)
	}
}

func TestRead(t *testing.T) {
	for _, tc := range []struct{ format, file, want string }{
		{"yaml", "- name: n\n  query: q\n  servers: [a]\n  expected:\n    - {server: a, tool: x, parameters: {day: 2026-11-22}}\n", `{"day":"2026-11-22"}`},
		{"json", `[{"name":"n","query":"q","servers":["a"]}]`, `"expected":null`},
		{"csv", "\xef\xbb\xbfquery,name,servers\nq,n,a; b\n", `"servers":["a","b"]`},
	} {
		set, err := Read([]byte(tc.file), tc.format)
		if err != nil || !strings.Contains(text(t, set), tc.want) {
			t.Errorf("%s: %+v, %v", tc.file, set, err)
		}
	}
	for _, tc := range []struct{ format, file, want string }{
		{"json", ``, "empty"}, {"json", `{"cases":1}`, "not a set"}, {"json", `[{"name":"n","qury":"q"}]`, `case 1: unknown field "qury": did you mean "query"?`}, {"yaml", `servers: [{name: a, url: "http://h", oauth: {tokn_url: x}}]`, `unknown field "tokn_url": did you mean "token_url"?`}, {"json", `[1]`, "case 1"}, {"json", `[{"name":"n","x":1}]`, "expected, ordered, forbidden, tags"}, {"json", `{"items":[{"name":"t","description":"Does t","inputSchema":{}}]}`, "it lists tools"},
		{"json", `[{"name":"n","query":"q","available_mcp_servers":["${HERE}"]}]`, "the template ${HERE}: give its value with --set HERE=VALUE"}, {"json", `[`, "not JSON"},
		{"yaml", "a: [", "not YAML"}, {"yaml", "? [1]\n: 2", "not YAML"}, {"xml", "", "unknown"},
		{"csv", "name,quary\n", `column "quary" is unknown`}, {"csv", "name\n\"x", "not CSV"}, {"csv", "", "not name the columns"},
		{"csv", "name,ordered\n\nx,maybe\n", "line 3: ordered"}, {"csv", "name,expected_parameters\nx,{}\n", "line 2: expected_parameters requires a tool"},
		{"csv", "name,expected_tool,expected_parameters\nx,y,[]\n", "not a JSON object"},
	} {
		if _, err := Read([]byte(tc.file), tc.format); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %q: got %v", tc.format, tc.file, err)
		}
	}
	if _, _, err := (Set{Servers: []Server{{Name: "a", URL: "https://a"}, {Name: "a", URL: "https://b"}}}).Selection(); err == nil {
		t.Error("a server twice")
	}
}

// The formats of mcp-tef's test cases in its versions.
const tefCases = `[
 {"name":"one call","query":"fetch it","available_mcp_servers":["http://localhost:3000/mcp"],
  "expected_mcp_server_url":"http://localhost:3000/mcp","expected_tool_name":"fetch","expected_parameters":{"url":"https://x"}},
 {"name":"by name","query":"q","available_mcp_servers":["files"],"expected_mcp_server_name":"files","expected_tool_name":"read","expected_parameters":null},
 {"name":"two calls","query":"q","available_mcp_servers":[{"url":"http://localhost:3000/mcp","transport":"streamable-http"},{"url":"http://other/sse","transport":"sse"}],
  "expected_tool_calls":[{"mcp_server_url":"http://localhost:3000/mcp","tool_name":"fetch","parameters":null},{"mcp_server_url":"http://other/sse","tool_name":"analyze","parameters":{"n":1}}],
  "order_dependent_matching":true,"id":"x","created_at":"2026-01-01T00:00:00"},
 {"name":"no tool","query":"hello","available_mcp_servers":["http://localhost:3000/mcp"],"expected_tool_calls":null}
]`

func TestReadTEFCases(t *testing.T) {
	set, err := Read([]byte(tefCases), "json")
	if err != nil {
		t.Fatal(err)
	}
	if want := []Server{{Name: "localhost:3000", URL: "http://localhost:3000/mcp", Transport: ""}, {Name: "other/sse", URL: "http://other/sse", Transport: "sse"}}; len(set.Servers) != 2 || set.Servers[0].Name != want[0].Name || !reflect.DeepEqual(set.Servers[1], want[1]) {
		t.Errorf("%+v", set.Servers)
	}
	_, cases, err := set.Selection()
	if err != nil {
		t.Fatal(err)
	}
	if c := cases[0]; c.Expected[0].Server != "localhost:3000" || string(c.Expected[0].Parameters) != `{"url":"https://x"}` {
		t.Errorf("%+v", c)
	}
	if c := cases[1]; c.Expected[0].Server != "files" || c.Expected[0].Parameters != nil {
		t.Errorf("%+v", c)
	}
	if c := cases[2]; len(c.Expected) != 2 || !c.Ordered || len(c.Servers) != 2 || c.Expected[1].Server != "other/sse" {
		t.Errorf("%+v", c)
	}
	if len(cases[3].Expected) != 0 {
		t.Errorf("%+v", cases[3])
	}
	single, err := Read([]byte(`{"name":"n","query":"q","available_mcp_servers":["files"],"expected_tool_name":"x","expected_mcp_server_name":"files"}`), "json")
	if err != nil || len(single.Cases) != 1 {
		t.Errorf("%+v, %v", single, err)
	}
}

func tefDatabaseFile(t *testing.T, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tef.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	return path
}

// The tables of mcp-tef's first version, of its present one, and of one with a
// table of servers.
var tefSchemas = map[string]string{
	"first": `CREATE TABLE test_cases (id TEXT PRIMARY KEY, name TEXT, query TEXT, expected_mcp_server_url TEXT, expected_tool_name TEXT, expected_parameters TEXT, created_at TIMESTAMP, updated_at TIMESTAMP);
		CREATE TABLE test_case_mcp_servers (test_case_id TEXT, mcp_server_url TEXT, PRIMARY KEY (test_case_id, mcp_server_url));
		INSERT INTO test_cases VALUES ('1', 'n', 'q', 'http://h/mcp', 'x', '{"a":1}', '2026-01-01 00:00:00', '2026-01-01 00:00:00'), ('2', 'none', 'q', NULL, NULL, NULL, NULL, NULL);
		INSERT INTO test_case_mcp_servers VALUES ('1', 'http://h/mcp'), ('1', 'http://i/mcp'), ('2', 'http://h/mcp');`,
	"present": `CREATE TABLE test_cases (id TEXT PRIMARY KEY, name TEXT, query TEXT, order_dependent_matching BOOLEAN NOT NULL DEFAULT 0, created_at TIMESTAMP, updated_at TIMESTAMP);
		CREATE TABLE test_case_mcp_servers (test_case_id TEXT, server_url TEXT, transport TEXT DEFAULT 'streamable-http', PRIMARY KEY (test_case_id, server_url));
		CREATE TABLE expected_tool_calls (id TEXT PRIMARY KEY, test_case_id TEXT, mcp_server_url TEXT, tool_name TEXT, parameters TEXT, sequence_order INTEGER, created_at TIMESTAMP);
		INSERT INTO test_cases VALUES ('1', 'n', 'q', 1, NULL, NULL), ('2', 'none', 'q', 0, NULL, NULL);
		INSERT INTO test_case_mcp_servers VALUES ('1', 'http://h/mcp', 'streamable-http'), ('1', 'http://i/mcp', 'sse'), ('2', 'http://h/mcp', 'streamable-http');
		INSERT INTO expected_tool_calls VALUES ('b', '1', 'http://i/mcp', 'y', NULL, 1, NULL), ('a', '1', 'http://h/mcp', 'x', '{"a":1}', 0, NULL);`,
	"servers": `CREATE TABLE mcp_servers (id TEXT PRIMARY KEY, name TEXT, url TEXT, transport TEXT, status TEXT);
		CREATE TABLE test_cases (id TEXT PRIMARY KEY, name TEXT, query TEXT, expected_mcp_server_name TEXT, expected_tool_name TEXT, expected_parameters JSON);
		CREATE TABLE test_case_mcp_servers (test_case_id TEXT, mcp_server_id TEXT);
		INSERT INTO mcp_servers VALUES ('s', 'h', 'http://h/mcp', 'streamable_http', 'active'), ('u', 'i', 'http://i/mcp', 'sse', 'failed');
		INSERT INTO test_cases VALUES ('1', 'n', 'q', 'h', 'x', '{"a":1}'), ('2', 'none', 'q', NULL, NULL, NULL);
		INSERT INTO test_case_mcp_servers VALUES ('1', 's'), ('1', 'u'), ('2', 's');`,
}

func TestReadTEF(t *testing.T) {
	for version, statements := range tefSchemas {
		path := tefDatabaseFile(t, statements)
		before, _ := os.ReadFile(path)
		set, err := ReadTEF(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", version, err)
			continue
		}
		servers, cases, err := set.Selection()
		if err != nil || len(servers) != 2 || servers[0].Name != "h" || len(cases) != 2 {
			t.Errorf("%s: %+v %+v, %v", version, servers, cases, err)
			continue
		}
		c := cases[0]
		if len(c.Servers) != 2 || c.Expected[0].Tool != "x" || c.Expected[0].Server != "h" || string(c.Expected[0].Parameters) != `{"a":1}` || len(cases[1].Expected) != 0 {
			t.Errorf("%s: %+v", version, cases)
		}
		if version == "present" && (len(c.Expected) != 2 || !c.Ordered || servers[1].Transport != selection.SSE) {
			t.Errorf("%+v, %+v", c, servers)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s: the file was changed", version)
		}
	}
	for statements, want := range map[string]string{
		"CREATE TABLE x (y)": "not a database of mcp-tef",
	} {
		if _, err := ReadTEF(t.Context(), tefDatabaseFile(t, statements)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v", err)
		}
	}
	// One bad cell names its row, and the rest is read.
	set, err := ReadTEF(t.Context(), tefDatabaseFile(t, tefSchemas["first"]+"UPDATE test_cases SET expected_parameters = '[1]' WHERE id = '1'"))
	if err != nil || len(set.Cases) == 0 || len(set.Skipped) != 1 || !strings.Contains(set.Skipped[0].Reason, "not a JSON object") {
		t.Errorf("%+v, %v", set, err)
	}
	if _, err := ReadTEF(t.Context(), filepath.Join(t.TempDir(), "none.db")); err == nil {
		t.Error("a missing file was accepted")
	}
}

func FuzzRead(f *testing.F) {
	for _, format := range Formats {
		var b bytes.Buffer
		_ = Set{Cases: []Case{{Name: "n", Query: "q", Servers: []string{"a"}, Expected: []selection.Call{{Server: "a", Tool: "x", Parameters: []byte(`{"n":1}`)}}}}}.Write(&b, format)
		f.Add(b.String(), format)
	}
	f.Add(tefCases, "json")
	f.Add("a: &a [1]\nb: [*a, *a]", "yaml")
	f.Fuzz(func(t *testing.T, file, format string) {
		set, err := Read([]byte(file), format)
		if err != nil {
			return
		}
		servers, cases, err := set.Selection()
		if err != nil {
			return
		}
		out := Of(servers, cases)
		var b bytes.Buffer
		if err := out.Write(&b, "json"); err != nil {
			t.Fatal(err)
		}
		again, err := Read(b.Bytes(), "json")
		if err != nil || len(again.Cases) != len(cases) {
			t.Errorf("%s cannot be read: %v", b.String(), err)
		}
	})
}
