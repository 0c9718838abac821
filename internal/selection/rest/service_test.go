package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/selection/page"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// bench is the service over a real database, with a real MCP server to register.
type bench struct {
	t       *testing.T
	dir     string
	store   *store.Store
	runner  *runner.Runner
	service *Service
	url     string // of the service
	mcp     string // of an MCP server with the tools get_weather and search
	stop    context.CancelFunc
	stopped chan error
}

func newBench(t *testing.T, change ...func(*Config)) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), mcp: mcpServer(t), stopped: make(chan error, 1)}
	var err error
	if b.store, err = store.Open(t.Context(), filepath.Join(b.dir, "eval.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.store.Close() })
	guard := Guard{Allow: Loopback}
	c := Config{Store: b.store, Live: runner.Live{Dial: guard.Dial}, Version: "0.0.0"}
	for _, f := range change {
		f(&c)
	}
	if b.runner, err = runner.New(t.Context(), b.store, c.Live, runner.Options{Client: guard.Client()}); err != nil {
		t.Fatal(err)
	}
	c.Runner = b.runner
	if b.service, err = New(c); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	b.stop = cancel
	ended := make(chan struct{})
	go func() {
		b.stopped <- b.service.Serve(ctx, l)
		close(ended)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return b
}

func mcpServer(t *testing.T) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for name, description := range map[string]string{
		"get_weather": "Get the weather of a city", "search": "Search documents for words",
	} {
		server.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(
			`{"type":"object","properties":{"city":{"type":"string","description":"name of the city"}},"required":["city"]}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, errors.New("never called")
			})
	}
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(s.Close)
	return s.URL
}

// reply is an answer of the service.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// call sends a request. Headers are "Name: value".
func (b *bench) call(method, path string, body any, headers ...string) reply {
	b.t.Helper()
	var text []byte
	switch v := body.(type) {
	case nil:
	case []byte:
		text = v
	case string:
		text = []byte(v)
	default:
		var err error
		if text, err = json.Marshal(v); err != nil {
			b.t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, bytes.NewReader(text))
	if err != nil {
		b.t.Fatal(err)
	}
	if text != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, answer}
}

// want fails the test unless the status is as expected, and decodes the body.
func (r reply) want(t *testing.T, status int, into any) reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("got %d %s, want %d", r.status, r.body, status)
	}
	if status >= 400 && r.header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("the error is %s: %s", r.header.Get("Content-Type"), r.body)
	}
	if into != nil {
		if err := json.Unmarshal(r.body, into); err != nil {
			t.Fatalf("%v: %s", err, r.body)
		}
	}
	return r
}

const testToken = "0123456789abcdef0123"

func TestProtection(t *testing.T) {
	local := newBench(t)
	guarded := newBench(t, func(c *Config) {
		c.Access = Access{Token: testToken, Remote: true, Hosts: []string{"eval.example.com"}}
	})
	for name, c := range map[string]struct {
		b            *bench
		method, path string
		headers      []string
		status       int
	}{
		"plain":                          {local, "GET", serversPath, nil, 200},
		"localhost":                      {local, "GET", serversPath, []string{"Host: localhost:1"}, 200},
		"rebound name":                   {local, "GET", serversPath, []string{"Host: attacker.example"}, 421},
		"rebound name, health":           {local, "GET", healthPath, []string{"Host: attacker.example"}, 421},
		"other address":                  {local, "GET", serversPath, []string{"Host: 10.0.0.1"}, 421},
		"other origin":                   {local, "POST", serversPath, []string{"Origin: https://attacker.example"}, 403},
		"null origin":                    {local, "POST", serversPath, []string{"Origin: null"}, 403},
		"other site":                     {local, "DELETE", serversPath + "/x", []string{"Sec-Fetch-Site: cross-site"}, 403},
		"same origin":                    {local, "DELETE", serversPath + "/x", []string{"Sec-Fetch-Site: same-origin"}, 404},
		"preflight":                      {local, "OPTIONS", serversPath, []string{"Origin: https://attacker.example", "Access-Control-Request-Method: POST"}, 405},
		"no such path":                   {local, "GET", "/nothing", nil, 404},
		"no such method":                 {local, "PUT", serversPath, nil, 405},
		"unknown parameter":              {local, "GET", serversPath + "?api_key=x", nil, 422},
		"no token":                       {guarded, "GET", serversPath, nil, 401},
		"no token, openapi":              {guarded, "GET", "/openapi.json", nil, 401},
		"no token, metrics":              {guarded, "GET", "/metrics", nil, 401},
		"no token, page":                 {guarded, "GET", "/", nil, 200},
		"no token, file of the page":     {guarded, "GET", "/page/main.js", nil, 200},
		"no token, no file of the page":  {guarded, "GET", "/page/../openapi.json", nil, 401},
		"rebound name, page":             {local, "GET", "/", []string{"Host: attacker.example"}, 421},
		"page, other method":             {local, "POST", "/", nil, 405},
		"no such file of the page":       {local, "GET", "/page/none.js", nil, 404},
		"no token, health":               {guarded, "GET", healthPath, nil, 200},
		"wrong token":                    {guarded, "GET", serversPath, []string{"Authorization: Bearer " + testToken + "x"}, 401},
		"wrong scheme":                   {guarded, "GET", serversPath, []string{"Authorization: Basic " + testToken}, 401},
		"token":                          {guarded, "GET", serversPath, []string{"Authorization: Bearer " + testToken}, 200},
		"token, its name":                {guarded, "GET", serversPath, []string{"Authorization: Bearer " + testToken, "Host: EVAL.example.com:8420"}, 200},
		"token, an address":              {guarded, "GET", serversPath, []string{"Authorization: Bearer " + testToken, "Host: 10.0.0.1:8420"}, 200},
		"token, another name":            {guarded, "GET", serversPath, []string{"Authorization: Bearer " + testToken, "Host: attacker.example"}, 421},
		"token and a page of a stranger": {guarded, "POST", serversPath, []string{"Authorization: Bearer " + testToken, "Origin: https://attacker.example"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.b.call(c.method, c.path, nil, c.headers...).want(t, c.status, nil)
			for header := range r.header {
				if strings.HasPrefix(header, "Access-Control-") {
					t.Errorf("the answer has the header %s", header)
				}
			}
			if r.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Error("the answer may be sniffed")
			}
		})
	}
	if _, err := New(Config{Access: Access{Remote: true}}); err == nil {
		t.Error("a remote service without a token was built")
	}
	if _, err := New(Config{Access: Access{Token: "short"}}); err == nil {
		t.Error("a short token was taken")
	}
}

// The page may run its own scripts. What the API answers is never shown as a page.
func TestPolicies(t *testing.T) {
	b := newBench(t)
	const api = "default-src 'none'; frame-ancestors 'none'"
	for path, want := range map[string][2]string{
		"/": {page.Policy, "text/html; charset=utf-8"}, "/page/main.js": {page.Policy, "text/javascript; charset=utf-8"},
		"/page/views/story.js": {page.Policy, "text/javascript; charset=utf-8"}, "/page/style.css": {page.Policy, "text/css; charset=utf-8"},
		serversPath: {api, "application/json"}, "/page/none.js": {api, "application/problem+json"}, "/openapi.json": {api, "application/openapi+json"},
	} {
		r := b.call("GET", path, nil)
		if got := [2]string{r.header.Get("Content-Security-Policy"), r.header.Get("Content-Type")}; got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
		if tag := r.header.Get("ETag"); r.status == 200 && path != "/openapi.json" {
			b.call("GET", path, nil, "If-None-Match: "+tag).want(t, 304, nil)
		}
	}
	for _, part := range []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'none'",
	} {
		if !slices.Contains(strings.Split(page.Policy, "; "), part) {
			t.Errorf("the policy of the page lacks %s", part)
		}
	}
}

func TestBodiesAreLimited(t *testing.T) {
	b := newBench(t)
	b.call("POST", serversPath, `{"name":"`+strings.Repeat("a", maxBody)+`"}`).want(t, 413, nil)
	b.call("POST", serversPath, `{"name":`).want(t, 400, nil)
	b.call("POST", serversPath, `{}`).want(t, 422, nil)
}

func TestHealthAndMetrics(t *testing.T) {
	b := newBench(t)
	b.call("GET", healthPath, nil).want(t, 200, nil)
	b.call("GET", serversPath+"/none", nil).want(t, 404, nil)
	text := string(b.call("GET", "/metrics", nil).want(t, 200, nil).body)
	for _, line := range []string{
		`touchstone_runs{status="completed"} 0`,
		`touchstone_http_request_duration_seconds_count{method="GET",route="GET /api/v1/servers/{id}",code="404"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
}

func TestGuard(t *testing.T) {
	closed := Guard{}
	open := Guard{Allow: append([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, Loopback...)}
	for address, want := range map[string][2]bool{ // allowed by closed, by open
		"8.8.8.8": {true, true}, "2606:4700::1111": {true, true},
		"127.0.0.1": {false, true}, "::1": {false, true}, "::ffff:127.0.0.1": {false, true},
		"10.1.2.3": {false, true}, "10.2.0.1": {false, false}, "192.168.0.1": {false, false}, "172.16.0.1": {false, false},
		"169.254.169.254": {false, false}, "::ffff:169.254.169.254": {false, false}, "fe80::1": {false, false}, "fd00::1": {false, false},
		"0.0.0.0": {false, false}, "::": {false, false}, "100.64.0.1": {false, false}, "64:ff9b::a9fe:a9fe": {false, false},
		"2002:7f00:1::": {false, false}, "::127.0.0.1": {false, false}, "224.0.0.1": {false, false}, "255.255.255.255": {false, false},
	} {
		a := netip.MustParseAddr(address)
		if got := [2]bool{closed.check(a) == nil, open.check(a) == nil}; got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}

func TestTheGuardIsAtTheDialer(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Live.Dial = Guard{}.Dial })
	for _, address := range []string{b.mcp, strings.Replace(b.mcp, "127.0.0.1", "localhost", 1) + "/other"} {
		var s checkedServer
		b.call("POST", serversPath, map[string]string{"name": "server " + address, "url": address}).want(t, 201, &s)
		if s.Status != "failed" || !strings.Contains(s.Reason, "--allow network=") {
			t.Errorf("%s: %+v", address, s)
		}
	}
}

func TestServers(t *testing.T) {
	b := newBench(t)
	var first checkedServer
	created := b.call("POST", serversPath, map[string]string{"name": "weather", "url": b.mcp}, "Idempotency-Key: one").want(t, 201, &first)
	if first.Status != "active" || first.Reason != "" || created.header.Get("Location") != serversPath+"/"+first.ID {
		t.Fatalf("%+v, %v", first, created.header)
	}
	again := b.call("POST", serversPath, map[string]string{"name": "weather", "url": b.mcp}, "Idempotency-Key: one").want(t, 201, nil)
	if !bytes.Equal(again.body, created.body) || again.header.Get("Idempotency-Replayed") != "true" || again.header.Get("Location") == "" {
		t.Errorf("the replay is %s, %v", again.body, again.header)
	}
	b.call("POST", serversPath, map[string]string{"name": "other", "url": b.mcp}, "Idempotency-Key: one").want(t, 422, nil)
	b.call("POST", serversPath, map[string]string{"name": "weather", "url": b.mcp + "/x"}).want(t, 409, nil)
	b.call("POST", serversPath, map[string]string{"name": "program", "url": "stdio:true"}).want(t, 403, nil)
	b.call("POST", serversPath, map[string]string{"name": "file", "url": "file:///etc/passwd"}).want(t, 422, nil)

	got := b.call("GET", serversPath+"/"+first.ID, nil).want(t, 200, nil)
	tag := got.header.Get("ETag")
	if tag == "" || tag != created.header.Get("ETag") || bytes.Contains(got.body, []byte("get_weather")) {
		t.Errorf("%s, %v", got.body, got.header)
	}
	if r := b.call("GET", serversPath+"/"+first.ID, nil, "If-None-Match: "+tag).want(t, 304, nil); r.header.Get("ETag") != tag {
		t.Error("304 has no ETag")
	}
	b.call("PATCH", serversPath+"/"+first.ID, map[string]string{"name": "x"}, `If-Match: "old"`).want(t, 412, nil)
	var changed checkedServer
	b.call("PATCH", serversPath+"/"+first.ID, map[string]string{"url": "http://127.0.0.1:1/mcp"}, "If-Match: "+tag).want(t, 200, &changed)
	if changed.Status != "failed" || changed.Reason == "" || changed.Name != "weather" {
		t.Errorf("%+v", changed)
	}
	b.call("GET", serversPath+"/"+first.ID, nil, "If-None-Match: "+tag).want(t, 200, nil)
	b.call("PATCH", serversPath+"/"+first.ID, map[string]string{"url": "stdio:true"}).want(t, 403, nil)

	for _, name := range []string{"b", "a", "c"} {
		b.call("POST", serversPath, map[string]string{"name": name, "url": "http://127.0.0.1:1/" + name}).want(t, 201, nil)
	}
	var page listPage[checkedServer]
	b.call("GET", serversPath+"?limit=2&offset=1&sort=-name", nil).want(t, 200, &page)
	if page.Total != 4 || len(page.Items) != 2 || page.Items[0].Name != "c" || page.Items[1].Name != "b" {
		t.Errorf("%+v", page)
	}
	b.call("GET", serversPath+"?sort=password", nil).want(t, 422, nil)
	b.call("DELETE", serversPath+"/"+first.ID, nil).want(t, 204, nil)
	b.call("GET", serversPath+"/"+first.ID, nil).want(t, 404, nil)
}
