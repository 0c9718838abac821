//go:build unix

package input

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/testing/load"
)

// The test binary is its own stdio server, of the kind given by an environment
// variable.
const serverKind = "SCAN_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serverKind); kind != "" {
		serveTest(kind)
		return
	}
	load.RunAtOnce(4)
	os.Exit(m.Run())
}

// serveTest acts as a good or bad server.
func serveTest(kind string) {
	in := bufio.NewReader(os.Stdin)
	listings := 0
	switch kind {
	case "greets":
		fmt.Print("Server running on stdio\n\n{not quite\n")
	case "dies":
		fmt.Fprintln(os.Stderr, "no licence\x1b[2J found")
		os.Exit(1)
	case "tells":
		fmt.Fprintf(os.Stderr, "cannot log in as %s with %s and %s\n", os.Getenv("SCAN_TEST_USER"), os.Getenv("API_TOKEN"), strings.Join(os.Args[1:], " "))
		os.Exit(1)
	case "silent":
		// This server and its child do not end with their input.
		child := exec.Command("sleep", "600")
		if err := child.Start(); err != nil {
			panic(err)
		}
		note := fmt.Sprintf("%d %d", os.Getpid(), child.Process.Pid)
		if err := os.WriteFile(os.Getenv("PIDS"), []byte(note), 0o644); err != nil {
			panic(err)
		}
		time.Sleep(10 * time.Minute)
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var req struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor string }
		}
		if json.Unmarshal(line, &req) != nil || req.ID == nil {
			continue
		}
		switch req.Method {
		case "server/discover":
			answer, ok := discovered[kind]
			if !ok {
				answer = `"error":{"code":-32601,"message":"no"}`
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", req.ID, answer)
		case "initialize":
			tools := `{}`
			if kind == "grows" || kind == "restless" {
				tools = `{"listChanged":true}`
			}
			if kind == "full" || kind == "half" {
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"t","version":"1","title":"T"},"instructions":"Be kind."}}`+"\n", req.ID)
				continue
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":%s},"serverInfo":{"name":"t","version":"1"}}}`+"\n", req.ID, tools)
		case "prompts/list", "resources/list", "resources/templates/list":
			answer := otherLists[req.Method+req.Params.Cursor]
			if kind == "half" {
				answer = `"error":{"code":-32601,"message":"no"}`
			}
			if kind == "repeats" {
				answer = saidBeside(answer, req.Method)
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", req.ID, answer)
		case "tools/list":
			listings++
			if kind == "restless" || kind == "grows" && listings > 1 {
				n := 2
				if kind == "restless" {
					n = listings
				}
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b%d","inputSchema":{"type":"object"}}]}}`+"\n", req.ID, n)
				continue
			}
			page := testPage(kind, req.Params.Cursor)
			if kind == "repeats" {
				page = saidBeside(page, req.Method)
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", req.ID, page)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", req.ID)
		}
	}
}

// itself is what a server of protocol version 2026-07-28 says about itself in every answer.
const itself = `"io.modelcontextprotocol/serverInfo":{"name":"t","version":"1","description":"It has all that you need."}`

// saidBeside adds to an answer what a server says beside a list: who it is, and something of its own.
func saidBeside(answer, method string) string {
	return strings.TrimSuffix(answer, "}") + `,"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + itself +
		`,"` + method + `":"It says this beside the list."}}`
}

// discovered are the answers to server/discover of servers of protocol version 2026-07-28.
var discovered = map[string]string{
	"modern":  `"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"instructions":"Be kind to all.","resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"t","version":"1","title":"T"},"note":"n"}}`,
	"repeats": `"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}},"instructions":"Be kind to all.","resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + itself + `}}`,
	"cached":  `"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"instructions":"Be kind to all.","resultType":"complete","ttlMs":0,"cacheScope":"private"}`,
	"future":  `"result":{"supportedVersions":["2099-01-01"],"capabilities":{"tools":{}},"instructions":"Be bold.","resultType":"complete"}`,
}

