package reference_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/reference"
	"github.com/touchstone-eval/touchstone/internal/testing/load"
)

// safeBuffer is a log that is safe for concurrent use.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// running is a proxy behind a real HTTP server.
type running struct {
	t     *testing.T
	proxy *reference.Proxy
	url   string
	log   *safeBuffer
}

func run(t *testing.T, timeout time.Duration, upstreams ...contracts.Upstream) *running {
	t.Helper()
	log := &safeBuffer{}
	p, err := reference.Start(contracts.ProxyConfig{Upstreams: upstreams}, nil, timeout, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p.Handler(true))
	t.Cleanup(p.Close)
	t.Cleanup(server.Close)
	<-p.Settled()
	return &running{t, p, server.URL, log}
}

// get fetches path into v and returns the status.
func (r *running) get(path string, v any) int {
	r.t.Helper()
	resp, err := http.Get(r.url + path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := json.Unmarshal(body, v); err != nil {
		r.t.Fatalf("GET %s: %v: %s", path, err, body)
	}
	return resp.StatusCode
}

func (r *running) session() *mcp.ClientSession {
	r.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(r.t.Context(), &mcp.StreamableClientTransport{Endpoint: r.url + "/mcp"}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { session.Close() })
	return session
}

// call calls one of the proxy's own tools and returns the text of its result.
func (r *running) call(session *mcp.ClientSession, tool string, arguments map[string]any) (text string, result *mcp.CallToolResult) {
	r.t.Helper()
	result, err := session.CallTool(r.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		r.t.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result
}

// wants waits until the status satisfies ok, because some changes come from other processes.
func (r *running) wants(ok func(reference.Status) bool) {
	r.t.Helper()
	var st reference.Status
	for range 1000 {
		r.get("/api/v1/status", &st)
		if ok(st) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.t.Fatalf("it stays %+v", st)
}

func TestSearchAndCallOverStdioAndHTTP(t *testing.T) {
	t.Setenv("PROXY_ONLY", "leaked")
	remote := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return greeter() }, nil))
	t.Cleanup(remote.CloseClientConnections)
	r := run(t, 20*time.Second, stdio(t, "local", fine), contracts.Upstream{Name: "remote", URL: remote.URL})

	var st reference.Status
	if code := r.get("/readyz", &st); code != http.StatusOK || st.State != reference.Ready || st.Expected != 6 || st.Indexed != 6 {
		t.Errorf("readyz: %d %+v", code, st)
	}
	var list reference.ToolList
	r.get("/api/v1/tools", &list)
	if list.Total != 6 || list.Tools[0].Server != "local" || list.Tools[3].Server != "remote" {
		t.Fatalf("got %+v", list)
	}
	greet := list.Tools[0]
	if greet.Name != "local:greet" || greet.State != reference.StateIndexed || greet.Approval != reference.ApprovalApproved ||
		!strings.Contains(string(greet.InputSchema), "who is greeted") {
		t.Errorf("got %+v", greet)
	}

	var rest contracts.SearchAnswer
	r.get("/api/v1/index/search?q=greet+a+person&limit=3", &rest)
	if len(rest.Tools) != 2 || rest.Tools[0].Name != "local:greet" || rest.Tools[1].Name != "remote:greet" || rest.Tools[0].Score <= 0 {
		t.Fatalf("got %+v", rest)
	}
	session := r.session()
	text, result := r.call(session, "retrieve_tools", map[string]any{"query": "greet a person", "limit": 3})
	var fromText, structured contracts.SearchAnswer
	if err := json.Unmarshal([]byte(text), &fromText); err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(result.StructuredContent)
	if err := json.Unmarshal(b, &structured); err != nil {
		t.Fatal(err)
	}
	normal := cmp.Transformer("JSON", func(m json.RawMessage) (v any) { _ = json.Unmarshal(m, &v); return v })
	if d := cmp.Diff(rest, fromText, normal); d != "" {
		t.Errorf("MCP's text is not what REST gives: %s", d)
	}
	if d := cmp.Diff(rest, structured, normal); d != "" {
		t.Errorf("MCP's structured content is not what REST gives: %s", d)
	}

	text, result = r.call(session, "call_tool", map[string]any{"name": "local:greet", "arguments": map[string]any{"name": "Ada"}})
	if text != "hello Ada " || result.IsError {
		t.Errorf("local: %q %v", text, result.IsError)
	}
	text, result = r.call(session, "call_tool", map[string]any{"name": "remote:greet", "arguments": map[string]any{"name": "Ada"}})
	if text != " Ada leaked" || result.IsError { // it runs in this very process
		t.Errorf("remote: %q %v", text, result.IsError)
	}
	for name, want := range map[string]string{
		"greet":       "there is no tool",
		"local:other": "there is no tool",
	} {
		if text, result := r.call(session, "call_tool", map[string]any{"name": name}); !result.IsError || !strings.Contains(text, want) {
			t.Errorf("%s: %q", name, text)
		}
	}
	// The upstream's own error is passed on.
	if text, result := r.call(session, "call_tool", map[string]any{"name": "local:greet", "arguments": map[string]any{"name": 7}}); !result.IsError {
		t.Errorf("a wrong argument was taken: %q", text)
	}
}

