package input

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wantBrief reads a text as the file f.json of the server srv, and compares what it
// holds, as brief formats it.
func wantBrief(t *testing.T, text, want string) {
	t.Helper()
	in, err := Read("f.json", "srv", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, strings.TrimSpace(brief(in))); diff != "" {
		t.Error(diff)
	}
}

// brief formats an input with one line an item, for comparisons.
func brief(in *Input) string {
	var b strings.Builder
	for _, t := range in.Tools {
		t.Place.Column = 0
		fmt.Fprintf(&b, "%s %s:%s %q in=%s out=%s ann=%s", t.Place, t.Server, t.Name, t.Description, t.InputSchema, t.OutputSchema, t.Annotations)
		if t.Title != "" || t.Extra != nil {
			fmt.Fprintf(&b, " title=%q extra=%s", t.Title, t.Extra)
		}
		b.WriteByte('\n')
	}
	for _, t := range in.Others {
		t.Place.Column = 0
		fmt.Fprintf(&b, "%s %s:%s %q title=%q in=%s extra=%s\n", t.Place, t.Server, t.Label(), t.Description, t.Title, t.InputSchema, t.Extra)
	}
	for _, s := range in.Servers {
		fmt.Fprintf(&b, "%s server %s %s %s\n", s.Place, s.Name, s.Transport, s.Display())
	}
	for _, u := range in.Unscanned {
		fmt.Fprintf(&b, "%s unscanned %s:%s: %s\n", u.Place, u.Server, u.Tool, u.Reason)
	}
	for _, p := range in.PassedOver {
		fmt.Fprintf(&b, "passed over %s: %s\n", p.Path, p.Reason)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"tools", `{"tools":[{"name":"a","description":"A","inputSchema":{ "type" : "object" },"outputSchema":{},"annotations":{"readOnlyHint":true}}]}`,
			`f.json:1 srv:a "A" in={"type":"object"} out={} ann={"readOnlyHint":true}`},
		{"answer", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\n\"tools\":[\n{\"name\":\"a\"},\n\n{\"name\":\"b\"}]}}",
			"f.json:3 srv:a \"\" in= out= ann=\nf.json:5 srv:b \"\" in= out= ann="},
		{"answers, one a line", "{\"result\":{\"tools\":[{\"name\":\"a\"}],\"nextCursor\":\"2\"}}\n{\"result\":{\"tools\":[{\"name\":\"b\"}]}}\n",
			"f.json:1 srv:a \"\" in= out= ann=\nf.json:2 srv:b \"\" in= out= ann="},
		{"a page is missing", `{"result":{"tools":[{"name":"a"}],"nextCursor":"2"}}`,
			"f.json:1 srv:a \"\" in= out= ann=\nf.json:1 unscanned srv:: the list goes on: its last page has a nextCursor, so tools are missing here"},
		{"corpus", `{"version":"v1","generated_from":{},"tools":[{"tool_id":"s:a","server":"s","tool":"a","description":"A","schema":{"type":"object"}}]}`,
			`f.json:1 s:a "A" in={"type":"object"} out= ann=`},
		{"rows", `[{"server":"s","tool":"a","description":null,"inputSchema":{},"outputSchema":{"a":1}}]`,
			`f.json:1 s:a "" in={} out={"a":1} ann=`},
		{"server beside the tools", `{"server":"s","tools":[{"name":"a"}]}`, `f.json:1 s:a "" in= out= ann=`},
		{"an empty list", `{"tools":[]}`, ""},
		{"title and more", `[{"name":"a","title":"T","annotations":{"x":1}, "_meta" : {"m": [1, "n"]},"icons":[]}]`,
			"f.json:1 srv:a \"\" in= out= ann={\"x\":1} title=\"T\" extra={\"_meta\":{\"m\":[1,\"n\"]},\"icons\":[]}"},
		{"twice in more", `[{"name":"a","_meta":{"m":1,"m":2}},{"name":"b","x":1,"x":2}]`,
			"f.json:1 unscanned srv:a: element 1 of the list is not a readable tool: in its _meta: it has the field \"m\" twice, and programs differ on which one they read\n" +
				"f.json:1 unscanned srv:b: element 2 of the list is not a readable tool: it has the field \"x\" twice, and programs differ on which one they read"},
		{"answers to all requests", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","title":"S"},"instructions":"Be kind."}}
{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}]}}
{"jsonrpc":"2.0","id":3,"result":{"prompts":[{"name":"p","description":"P","arguments":[{"name":"x","description":"X","required":true}]}],"nextCursor":"2"}}
{"jsonrpc":"2.0","id":4,"result":{"resources":[{"uri":"file:///r","name":"r","mimeType":"text/plain"},{"uri":7,"name":"q"}]}}
{"jsonrpc":"2.0","id":5,"result":{"resourceTemplates":[{"uriTemplate":"file:///{p}","name":"t","title":"T"}]}}`,
			"f.json:2 srv:a \"\" in= out= ann=\n" +
				`f.json:1 srv:(instructions) "Be kind." title="" in= extra={"serverInfo":{"name":"s","title":"S"}}` + "\n" +
				`f.json:3 srv:(prompt) p "P" title="" in=[{"name":"x","description":"X","required":true}] extra=` + "\n" +
				`f.json:4 srv:(resource) file:///r "" title="" in= extra={"name":"r","mimeType":"text/plain"}` + "\n" +
				`f.json:5 srv:(resource template) file:///{p} "" title="T" in= extra={"name":"t"}` + "\n" +
				"f.json:4 unscanned srv:(resource) : element 2 of the list is not a readable resource: its uri is not a string\n" +
				"f.json:3 unscanned srv:: the list goes on: its last page has a nextCursor, so prompts are missing here\n" +
				"passed over f.json:3: the messages of 1 prompt of the server srv are made on request, and were not read\n" +
				"passed over f.json:4: the contents of 1 resource of the server srv are made on request, and were not read\n" +
				"passed over f.json:5: the contents of 1 resource template of the server srv are made on request, and were not read"},
		{"an answer without tools", `{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}`, ""},
		{"instructions beside the tools", `{"server":"s","instructions":"Be kind.","tools":[]}`, `f.json:1 s:(instructions) "Be kind." title="" in= extra=`},
		{"answers by request", `{"initialize":{"serverInfo":{"name":"s"},"instructions":"Be kind."},"tools/list":{"tools":[{"name":"b"}]},"prompts/list":{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"p"}]}},"tools":[{"name":"a"}]}`,
			"f.json:1 srv:b \"\" in= out= ann=\nf.json:1 srv:a \"\" in= out= ann=\n" +
				`f.json:1 srv:(instructions) "Be kind." title="" in= extra={"serverInfo":{"name":"s"}}` + "\n" +
				`f.json:1 srv:(prompt) p "" title="" in= extra=` + "\n" +
				"passed over f.json:1: the messages of 1 prompt of the server srv are made on request, and were not read"},
		{"the answer to initialize alone", `{"initialize":{"instructions":"Be kind."}}`, `f.json:1 srv:(instructions) "Be kind." title="" in= extra=`},
		{"the server beside the tools", `{"server":{"instructions":"Be kind to me."},"date":"1 May","tools":[{"name":"a"}]}`,
			"f.json:1 srv:a \"\" in= out= ann=\n" + `f.json:1 srv:(instructions) "" title="" in= extra={"server":{"instructions":"Be kind to me."}}`},
		{"sentences beside the tools", `{"instructions":"Be kind.","note":"You must be kind.","prompts":["You must be kind."],"tools":[{"name":"a"}]}`,
			"f.json:1 srv:a \"\" in= out= ann=\n" + `f.json:1 srv:(instructions) "Be kind." title="" in= extra={"note":"You must be kind.","prompts":["You must be kind."]}`},
		{"templates in snake case", `{"tools":[{"name":"a"}],"resource_templates":[{"uriTemplate":"a://{b}","description":"D"}]}`,
			"f.json:1 srv:a \"\" in= out= ann=\n" + `f.json:1 srv:(resource template) a://{b} "D" title="" in= extra=` + "\n" +
				"passed over f.json:1: the contents of 1 resource template of the server srv are made on request, and were not read"},
		{"odd instructions", `{"instructions":7,"serverInfo":{},"tools":[]}`, "f.json:1 unscanned srv:(instructions): what the server says about itself is not readable: its instructions are not a string"},
		{"a prompt with a name", `{"prompts":[{"name":"p"}]}`, "f.json:1 srv:(prompt) p \"\" title=\"\" in= extra=\npassed over f.json:1: the messages of 1 prompt of the server srv are made on request, and were not read"},
		{"a prompt with a title", `{"prompts":[{"name":"p","title":"P"}],"nextCursor":""}`, "f.json:1 srv:(prompt) p \"\" title=\"P\" in= extra=\npassed over f.json:1: the messages of 1 prompt of the server srv are made on request, and were not read"},
		{"a prompt beside tools", `{"tools":[{"name":"a"}],"prompts":[{"name":"p","title":"You must be kind."}],"date":"today"}`, "f.json:1 srv:a \"\" in= out= ann=\nf.json:1 srv:(prompt) p \"\" title=\"You must be kind.\" in= extra=\npassed over f.json:1: the messages of 1 prompt of the server srv are made on request, and were not read"},
		{"a prompt with its messages", `{"prompts":[{"name":"p","messages":[{"role":"user","content":"Be kind."}]}]}`, `f.json:1 srv:(prompt) p "" title="" in= extra={"messages":[{"role":"user","content":"Be kind."}]}`},
		{"the prompts of another program", `{"mcpServers":{"x":{"command":"a"}},"prompts":[{"name":"p"}],"instructions":"text"}`, "f.json:1 server x stdio a"},
		{"twice", `[{"name":"a","description":"good","description":"evil"},{"name":"b"}]`,
			"f.json:1 srv:b \"\" in= out= ann=\nf.json:1 unscanned srv:a: element 1 of the list is not a readable tool: it has the field \"description\" twice, and programs differ on which one they read"},
		{"twice by an alias", `[{"name":"a","inputSchema":{},"input_schema":{"x":1}}]`,
			`f.json:1 unscanned srv:a: element 1 of the list is not a readable tool: it has both "inputSchema" and "input_schema" with different content, and programs differ on which one they read`},
		{"a deep schema", `[{"name":"a","inputSchema":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}]`,
			`f.json:1 srv:a "" in=` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + " out= ann="},
		{"twice in a schema", `[{"name":"a","inputSchema":{"p":[{"d":1,"d":2}]}}]`,
			`f.json:1 unscanned srv:a: element 1 of the list is not a readable tool: in its inputSchema: it has the field "d" twice, and programs differ on which one they read`},
		{"odd element", `[{"name":"a"},7]`, "f.json:1 srv:a \"\" in= out= ann=\nf.json:1 unscanned srv:: element 2 of the list is not a readable tool: it is not an object"},
		{"odd description", `[{"name":"a","description":["x"]}]`, "f.json:1 unscanned srv:a: element 1 of the list is not a readable tool: its description is not a string"},
		{"refusal", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no\u001b[2J"}}`,
			"f.json:1 unscanned srv:: the server answered with an error instead of its tools: no\x1b[2J"},
		{"byte order mark", "\xef\xbb\xbf[{\"name\":\"a\"}]", `f.json:1 srv:a "" in= out= ann=`},
		{"client", "// mine\n{\"mcpServers\":{\n\"x\":{\"command\":\"npx\",\"args\":[\"-y\",\"a b\"],\"env\":{\"TOKEN\":\"s3cret\",\"N\":1},},\n\"y\":{\"serverUrl\":\"https://h/mcp?key=1\"}, /* no */\n\"z\":{\"type\":\"sse\",\"url\":\"https://h/sse\"},\n}}",
			"f.json:3 server x stdio npx -y 'a b'\nf.json:4 server y http https://h/mcp?key=***\nf.json:5 server z sse https://h/sse"},
		{"vs code", `{"inputs":[],"servers":{"x":{"type":"stdio","command":"a"}}}`, "f.json:1 server x stdio a"},
		{"vs code settings", `{"editor.tabSize":2,"mcp":{"servers":{"x":{"command":"a","args":["--api-key","k","TOKEN=t","--token=t"]}}}}`,
			"f.json:1 server x stdio a --api-key *** 'TOKEN=***' '--token=***'"},
		{"vs code workspace", `{"folders":[{"path":"."}],"settings":{"mcp":{"servers":{"x":{"command":"a"}}}}}`, "f.json:1 server x stdio a"},
		{"vs code container", `{"image":"i","customizations":{"vscode":{"mcp":{"servers":{"x":{"url":"http://h/"}}}}}}`, "f.json:1 server x http http://h/"},
		{"claude code", "{\"numStartups\":3,\"projects\":{\"/a\":{\"mcpServers\":{\"x\":{\"command\":\"a\"}}},\"/b\":{},\"/c\":{\"mcpServers\":\n{\"x\":{\"command\":\"b\"}}}},\"mcpServers\":{\"y\":{\"command\":\"c\"}}}",
			"f.json:1 server x stdio a\nf.json:2 server x stdio b\nf.json:2 server y stdio c"},
		{"gemini", `{"tools":{"sandbox":true},"mcpServers":{"x":{"httpUrl":"https://u:p@h/"}}}`, "f.json:1 server x http https://***@h/"},
		{"a key in another case", `{"tools":[{"name":"a","Description":"x"},{"name":"b","inputschema":{}},{"name":"c","description":"x"}]}`,
			"f.json:1 srv:c \"x\" in= out= ann=\n" +
				`f.json:1 unscanned srv:a: element 1 of the list is not a readable tool: it has the field "Description", which only some programs read as "description"` + "\n" +
				`f.json:1 unscanned srv:b: element 2 of the list is not a readable tool: it has the field "inputschema", which only some programs read as "inputSchema"`},
		{"zed", `{"context_servers":{"x":{"source":"custom","command":"a","args":["b"]},"y":{"command":{"path":"c","args":["d"]}},"z":{"settings":{}},"w":{"url":"https://h/","enabled":false},"v":{"command":{}}}}`,
			"f.json:1 server x stdio a b\nf.json:1 server y stdio c d\nf.json:1 server w http https://h/\nf.json:1 unscanned v:: its command has no path\n" +
				"passed over f.json:1: the server z is part of an extension of an MCP client, which starts it"},
		{"bad servers", `{"mcpServers":{"x":{},"y":7,"z":{"command":"a","url":"http://h"}}}`,
			"f.json:1 unscanned x:: it has neither a command nor a URL\nf.json:1 unscanned y:: its entry is not an object\nf.json:1 unscanned z:: it has both a command and a URL"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantBrief(t, tt.text, tt.want) })
	}
}