// otherLists are the answers of a server to the requests, with their cursors.
var otherLists = map[string]string{
	"prompts/list":             `"result":{"prompts":[{"name":"p","_meta":{"m":"M"}}],"nextCursor":"2"}`,
	"prompts/list2":            `"result":{"prompts":[{"name":"q","arguments":[{"name":"x"}]},null]}`,
	"resources/list":           `"result":{"resources":[{"uri":"file:///r","name":"r"}]}`,
	"resources/templates/list": `"error":{"code":-32601,"message":"no"}`,
}

func testPage(kind, cursor string) string {
	switch kind {
	case "grows":
		return `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
	case "modern":
		return `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}`
	case "cached":
		return `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"resultType":"complete","ttlMs":60000,"cacheScope":"private"}`
	case "breaks", "ends", "stalls":
		if cursor != "" {
			switch kind {
			case "ends":
				os.Exit(7)
			case "stalls":
				time.Sleep(time.Minute)
			}
			return `7`
		}
		return `{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}],"nextCursor":"2"}`
	case "numbers":
		return `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":2}`
	case "endless":
		return `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"more"}`
	case "environment":
		b, _ := json.Marshal(strings.Join(os.Environ(), "\n"))
		return fmt.Sprintf(`{"tools":[{"name":"a","description":%s,"inputSchema":{"type":"object"}}]}`, b)
	case "twice":
		return `{"tools":[{"name":"a","description":"evil","description":"good","inputSchema":{"type":"object"}}]}`
	case "odd":
		return `{"tools":[{"name":"a","description":5,"inputSchema":{"type":"object"}},{"name":"b","description":"B","inputSchema":{"type":"object"}}]}`
	case "invalid":
		// The client library omits this tool from its list.
		return `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"z":{"type":"object","x-mcp-header":"H"},"b":{"type":"string"}}}}]}`
	}
	n, _ := strconv.Atoi(cursor)
	next := fmt.Sprintf(`,"nextCursor":"%d"`, n+1)
	if n == 2 {
		next = ""
	}
	return fmt.Sprintf(`{"tools":[{"name":"t%d","description":"D","inputSchema":{"type":"object","properties":{"z":{},"a":{}}}}]%s}`, n, next)
}

// stdioServer is the server of a kind, as declared in a configuration.
func stdioServer(t *testing.T, kind string) Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{
		Name: kind, Command: []string{exe}, Transport: "stdio", Env: map[string]string{serverKind: kind},
		Client: "the test", Place: Place{File: "c.json", Line: 3},
	}
}