func TestBadRequests(t *testing.T) {
	r := run(t, time.Second)
	for path, want := range map[string]string{
		"/api/v1/index/search":                                      "query is empty",
		"/api/v1/index/search?q=":                                   "query is empty",
		"/api/v1/index/search?q=a&limit=x":                          "not a number",
		"/api/v1/index/search?q=a&limit=0":                          "out of range",
		"/api/v1/index/search?q=a&limit=101":                        "out of range",
		"/api/v1/index/search?q=" + strings.Repeat("a", (64<<10)+1): "the limit is 65536",
	} {
		var e struct{ Error string }
		if code := r.get(path, &e); code != http.StatusBadRequest || !strings.Contains(e.Error, want) {
			t.Errorf("%.40s: %d %q, want %q", path, code, e.Error, want)
		}
	}
	session := r.session()
	for _, args := range []map[string]any{{}, {"query": ""}, {"query": "a", "limit": -1}, {"query": 3}} {
		if text, result := r.call(session, "retrieve_tools", args); !result.IsError {
			t.Errorf("%v: %q", args, text)
		}
	}
	var answer contracts.SearchAnswer
	if code := r.get("/api/v1/index/search?q=anything", &answer); code != http.StatusOK || answer.Tools == nil || answer.Total != 0 {
		t.Errorf("a proxy without tools: %d %+v", code, answer)
	}
}