func TestReadBad(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		other            bool
	}{
		{"empty", " \n", "f.json: it is empty", false},
		{"cut off", `{"tools":[`, "f.json:1:10: not JSON: it ends in the middle: correct the JSON here", false},
		{"syntax", "{\"tools\":\n  [{]}", "f.json:2:5: not JSON: invalid character ']'", false},
		{"utf-16", "\xff\xfe{\x00}\x00", "f.json: it is text in UTF-16, not JSON in UTF-8: save it as UTF-8", false},
		{"utf-8", "[{\"name\":\"\xff\"}]", "f.json:1:11: invalid UTF-8: save it as UTF-8", false},
		{"an image", "\x89PNG\r\n\x1a\n\x00\x00", "f.json: it is an image, not JSON: save the answer", false},
		{"compressed", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "f.json: it is a file compressed with gzip, not JSON: decompress it first", false},
		{"a program", "\x7fELF\x02\x01\x01\x00", "f.json: it is a binary file, not JSON: the byte at offset 4 is 0x02: save the answer", false},
		{"zero bytes", "{\"tools\":[\x00]}", "f.json: it is a binary file, not JSON: the byte at offset 10 is 0x00", false},
		{"a control character in a string", "{\"tools\":[{\"name\":\"\x01\"}]}", "f.json:1:20: not JSON: invalid character", false},
		{"yaml", "# mine\ntools:\n  - name: a\n", "f.json: it is YAML, not JSON: convert it to JSON", false},
		{"more yaml", "---\n- name: a\n", "f.json: it is YAML, not JSON", false},
		{"a message", "npm error: not found\n", "f.json: it is plain text, not JSON", false},
		{"a page", "<!DOCTYPE html><html>", "f.json: it is an HTML page, not JSON", false},
		{"plain text", "Here are my tools.\n", "f.json: it is plain text, not JSON: save the answer of the server", false},
		{"a log", "Starting\nready\n{\"tools\":[]}\n", "f.json: it is plain text, not JSON, before line 3: remove what is before it", false},
		{"an object of tools", `{"tools":{"a":{"description":"A"}}}`, "its tools are no list", true},
		{"tools twice", `{"tools":[],"tools":[{"name":"a"}]}`, `f.json:1:13: it has the field "tools" twice`, false},
		{"tools in another case", `{"Tools":[{"name":"a"}]}`, `f.json:1:2: it has the field "Tools", which only some programs read as "tools": write it in lower case`, false},
		{"server twice", `{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}`, `f.json:1:36: the server "a" is declared twice`, false},
		{"another kind", `{"name":"package","version":"1"}`, "f.json:1: it is not a tools/list result", true},
		{"a list of others", `{"tools":["hammer"]}`, "its list has no tool in it", true},
		{"no object", `7`, "f.json:1: it is not", true},
		{"empty array", `[]`, "its list is empty", true},
		{"security corpus", `{"entries":[]}`, "touchstone stage score-security", true},
		{"too deep", strings.Repeat("[", 20_000), "it is nested too deeply", false},
		{"lists of another program", `{"resources":[{"name":"r"}],"prompts":["p"],"instructions":"text"}`, "it is not a tools/list result", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read("f.json", "srv", []byte(tt.text))
			var bad *InputError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) || bad.OtherKind != tt.other {
				t.Errorf("got %v, other kind %t", err, bad != nil && bad.OtherKind)
			}
			if bad != nil && bad.Remedy == "" {
				t.Error("no remedy")
			}
		})
	}
}