func mustList(t *testing.T, timeout time.Duration, servers ...Server) *Input {
	t.Helper()
	in, err := List(context.Background(), servers, timeout)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestListStdio(t *testing.T) {
	t.Setenv("SECRET_OF_OURS", "hidden")
	in := mustList(t, time.Minute, stdioServer(t, "good"), stdioServer(t, "environment"))
	if len(in.Tools) != 4 || len(in.Unscanned) != 0 {
		t.Fatal(brief(in))
	}
	want := `c.json:3 good:t0 "D" in={"type":"object","properties":{"z":{},"a":{}}} out= ann=
c.json:3 good:t1 "D" in={"type":"object","properties":{"z":{},"a":{}}} out= ann=
c.json:3 good:t2 "D" in={"type":"object","properties":{"z":{},"a":{}}} out= ann=
`
	if diff := cmp.Diff(want, brief(&Input{Tools: in.Tools[:3]})); diff != "" {
		t.Error(diff)
	}
	if env := in.Tools[3].Description; strings.Contains(env, "SECRET_OF_OURS") || !strings.Contains(env, serverKind) {
		t.Errorf("the server sees %s", env)
	}
}

// Everything that a server tells models is listed, and a list that fails does not
// hide the others.
func TestListEverything(t *testing.T) {
	list := func(kind string) *Input {
		in, err := ListEverything(context.Background(), []Server{stdioServer(t, kind)}, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if len(in.Tools) != 3 {
			t.Errorf("%d tools", len(in.Tools))
		}
		in.Tools = nil
		return in
	}
	want := `c.json:3 full:(instructions) "Be kind." title="" in= extra={"serverInfo":{"name":"t","version":"1","title":"T"}}
c.json:3 full:(prompt) p "" title="" in= extra={"_meta":{"m":"M"}}
c.json:3 full:(prompt) q "" title="" in=[{"name":"x"}] extra=
c.json:3 full:(resource) file:///r "" title="" in= extra={"name":"r"}
c.json:3 unscanned full:(prompt) : element 2 of the list is not a readable prompt: it is not an object
passed over c.json:3: the messages of 2 prompts of the server full are made on request, and were not read
passed over c.json:3: the contents of 1 resource of the server full are made on request, and were not read
`
	if diff := cmp.Diff(want, brief(list("full"))); diff != "" {
		t.Error(diff)
	}
	want = `c.json:3 half:(instructions) "Be kind." title="" in= extra={"serverInfo":{"name":"t","version":"1","title":"T"}}
c.json:3 unscanned half:: its prompts could not be listed: calling "prompts/list": no
c.json:3 unscanned half:: its resources could not be listed: calling "resources/list": no
`
	if diff := cmp.Diff(want, brief(list("half"))); diff != "" {
		t.Error(diff)
	}
	if in := mustList(t, time.Minute, stdioServer(t, "full")); len(in.Others) != 0 || len(in.Tools) != 3 {
		t.Error("List lists more than tools: ", brief(in))
	}
}

// Both generations of the protocol have instructions and a name, and a server is the same in both.
func TestListBothGenerations(t *testing.T) {
	for kind, want := range map[string]string{
		"modern": `"Be kind to all." title="" in= extra={"serverInfo":{"name":"t","version":"1","title":"T"},"_meta":{"note":"n"}}`,
		"cached": `"Be kind to all." title="" in= extra=`,
		"future": `"Be bold." title="" in= extra=`,
	} {
		in, err := ListEverything(context.Background(), []Server{stdioServer(t, kind)}, time.Minute)
		if err != nil || len(in.Unscanned) > 0 || len(in.Tools) == 0 || len(in.Others) == 0 {
			t.Errorf("%s: %v, %s", kind, err, brief(in))
			continue
		}
		if got := brief(&Input{Others: in.Others[:1]}); got != "c.json:3 "+kind+":(instructions) "+want+"\n" {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// What a server says about itself beside each of its lists is said once, so that it can be pinned.
func TestListSaidBesideEachList(t *testing.T) {
	in, err := ListEverything(context.Background(), []Server{stdioServer(t, "repeats")}, time.Minute)
	if err != nil || len(in.Tools) != 3 {
		t.Fatal(err, brief(in))
	}
	want := `c.json:3 repeats:(instructions) "Be kind to all." title="" in= extra={"serverInfo":{"name":"t","version":"1","description":"It has all that you need."},"_meta":{"prompts/list":"It says this beside the list.","resources/list":"It says this beside the list.","tools/list":"It says this beside the list."}}
c.json:3 repeats:(prompt) p "" title="" in= extra={"_meta":{"m":"M"}}
c.json:3 repeats:(prompt) q "" title="" in=[{"name":"x"}] extra=
c.json:3 repeats:(resource) file:///r "" title="" in= extra={"name":"r"}
`
	if diff := cmp.Diff(want, brief(&Input{Others: in.Others})); diff != "" {
		t.Error(diff)
	}
	if got := in.Others[0].Pointer("/serverInfo/name"); got != "/_meta/io.modelcontextprotocol~1serverInfo/name" {
		t.Error(got)
	}
}

// A real server of the library says its instructions in the answer to server/discover over HTTP.
func TestListInstructionsOverHTTP(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "h", Version: "1"}, &mcp.ServerOptions{Instructions: "Be kind."})
	server.AddTool(&mcp.Tool{Name: "a", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	for _, stateless := range []bool{false, true} {
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
			&mcp.StreamableHTTPOptions{Stateless: stateless}))
		defer web.Close()
		s, err := URLServer("h", web.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		in, err := ListEverything(context.Background(), []Server{s}, time.Minute)
		if err != nil || len(in.Tools) != 1 || len(in.Unscanned) != 0 || len(in.Others) != 1 || in.Others[0].Description != "Be kind." {
			t.Errorf("stateless %t: %v, %s", stateless, err, brief(in))
		}
	}
}

// A list that breaks in the middle is read as far as it came, and is incomplete.
func TestListThatBreaks(t *testing.T) {
	for kind, want := range map[string]string{
		"breaks": "the list goes on", "ends": "it ended (exit status 7) before it had listed its tools; 2 tools",
		"stalls": "did not list its tools within 2s; 2 tools", "numbers": "neither a string nor null", "endless": "returns to the page",
	} {
		n := 2
		if kind == "numbers" || kind == "endless" {
			n = 1
		}
		in := mustList(t, 2*time.Second, stdioServer(t, kind))
		if len(in.Tools) != n || len(in.Unscanned) != 1 || !strings.Contains(in.Unscanned[0].Reason, want) {
			t.Errorf("%s: want %s, got %s", kind, want, brief(in))
		}
	}
}

// A host that is refused needs no token.
func TestListRefusedHost(t *testing.T) {
	for text, want := range map[string]string{
		"Forbidden: Invalid Host header": "by the host name that the server allows", "nope": "check which addresses it allows",
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, text, http.StatusForbidden) }))
		defer web.Close()
		s, err := URLServer("h", web.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		in := mustList(t, time.Minute, s)
		if len(in.Unscanned) != 1 || !strings.Contains(in.Unscanned[0].Remedy, want) || strings.HasPrefix(in.Unscanned[0].Remedy, "give a token") {
			t.Errorf("%s: %+v", text, in.Unscanned)
		}
	}
}

// The remedy for a command with its arguments in one string says how to write it.
func TestCommandInOneString(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers":{"x":{"command":"no-such-program -y files /data"}}}`:   `put the arguments in "args", as "command": "no-such-program", "args": ["-y", "files", "/data"], in f.json:1`,
		`{"mcpServers":{"x":{"command":"no-such-program run","args":["z"]}}}`: `"args": ["run", "z"]`,
		`{"mcp":{"x":{"type":"local","command":["no-such-program -y"]}}}`:     `write each argument as a string of its own, as "command": ["no-such-program", "-y"]`,
	} {
		in, err := Read("f.json", "srv", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		in = mustList(t, time.Minute, in.Servers...)
		if len(in.Unscanned) != 1 || !strings.Contains(in.Unscanned[0].Remedy, want) {
			t.Errorf("%s: %+v", text, in.Unscanned)
		}
	}
}

// Many servers print a greeting on the stream of their answers.
func TestListServerThatGreets(t *testing.T) {
	if in := mustList(t, time.Minute, stdioServer(t, "greets")); len(in.Tools) != 3 || len(in.Unscanned) != 0 {
		t.Error(brief(in))
	}
}

// The scan must see what the client library drops or normalises.
func TestListSeesWhatWasSent(t *testing.T) {
	in := mustList(t, time.Minute, stdioServer(t, "invalid"), stdioServer(t, "twice"))
	if len(in.Tools) != 1 || in.Tools[0].Name != "a" || !bytes.Contains(in.Tools[0].InputSchema, []byte(`"z":{"type":"object","x-mcp-header":"H"},"b"`)) {
		t.Error(brief(in))
	}
	if len(in.Unscanned) != 1 || in.Unscanned[0].Server != "twice" || !strings.Contains(in.Unscanned[0].Reason, `"description" twice`) {
		t.Error(brief(in))
	}
}

// One tool that cannot be read does not hide the others.
func TestListServerWithAnOddTool(t *testing.T) {
	in := mustList(t, time.Minute, stdioServer(t, "odd"))
	if len(in.Tools) != 1 || in.Tools[0].Name != "b" {
		t.Error(brief(in))
	}
	if len(in.Unscanned) != 1 || in.Unscanned[0].Tool != "a" || !strings.Contains(in.Unscanned[0].Reason, "its description is not a string") {
		t.Error(brief(in))
	}
}

func TestListBadServers(t *testing.T) {
	t.Parallel() // it mostly waits
	missing := stdioServer(t, "missing")
	missing.Command = []string{"no-such-program-here"}
	disabled := stdioServer(t, "disabled")
	disabled.Disabled = true
	asks := stdioServer(t, "asks")
	asks.Command = append(asks.Command, "${input:token}")
	silent := stdioServer(t, "silent")
	pids := t.TempDir() + "/pids"
	silent.Env["PIDS"] = pids
	in := mustList(t, 3*time.Second, missing, disabled, asks, silent, stdioServer(t, "dies"))
	in2 := mustList(t, time.Minute, stdioServer(t, "endless"))
	in.Unscanned = append(in.Unscanned, in2.Unscanned...)
	wants := map[string]string{
		"missing": "command not found: there is no no-such-program-here in PATH",
		"silent":  "did not answer within 3s",
		"dies":    "it ended (exit status 1) before it answered", "endless": "returns to the page",
	}
	if len(in.Tools) != 0 || len(in2.Tools) != 1 || len(in.Unscanned) != len(wants) {
		t.Error(brief(in))
	}
	// Whoever disables a server does not want it to be scanned, and nobody can be asked.
	if len(in.PassedOver) != 2 || in.PassedOver[0].Reason != "the server disabled is disabled in the test" ||
		!strings.HasPrefix(in.PassedOver[1].Reason, "the server asks needs ${input:token}, which the test asks its user for") {
		t.Errorf("passed over: %+v", in.PassedOver)
	}
	for _, u := range in.Unscanned {
		if !strings.Contains(u.Reason, wants[u.Server]) || wants[u.Server] == "" || u.Remedy == "" || u.Source == "" {
			t.Errorf("%+v", u)
		}
	}
	// Neither the server that does not end nor its child may be left.
	note, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for pid := range strings.FieldsSeq(string(note)) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if err = syscall.Kill(n, 0); err != nil || zombie(n) {
				err = syscall.ESRCH
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if err == nil {
			t.Errorf("process %d is left", n)
		}
	}
}

// zombie reports whether a process ended and waits to be reaped by its new
// parent, which is not this process.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(after, "Z")
}