// A web page must not reach the proxy through a name that resolves to this machine, nor by a cross-origin
// request.
func TestOnlyLocalClients(t *testing.T) {
	r := run(t, time.Second)
	do := func(method, host, origin string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, r.url+"/api/v1/status", nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for host, want := range map[string]int{
		"": 200, "localhost:1": 200, "127.0.0.1": 200, "[::1]:80": 200,
		"evil.example": 403, "127.0.0.1.evil.example:80": 403, "10.0.0.1": 403,
	} {
		if got := do(http.MethodGet, host, ""); got != want {
			t.Errorf("host %q: %d, want %d", host, got, want)
		}
	}
	if got := do(http.MethodPost, "", "http://evil.example"); got != http.StatusForbidden {
		t.Errorf("a cross-origin request: %d", got)
	}
}

func TestUpstreamsThatFailAreVisibleAndHarmNoOther(t *testing.T) {
	t.Parallel() // it mostly waits
	unused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + unused.Addr().String()
	unused.Close()
	upstreams := []contracts.Upstream{
		stdio(t, dies, dies), stdio(t, hangs, hangs), stdio(t, garbage, garbage), stdio(t, twice, twice),
		stdio(t, endless, endless), {Name: "absent", Command: []string{"/no/such/program"}}, {Name: "unreachable", URL: closed},
		stdio(t, fine, fine),
	}
	r := run(t, load.Stretch(500*time.Millisecond), upstreams...)
	var st reference.Status
	r.get("/api/v1/status", &st)
	if st.State != reference.Ready || st.Indexed != 3 {
		t.Errorf("got %+v", st)
	}
	want := map[string]string{
		dies: "", hangs: "in time", garbage: "", twice: `lists the tool "a" twice`,
		endless: "", "absent": "no such file", "unreachable": "refused",
	}
	for i, up := range st.Upstreams {
		if up.Name != upstreams[i].Name {
			t.Errorf("place %d has %q", i, up.Name)
		}
		if up.Name == fine {
			if up.State != reference.UpstreamReady || up.Error != "" {
				t.Errorf("got %+v", up)
			}
			continue
		}
		if up.State != reference.UpstreamFailed || up.Error == "" || !strings.Contains(up.Error, want[up.Name]) {
			t.Errorf("got %+v, want %q", up, want[up.Name])
		}
	}
	if !strings.Contains(r.log.String(), "no licence found") {
		t.Errorf("what a server wrote before it died is not in the log:\n%s", r.log)
	}
	var answer contracts.SearchAnswer
	r.get("/api/v1/index/search?q=kind+word", &answer)
	if answer.Total != 1 {
		t.Errorf("got %+v", answer)
	}
}

func TestUpstreamThatEndsLater(t *testing.T) {
	r := run(t, 20*time.Second, stdio(t, "leaver", fine), stdio(t, "stayer", fine))
	text, result := r.call(r.session(), "call_tool", map[string]any{"name": "leaver:leave"})
	if !result.IsError {
		t.Errorf("got %q", text)
	}
	r.wants(func(st reference.Status) bool {
		return st.Indexed == 3 && st.Upstreams[0].State == reference.UpstreamFailed
	})
}

func TestCallThatTakesTooLong(t *testing.T) {
	t.Parallel() // it mostly waits
	timeout := load.Stretch(500 * time.Millisecond).Round(100 * time.Millisecond)
	r := run(t, timeout, stdio(t, "slow", fine))
	text, result := r.call(r.session(), "call_tool", map[string]any{"name": "slow:wait"})
	if !result.IsError || !strings.Contains(text, "did not answer within "+timeout.String()) {
		t.Errorf("got %q", text)
	}
}

func TestQuarantine(t *testing.T) {
	r := run(t, 20*time.Second, stdio(t, "mixed", poisoned))
	var st reference.Status
	r.get("/api/v1/status", &st)
	if st.Expected != 4 || st.Indexed != 3 || st.Quarantined != 1 {
		t.Errorf("got %+v", st)
	}
	var list reference.ToolList
	r.get("/api/v1/tools", &list)
	found := false
	for _, tool := range list.Tools {
		if tool.Name == "mixed:poison" {
			found = true
			if tool.State != reference.StateQuarantined || tool.Approval != reference.ApprovalPending || len(tool.Findings) == 0 || tool.Findings[0].Check == "" {
				t.Errorf("got %+v", tool)
			}
		} else if tool.State != reference.StateIndexed || len(tool.Findings) != 0 {
			t.Errorf("got %+v", tool)
		}
	}
	if !found {
		t.Error("a quarantined tool is not listed")
	}
	var answer contracts.SearchAnswer
	r.get("/api/v1/index/search?q=poison+adds+two+numbers", &answer)
	if answer.Total != 0 {
		t.Errorf("a quarantined tool is found: %+v", answer)
	}
	text, result := r.call(r.session(), "call_tool", map[string]any{"name": "mixed:poison"})
	if !result.IsError || !strings.Contains(text, "is quarantined") || !strings.Contains(text, list.Tools[0].Server) && !strings.Contains(text, "dangerous") {
		t.Errorf("got %q", text)
	}
}

// A tool that was harmless when it was approved and is not any more.
func TestRugPull(t *testing.T) {
	r := run(t, 20*time.Second, stdio(t, "lizard", chameleon))
	session := r.session()
	if text, _ := r.call(session, "call_tool", map[string]any{"name": "lizard:sum"}); text != "three" {
		t.Fatalf("got %q", text)
	}
	r.wants(func(st reference.Status) bool { return st.Quarantined == 1 })
	var list reference.ToolList
	r.get("/api/v1/tools", &list)
	if list.Tools[0].Approval != reference.ApprovalChanged {
		t.Errorf("got %+v", list.Tools[0])
	}
	if text, result := r.call(session, "call_tool", map[string]any{"name": "lizard:sum"}); !result.IsError || !strings.Contains(text, "differs from its approved content") {
		t.Errorf("got %q", text)
	}
}

// A change that is reported before the first listing is noticed. Many changes that are reported together
// count as one.
func TestChangesAreSeenOnce(t *testing.T) {
	t.Parallel() // it mostly waits
	r := run(t, 60*time.Second, stdio(t, "hasty", hasty), stdio(t, "restless", restless))
	asked := 0
	r.wants(func(reference.Status) bool {
		var list reference.ToolList
		r.get("/api/v1/tools", &list)
		if len(list.Tools) != 2 || list.Tools[0].Tool != "new" {
			return false
		}
		_, err := fmt.Sscanf(list.Tools[1].Tool, "asked_%d", &asked)
		return err == nil
	})
	if asked > 10 {
		t.Errorf("five hundred words of one change had the list read %d times", asked)
	}
}

func TestCloseEndsEveryProcess(t *testing.T) {
	log := &safeBuffer{}
	p, err := reference.Start(contracts.ProxyConfig{Upstreams: []contracts.Upstream{stdio(t, "s", stubborn), stdio(t, "h", hangs)}}, nil,
		20*time.Second, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	var child string
	for child == "" {
		_, rest, found := strings.Cut(log.String(), `"child `)
		if digits, _, whole := strings.Cut(rest, `"`); found && whole {
			child = digits
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.Close() // while one of them is still being connected
	for range 500 {
		stat, err := os.ReadFile("/proc/" + child + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the child %s of an upstream still runs", child)
}

func TestConfigThatMakesNoSense(t *testing.T) {
	cmd := []string{"true"}
	for want, ups := range map[string][]contracts.Upstream{
		"has no name":         {{Command: cmd}},
		"colon":               {{Name: "a:b", Command: cmd}},
		"is configured twice": {{Name: "a", Command: cmd}, {Name: "a", Command: cmd}},
		"neither":             {{Name: "a"}},
		"and a url":           {{Name: "a", Command: cmd, URL: "http://x"}},
		"start with http":     {{Name: "a", URL: "ftp://x"}},
		"and name a host":     {{Name: "a", URL: "http://"}},
	} {
		p, err := reference.Start(contracts.ProxyConfig{Upstreams: ups}, nil, time.Second, slog.New(slog.DiscardHandler))
		if err == nil {
			p.Close()
			t.Errorf("%v was accepted", ups)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestServe(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	log := &safeBuffer{}
	options := func(listen string) reference.Options {
		return reference.Options{
			Config: contracts.ProxyConfig{Upstreams: []contracts.Upstream{stdio(t, "s", fine)}},
			Listen: listen, UpstreamTimeout: 20 * time.Second, Log: slog.New(slog.NewTextHandler(log, nil)),
		}
	}
	for listen, want := range map[string]string{
		taken.Addr().String(): "address already in use: choose another port",
		"0.0.0.0:0":           "only listens on loopback",
		":0":                  "only listens on loopback",
		"nonsense":            "such as 127.0.0.1:0",
	} {
		if err := reference.Serve(t.Context(), options(listen)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", listen, err, want)
		}
	}
	if strings.Contains(log.String(), "upstream ready") {
		t.Error("upstreams were started although there was nothing to listen on")
	}

	opts := options("127.0.0.1:0")
	opts.ReadyFile = filepath.Join(t.TempDir(), "ready.json")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- reference.Serve(ctx, opts) }()
	var where reference.Announcement
	for where.URL == "" {
		if b, err := os.ReadFile(opts.ReadyFile); err == nil {
			if err := json.Unmarshal(b, &where); err != nil {
				t.Fatalf("%v: %s", err, b)
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	resp, err := http.Get(where.URL + "/healthz")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("healthz: %v, %v", resp, err)
	}
	if where.MCP != where.URL+"/mcp" {
		t.Errorf("got %+v", where)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("stopping returned an error: %v", err)
	}
	if _, err := http.Get(where.URL + "/healthz"); err == nil {
		t.Error("it still answers")
	}
}

// Many servers are indexed in the configured order.
func TestOrderOfUpstreams(t *testing.T) {
	var ups []contracts.Upstream
	for i := range 20 {
		ups = append(ups, stdio(t, fmt.Sprintf("s%02d", (i*7)%20), fine))
	}
	r := run(t, 30*time.Second, ups...)
	var list reference.ToolList
	r.get("/api/v1/tools", &list)
	for i, tool := range list.Tools {
		if want := ups[i/3].Name; tool.Server != want {
			t.Fatalf("place %d has %s, want %s", i, tool.Name, want)
		}
	}
}
