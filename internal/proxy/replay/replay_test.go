package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/contracts"
)

func corpusTool(server, name, schema string) contracts.Tool {
	return contracts.Tool{
		ToolID: server + ":" + name, Server: server, Tool: name,
		Description: "About <" + name + "> & \u201equotes\u201c", Schema: json.RawMessage(schema),
	}
}

// Schemas that an SDK would refuse, change or reorder.
var oddSchemas = []string{
	`{"type":"object","zeta":1,"alpha":2}`,
	`{"maximum":9007199254740993,"minimum":1e2,"multipleOf":1.0}`,
	`{"type":"string"}`,
	`{"anyOf":[true,false,{"$ref":"#/nowhere"}],"pattern":"<&>\u2028"}`,
	`{}`,
}

func oddCorpus() contracts.Corpus {
	c := contracts.Corpus{Version: "v"}
	for i, s := range oddSchemas {
		c.Tools = append(c.Tools, corpusTool("odd", fmt.Sprintf("z%d", len(oddSchemas)-i), s), corpusTool("other", fmt.Sprint(i), s))
	}
	return c
}

// exchange sends lines to a server and returns its answers.
func exchange(t *testing.T, s *Server, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Serve(strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestSchemasAreServedByteForByte(t *testing.T) {
	s, err := NewServer(oddCorpus(), "odd", DefaultPageSize)
	if err != nil {
		t.Fatal(err)
	}
	answers := exchange(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if len(answers) != 1 {
		t.Fatalf("got %q", answers)
	}
	at := 0
	for _, schema := range oddSchemas { // in the corpus's order
		i := strings.Index(answers[0][at:], `"inputSchema":`+schema)
		if i < 0 {
			t.Fatalf("%s is not served, or not in its place:\n%s", schema, answers[0])
		}
		at += i + 1
	}
	if !strings.Contains(answers[0], "About <z5> & \u201equotes\u201c") {
		t.Errorf("the description was changed: %s", answers[0])
	}
}

func TestOutputSchemasAndAnnotationsAreServed(t *testing.T) {
	plain, full := corpusTool("s", "plain", `{}`), corpusTool("s", "full", `{}`)
	full.OutputSchema, full.Annotations = json.RawMessage(`{"type":"array","z":1}`), json.RawMessage(`{"readOnlyHint":true}`)
	s, err := NewServer(contracts.Corpus{Tools: []contracts.Tool{plain, full}}, "s", DefaultPageSize)
	if err != nil {
		t.Fatal(err)
	}
	answer := exchange(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)[0]
	if !strings.Contains(answer, `"inputSchema":{},"outputSchema":{"type":"array","z":1},"annotations":{"readOnlyHint":true}}`) {
		t.Errorf("not served: %s", answer)
	}
	if strings.Count(answer, "outputSchema") != 1 || strings.Count(answer, "annotations") != 1 {
		t.Errorf("a tool without them lists them: %s", answer)
	}
}

func TestProtocol(t *testing.T) {
	s, err := NewServer(oddCorpus(), "odd", DefaultPageSize)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, line, want string }{
		{"initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`, `"protocolVersion":"2025-03-26"`},
		{"newer version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01"}}`, `"protocolVersion":"2025-11-25"`},
		{"initialize without parameters", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `-32602`},
		{"ping", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{"call", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"z5","arguments":{"x":1}}}`, `odd:z5 was called`},
		{"call of another server's tool", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"0"}}`, `has no tool \"0\"`},
		{"call without parameters", `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, `-32602`},
		{"unknown method", `{"jsonrpc":"2.0","id":3,"method":"server/discover"}`, `-32601`},
		{"unknown cursor", `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"-1"}}`, `unknown cursor \"-1\"`},
		{"no method", `{"jsonrpc":"2.0","id":3}`, `-32600`},
		{"garbage", `hello?`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		{"blank line", "  \t ", ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// The answer to the ping shows that the server is still running.
			answers := exchange(t, s, tc.line, `{"jsonrpc":"2.0","id":"after","method":"ping"}`)
			if last := answers[len(answers)-1]; !strings.Contains(last, `"after"`) {
				t.Fatalf("no answer to what follows: %q", answers)
			}
			got := strings.Join(answers[:len(answers)-1], "\n")
			if !strings.Contains(got, tc.want) || (tc.want == "") != (got == "") {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// The SDK's client, which real proxies use, reads every page.
func TestServesTheSDKsClient(t *testing.T) {
	var c contracts.Corpus
	for i := range 2*DefaultPageSize + 1 {
		c.Tools = append(c.Tools, corpusTool("many", fmt.Sprintf("t%d", i), `{"type":"object"}`))
	}
	s, err := NewServer(c, "many", DefaultPageSize)
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := s.Serve(inR, outW)
		outW.Close()
		served <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := toolNames(t, session)
	if len(names) != len(c.Tools) || names[0] != "t0" || names[len(names)-1] != fmt.Sprintf("t%d", 2*DefaultPageSize) {
		t.Errorf("%d tools, from %v", len(names), names[:1])
	}
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "t7"})
	if err != nil || result.IsError {
		t.Errorf("call: %v, %v", result, err)
	}
	session.Close()
	if err := <-served; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// toolNames lists a server's tools, all pages.
func toolNames(t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	var names []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

// With more than ten servers, all are endpoints of one HTTP server. Each lists its own tools, in the
// same order as its process would.
func TestManyServersAreHosted(t *testing.T) {
	var c contracts.Corpus
	for i := range 2 * (maxProcesses + 1) {
		c.Tools = append(c.Tools, corpusTool(fmt.Sprintf("s%d", i/2), fmt.Sprintf("t%d", i), `{"type":"object"}`))
	}
	both, err := Start("touchstone", c, Options{Seed: 3, Both: true})
	if err != nil || both.Upstreams[0].URL == "" || len(both.Upstreams[0].Command) == 0 {
		t.Fatalf("a proxy that an adapter describes gets %+v, %v", both, err)
	}
	both.Stop()
	servers, err := Start("touchstone", c, Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Stop()
	if len(servers.Upstreams) != maxProcesses+1 {
		t.Fatalf("%d servers", len(servers.Upstreams))
	}
	for i, p := range split(c, 3)[:3] {
		up := servers.Upstreams[i]
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: up.URL}, nil)
		if err != nil {
			t.Fatal(err)
		}
		names := toolNames(t, session)
		session.Close()
		if up.Name != p.server || len(names) != 2 || names[0] != p.tools[0].Tool || names[1] != p.tools[1].Tool {
			t.Errorf("%s at %s lists %v, not %v", up.Name, up.URL, names, p.tools)
		}
	}
	resp, err := http.Get(servers.Upstreams[0].URL)
	if err != nil || resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %v, %v", resp, err)
	}
	servers.Stop()
	if _, err := http.Get(servers.Upstreams[0].URL); err == nil {
		t.Error("it serves after Stop")
	}
}

// A page of huge tools stays within the message size that clients accept.
func TestPagesAreBoundedInBytes(t *testing.T) {
	var c contracts.Corpus
	for i := range 40 {
		tl := corpusTool("fat", fmt.Sprint(i), `{"type":"object"}`)
		tl.Description = strings.Repeat("x", 700<<10)
		c.Tools = append(c.Tools, tl)
	}
	s, err := NewServer(c, "fat", DefaultPageSize)
	if err != nil {
		t.Fatal(err)
	}
	listed, cursor := 0, ""
	for {
		answers := exchange(t, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%q}}`, cursor))
		if len(answers[0]) > 3<<20 {
			t.Fatalf("a page has %d bytes", len(answers[0]))
		}
		var page struct {
			Result struct {
				Tools      []json.RawMessage `json:"tools"`
				NextCursor string            `json:"nextCursor"`
			} `json:"result"`
		}
		if err := json.Unmarshal([]byte(answers[0]), &page); err != nil {
			t.Fatal(err)
		}
		listed += len(page.Result.Tools)
		if cursor = page.Result.NextCursor; cursor == "" {
			break
		}
	}
	if listed != len(c.Tools) {
		t.Errorf("%d tools are listed, want %d", listed, len(c.Tools))
	}
}

func TestUnknownServer(t *testing.T) {
	_, err := NewServer(oddCorpus(), "nobody", DefaultPageSize)
	if err == nil || !strings.Contains(err.Error(), `its servers are odd, other`) {
		t.Errorf("got %v", err)
	}
}

// The orders affect the meaning of a report, so they must not change.
func TestOrder(t *testing.T) {
	if got, want := fmt.Sprint(Order(1, "queries", 8)), "[7 6 0 3 4 2 1 5]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(Order(2, "queries", 8)), "[3 2 1 6 4 7 5 0]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if reflect.DeepEqual(Order(1, "queries", 20), Order(1, "servers", 20)) {
		t.Error("two orders of one seed are one")
	}
}

func TestUpstreams(t *testing.T) {
	c := oddCorpus()
	for i := range 20 {
		c.Tools = append(c.Tools, corpusTool(fmt.Sprintf("s%02d", i), "t", `{"type":"object"}`))
	}
	read := func(seed uint64) (servers string, tools map[string][]string) {
		running, err := Start("touchstone", c, Options{Seed: seed, Both: true})
		if err != nil {
			t.Fatal(err)
		}
		defer running.Stop()
		tools = map[string][]string{}
		for _, up := range running.Upstreams {
			servers += up.Name + " "
			if up.Command[0] != "touchstone" || up.Command[1] != "replay" || up.Command[5] != up.Name {
				t.Errorf("got %q", up.Command)
			}
			data, err := os.ReadFile(up.Command[3])
			if err != nil {
				t.Fatal(err)
			}
			var part contracts.Corpus
			if err := json.Unmarshal(data, &part); err != nil {
				t.Fatal(err)
			}
			for _, tl := range part.Tools {
				tools[up.Name] = append(tools[up.Name], tl.Tool)
				if tl.Server != up.Name {
					t.Errorf("%s replays %s", up.Name, tl.ToolID)
				}
			}
		}
		return servers, tools
	}
	servers0, tools0 := read(0)
	if !strings.HasPrefix(servers0, "odd other s00 s01") || fmt.Sprint(tools0["odd"]) != "[z5 z4 z3 z2 z1]" {
		t.Errorf("seed 0 permutes: %s, %v", servers0, tools0)
	}
	servers1, tools1 := read(1)
	servers2, tools2 := read(2)
	if servers1 == servers0 || servers1 == servers2 || len(servers1) != len(servers0) {
		t.Errorf("servers in the orders %s, %s", servers1, servers2)
	}
	if fmt.Sprint(tools1["odd"]) == fmt.Sprint(tools2["odd"]) && fmt.Sprint(tools1["other"]) == fmt.Sprint(tools2["other"]) {
		t.Errorf("tools in one order: %v", tools1)
	}
	again, _ := read(1)
	if again != servers1 {
		t.Error("two orders of one seed")
	}
}

// The journals of a process and of an endpoint show how far a client has read.
func TestUnlisted(t *testing.T) {
	var c contracts.Corpus
	for _, server := range []string{"all", "none", "part"} {
		for i := range 3 {
			c.Tools = append(c.Tools, corpusTool(server, fmt.Sprintf("t%d", i), `{"type":"object"}`))
		}
	}
	servers, err := Start("touchstone", c, Options{PageSize: 2, Both: true})
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Stop()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: servers.Upstreams[0].URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if names := toolNames(t, session); len(names) != 3 {
		t.Errorf("listed %v", names)
	}
	command := servers.Upstreams[2].Command
	if want := []string{"--journal", command[3] + ".listed", "--page-size", "2"}; !slices.Equal(command[6:], want) {
		t.Errorf("the command ends with %q, want %q", command[6:], want)
	}
	process, err := NewServer(c, "part", 2)
	if err != nil {
		t.Fatal(err)
	}
	process.KeepJournal(command[7])
	if err := process.Serve(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"), io.Discard); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`server "none" was not asked for its 3 tools`,
		`server "part" was asked for 2 of its 3 tools in 1 requests; a client must ask again while an answer has a nextCursor`,
	}
	if got := servers.Unlisted(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"3"}}`))
	f.Add([]byte(`{"id":{},"method":"tools/call","params":[]}` + "\n\n[]"))
	s, err := NewServer(oddCorpus(), "odd", DefaultPageSize)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		if err := s.Serve(bytes.NewReader(data), &out); err != nil {
			t.Fatal(err)
		}
		for _, line := range bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n")) {
			if len(line) > 0 && !json.Valid(line) {
				t.Fatalf("not JSON: %q", line)
			}
		}
	})
}

// A client that never ends its line gets one answer, and the server goes on.
func TestLongLine(t *testing.T) {
	s, err := NewServer(oddCorpus(), "odd", DefaultPageSize)
	if err != nil {
		t.Fatal(err)
	}
	in := io.MultiReader(io.LimitReader(spaces{}, 3*maxMessage), strings.NewReader("\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"))
	var out strings.Builder
	if err := s.Serve(in, &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "the request is larger than 16 MiB") || !strings.Contains(got, `"id":1,"result"`) {
		t.Error(got)
	}
}

type spaces struct{}

func (spaces) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}