// A server may register tools after the handshake. A list that is read too
// early would silently lack them.
func TestListWaitsForTheListToSettle(t *testing.T) {
	t.Parallel() // it mostly waits
	in := mustList(t, 30*time.Second, stdioServer(t, "grows"))
	names := []string{}
	for _, tool := range in.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"a", "b2"}; !cmp.Equal(names, want) || len(in.Unscanned) > 0 {
		t.Errorf("tools %v, unscanned %v; want %v", names, in.Unscanned, want)
	}
	if want := []Listed{{"grows", "t", "1"}}; !cmp.Equal(in.Listed, want) {
		t.Errorf("listed %v, want %v", in.Listed, want)
	}
	in = mustList(t, 30*time.Second, stdioServer(t, "restless"))
	if len(in.Tools) != 9 || len(in.Unscanned) != 1 || !strings.Contains(in.Unscanned[0].Reason, "changed in each of") {
		t.Errorf("a list that never settles: %+v", in)
	}
}

// Reports are uploaded, so secrets in a server's entry must not appear in the
// quoted output of the server.
func TestListKeepsSecrets(t *testing.T) {
	t.Setenv("SCAN_TEST_SECRET", "hunter2-hunter2")
	s := stdioServer(t, "tells")
	s.Command = append(s.Command, "--user", "jo", "--password", "pa55word", "--key=k3y-k3y")
	s.Env["API_TOKEN"], s.Env["SCAN_TEST_USER"] = "${env:SCAN_TEST_SECRET}", "jo-anne"
	in := mustList(t, time.Minute, s)
	if len(in.Unscanned) != 1 {
		t.Fatal(brief(in))
	}
	text := fmt.Sprint(in.Unscanned)
	for _, secret := range []string{"hunter2", "pa55word", "k3y-k3y"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is told: %s", secret, text)
		}
	}
	if !strings.Contains(text, "cannot log in as jo-anne with *** and --user jo --password *** --key=***") {
		t.Error(text)
	}
}

func TestListCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := List(ctx, []Server{stdioServer(t, "good")}, time.Minute); err == nil {
		t.Error("no error")
	}
}

// A real server of the library, over streamable HTTP, answering with events and
// with plain JSON.
func TestListHTTP(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain=%t", plain), func(t *testing.T) {
			t.Parallel()
			server := mcp.NewServer(&mcp.Implementation{Name: "h", Version: "1"}, &mcp.ServerOptions{PageSize: 2})
			for i := range 5 {
				server.AddTool(&mcp.Tool{Name: fmt.Sprintf("t%d", i), Description: "D", InputSchema: json.RawMessage(`{"type":"object"}`)},
					func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
						return &mcp.CallToolResult{}, nil
					})
			}
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: plain})
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer token" {
					http.Error(w, "who are you?", http.StatusUnauthorized)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			defer web.Close()
			s, err := URLServer("", web.URL+"/?key=s3cret", map[string]string{"Authorization": "Bearer token"})
			if err != nil {
				t.Fatal(err)
			}
			in := mustList(t, time.Minute, s)
			if len(in.Tools) != 5 || len(in.Unscanned) != 0 || in.Tools[4].Name != "t4" || in.Tools[4].Server != strings.TrimPrefix(web.URL, "http://") {
				t.Error(brief(in))
			}
			s.Headers = nil
			in = mustList(t, time.Minute, s)
			if len(in.Tools) != 0 || len(in.Unscanned) != 1 {
				t.Fatal(brief(in))
			}
			if text := fmt.Sprint(in.Unscanned); strings.Contains(text, "s3cret") || !strings.Contains(text, "Unauthorized") {
				t.Error(text)
			}
		})
	}
}