// A directory without tools says what it has instead.
func TestReadDirectoryWithout(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"it has no files: name another directory, or a file":  nil,
		"it has none (.json, .jsonc, ":                        {"a.txt": "x"},
		"--source reads its source files, of which it has 1":  {"a.py": "x = 1"},
		"none of those in it has tools or declares servers: ": {"a.json": "{}"},
		"name a file to see what is wrong with it":            {"a.json": "{}"},
	} {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ReadPaths(t.Context(), []string{dir}, ReadOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestReadDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"d/a/tools.json":              `{"tools":[{"name":"a"}]}`,
		"d/.cursor/mcp.json":          `{"mcpServers":{"x":{"command":"c"}}}`,
		"d/package.json":              `{"name":"p"}`,
		"d/broken.json":               `{"tools":[`,
		"d/node_modules/x/tools.json": `{"tools":[{"name":"b"}]}`,
		"d/baseline.json":             `{"tools":[{"server":"s","name":"c"}]}`,
		"d/notes.txt":                 `[`,
		"e/package.json":              `{"name":"p"}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a/tools.json", "d/link.json"); err != nil {
		t.Fatal(err)
	}
	in, err := ReadPaths(t.Context(), []string{"d", "d/", "./d"}, ReadOptions{Own: []string{"d/baseline.json", "d/none.json"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `d/a/tools.json:1 d/a/tools:a "" in= out= ann=
d/link.json:1 d/link:a "" in= out= ann=
d/.cursor/mcp.json:1 server x stdio c
d/broken.json:1 unscanned :: not JSON: it ends in the middle
passed over d/baseline.json: it belongs to this scan
passed over d/node_modules: a directory of this name is not searched
passed over d/package.json: it is not ` + readable
	if diff := cmp.Diff(want, strings.TrimSpace(brief(in))); diff != "" {
		t.Error(diff)
	}
	if _, err := ReadPaths(t.Context(), []string{"e"}, ReadOptions{}); err == nil || !strings.Contains(err.Error(), "no JSON file in this directory can be scanned") {
		t.Errorf("got %v", err)
	}
	_, err = ReadPaths(t.Context(), []string{"e/package.json", "none.json"}, ReadOptions{})
	if err == nil || !strings.Contains(err.Error(), "e/package.json:1: it is not") || !strings.Contains(err.Error(), "none.json: no such file or directory: check the path") {
		t.Errorf("got %v", err)
	}
	in, err = ReadPaths(t.Context(), []string{"-"}, ReadOptions{Stdin: strings.NewReader(`[{"name":"a"}]`)})
	if err != nil || brief(in) != "<stdin>:1 stdin:a \"\" in= out= ann=\n" {
		t.Errorf("got %v, %s", err, brief(in))
	}
}

// Offsets do not change when comments and trailing commas are replaced.
func TestPlainJSON(t *testing.T) {
	text := "{ // a\n\"a\": \"//,]\", /* b\n */ \"b\": [1,\n],\n}"
	plain, changed := plainJSON([]byte(text))
	want := "{     \n\"a\": \"//,]\",     \n    \"b\": [1 \n] \n}"
	if !changed || string(plain) != want {
		t.Errorf("got %q\nwant %q", plain, want)
	}
}

func TestServerOf(t *testing.T) {
	for in, want := range map[string]string{
		"a.json": "a", "./x/a.b.json": "x/a.b", "../x/a.json": "a", "/x/a.json": "a", "x": "x",
	} {
		if got := serverOf(in); got != want {
			t.Errorf("serverOf(%q) = %q, want %q", in, got, want)
		}
	}
}

// Below the directory of a lock, the name does not depend on the working directory.
func TestServerBelow(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(root, "a"))
	for _, tt := range [][3]string{
		{".", "b/x.json", "b/x"}, {"..", "b/x.json", "a/b/x"}, {"..", "../y.json", "y"}, {"b", "b/x.json", "x"},
		{"b", "z.json", "z"}, {"b", "../y.json", "y"}, {"..", filepath.Join(root, "a", "b", "x.json"), "x"}, {"", "b/x.json", "b/x"},
	} {
		if got := serverBelow(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s below %s is %s, want %s", tt[1], tt[0], got, tt[2])
		}
	}
}

// A hostile file has limits within: each is reported, and none is passed in silence.
func TestLimitsWithin(t *testing.T) {
	numbered := func(n int, open, element, end string) string {
		return open + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + end
	}
	in, err := Read("f.json", "s", []byte(`{"tools":[{"name":"big","description":"`+strings.Repeat("a", MaxTool)+`"},{"name":"b"}]}`))
	if err != nil || len(in.Tools) != 1 || len(in.Unscanned) != 1 || in.Unscanned[0].Tool != "big" || !strings.Contains(in.Unscanned[0].Reason, "no model can read more than") {
		t.Errorf("%v, %.2000s", err, brief(in))
	}
	in, err = Read("f.json", "s", []byte(numbered(maxUnreadable+5, `{"tools":[{"name":"b"},`, `{"name":7}`, `]}`)))
	if err != nil || len(in.Unscanned) != maxUnreadable+1 || !strings.Contains(in.Unscanned[maxUnreadable].Reason, "5 more entries of the file cannot be read") {
		t.Errorf("%v, %d", err, len(in.Unscanned))
	}
	for text, want := range map[string]string{
		strings.Repeat("[]", maxElements+1):                                       "has more than 3 million elements: split it",
		numbered(maxElements+1, `{"a":[`, `""`, `]}`):                             "has more than 3 million",
		`{"mcpServers":{` + strings.Join(serverEntries(maxServers+1), ",") + `}}`: "it declares more than 10000 servers: split it",
	} {
		if _, err := Read("f.json", "s", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func serverEntries(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"s%d":{"command":"c"}`, i))
	}
	return list
}