// Consent and headers are for one host: a redirect to another host is not
// followed.
func TestListHTTPElsewhere(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer web.Close()
	s, err := URLServer("x", web.URL, map[string]string{"Authorization": "Bearer token"})
	if err != nil {
		t.Fatal(err)
	}
	in := mustList(t, time.Minute, s)
	if reached || len(in.Unscanned) != 1 || !strings.Contains(in.Unscanned[0].Reason, "another host") {
		t.Error(reached, brief(in))
	}
}

// A server with the older transport is detected by its refusal, with the same
// headers and only on its own host.
func TestListSSE(t *testing.T) {
	t.Parallel() // it mostly waits
	server := mcp.NewServer(&mcp.Implementation{Name: "h", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "old", Description: "D", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	handler := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil)
	for _, refusal := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnauthorized} {
		t.Run(fmt.Sprint(refusal), func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && !r.URL.Query().Has("sessionid") || r.Header.Get("X-Key") != "k" {
					w.WriteHeader(refusal)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			defer web.Close()
			s, err := URLServer("old", web.URL, map[string]string{"X-Key": "k"})
			if err != nil {
				t.Fatal(err)
			}
			in := mustList(t, time.Minute, s)
			if refusal == http.StatusUnauthorized {
				if len(in.Tools) != 0 || len(in.Unscanned) != 1 || strings.Contains(in.Unscanned[0].Reason, "SSE") {
					t.Error(brief(in))
				}
				return
			}
			if len(in.Tools) != 1 || in.Tools[0].Name != "old" || len(in.Unscanned) != 0 {
				t.Error(brief(in))
			}
			s.Headers = nil
			if in = mustList(t, time.Minute, s); len(in.Tools) != 0 || len(in.Unscanned) != 1 || !strings.Contains(in.Unscanned[0].Reason, "also over SSE") {
				t.Error(brief(in))
			}
		})
	}
}

func TestCommandServerName(t *testing.T) {
	for line, want := range map[string]string{
		"my-server --port 1":                           "my-server",
		"/opt/bin/my-server":                           "my-server",
		"npx -y @scope/server@1.2 /data":               "@scope/server@1.2",
		"pnpm dlx some-server":                         "some-server",
		"node /home/me/build/weather.js":               "weather",
		"node servers/weather.js":                      "servers/weather",
		"node ../x/node_modules/.bin/mcp-server-files": "mcp-server-files",
		"deno run -A tools/time.ts":                    "tools/time",
		"python3 -m mcp.server.git":                    "mcp.server.git",
		"sh -c 'exec x'":                               "sh",
		"env A=b C=d npx some-server":                  "some-server",
		"env -i x":                                     "env",
		"npx":                                          "npx",
	} {
		words, err := SplitCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := CommandServer("", words).Name; got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Setenv("SCAN_TEST_A", "1")
	t.Setenv("HOME", "/home/me")
	s := Server{
		Command: []string{"${userHome}/x", "${SCAN_TEST_A}${env:SCAN_TEST_A}", "$SCAN_TEST_A", "${SCAN_TEST_NONE:-d}"},
		Dir:     "${workspaceFolder}", Headers: map[string]string{"k": "${env:SCAN_TEST_A}"}, Place: Place{File: "/w/.vscode/mcp.json"},
	}
	got, err := s.expanded()
	if err != nil || strings.Join(got.Command, " ") != "/home/me/x 11 $SCAN_TEST_A d" || got.Dir != "/w" || got.Headers["k"] != "1" {
		t.Errorf("%+v, %v", got, err)
	}
	if s.Command[1] == "11" || s.Headers["k"] == "1" {
		t.Error("the original changed")
	}
	s.Place.File = "/h/.gemini/settings.json"
	if got, _ := s.expanded(); got.Command[2] != "1" {
		t.Error(got.Command)
	}
	s.Env = map[string]string{"a": "${SCAN_TEST_NONE:-${HOME}/x}", "b": "${A1:-${B1:-${SCAN_TEST_A}}-z}", "c": "${HOME", "d": "${SCAN_TEST_NONE:-}"}
	if got, err := s.expanded(); err != nil || got.Env["a"] != "/home/me/x" || got.Env["b"] != "1-z" || got.Env["c"] != "${HOME" || got.Env["d"] != "" {
		t.Error(got.Env, err)
	}
	s.Env = map[string]string{"a": "${SCAN_TEST_NONE:-${input:token}}"}
	if got := s.input(); got != "" {
		t.Logf("an input within a default: %s", got)
	}
	s.Env = map[string]string{"x": "${env:SCAN_TEST_NONE}"}
	if _, err := s.expanded(); err == nil || !strings.Contains(err.Error(), "${env:SCAN_TEST_NONE}") {
		t.Error(err)
	}
}

func TestSplitCommand(t *testing.T) {
	for line, want := range map[string]string{
		`a b  c`: "[a b c]", `a 'b c' "d \"e\" \x" f\ g ''`: `[a b c d "e" \x f g ]`, "a'b'c": "[abc]", `$X *`: "[$X *]",
	} {
		got, err := SplitCommand(line)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{"", "  ", "'a", `"a\"`, `a\`} {
		if got, err := SplitCommand(line); err == nil {
			t.Errorf("%q gives %q", line, got)
		}
	}
}