func TestReadTOML(t *testing.T) {
	in, err := readTOML(".codex/config.toml", []byte(`model = "m"

[mcp_servers.x]
command = "npx"
args = ["-y", "a b"]
env = { TOKEN = "s3cret" }

[mcp_servers."y z"]
url = "https://h/mcp"
bearer_token_env_var = "T"
http_headers = { A = "b" }
env_http_headers = { C = "D" }
enabled = false

[mcp_servers.bad]
command = 7
`))
	if err != nil {
		t.Fatal(err)
	}
	want := ".codex/config.toml:3 server x stdio npx -y 'a b'\n.codex/config.toml:8 server y z http https://h/mcp\n" +
		".codex/config.toml:15 unscanned bad:: its command is not a string\n"
	if diff := cmp.Diff(sorted(want), sorted(brief(in))); diff != "" {
		t.Error(diff)
	}
	for _, s := range in.Servers {
		if s.Client != "the configuration of Codex" || s.Name == "y z" && (!s.Disabled || s.Headers["Authorization"] != "Bearer ${T}" || s.Headers["C"] != "${D}" || s.Headers["A"] != "b") {
			t.Errorf("%+v", s)
		}
	}
	for text, want := range map[string]string{"a = [": "f.toml:1:", "a = 1": "it declares no servers"} {
		if _, err := readTOML("f.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func sorted(lines string) []string {
	return slices.Sorted(strings.Lines(lines))
}

func FuzzReadTOML(f *testing.F) {
	f.Add([]byte("[mcp_servers.x]\ncommand = \"a\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := readTOML("f.toml", text)
		if (in == nil) == (err == nil) {
			t.Fatal(in, err)
		}
	})
}

// Definitions in source have their lines, and their texts are those of parameters.
func TestReadSource(t *testing.T) {
	in, err := readSource("s.py", "srv", []byte("\n@mcp.tool()\ndef add(a: Annotated[int, 'first']):\n  'Adds.'\n@mcp.prompt(description=f'{x}')\ndef ask(b='c'): pass\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := `s.py:2 srv:add "Adds." in={"anyOf":[{"description":"first"}]} out= ann=
s.py:5 srv:(prompt) ask "…" title="" in=[{"description":"c"}] extra=
s.py:5 unscanned srv:ask: a part of its description is computed when the server runs
`
	if diff := cmp.Diff(want, brief(in)); diff != "" {
		t.Error(diff)
	}
	if _, err := readSource("s.go", "srv", []byte("package")); err == nil || !strings.Contains(err.Error(), "cannot be parsed") {
		t.Error(err)
	}
}
