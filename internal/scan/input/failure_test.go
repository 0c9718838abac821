//go:build unix

package input

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// failed lists a server that fails.
func failed(t *testing.T, s Server, timeout time.Duration) Unscanned {
	t.Helper()
	in := mustList(t, timeout, s)
	if len(in.Tools) != 0 || len(in.Unscanned) != 1 {
		t.Fatal(brief(in))
	}
	return in.Unscanned[0]
}

// A program that fails says why on its standard error, and its end says the rest.
func TestWhyAProgramFailed(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	for name, content := range map[string]string{"plain": "", "garbage": "no program"} {
		mode := os.FileMode(0o644)
		if name == "garbage" {
			mode = 0o755
		}
		// A process that a parallel test starts meanwhile would keep the file open for
		// writing, and the system does not run such a file.
		syscall.ForkLock.RLock()
		err := os.WriteFile(filepath.Join(dir, name), []byte(content), mode)
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]struct{ reason, remedy, output string }{
		`sh -c 'for i in 1 2 3 4 5 6 7; do echo line $i >&2; done; printf "\033[31mred\033[0m \033[2Jx\n\n" >&2; exit 3'`: {
			"it ended (exit status 3) before it answered", `--server-command "env NAME=value PROGRAM"`, "line 4|line 5|line 6|line 7|red \\u{1B}[2Jx",
		},
		`sh -c 'kill -9 $$'`:  {"it ended (signal: killed) before it answered", "memory", ""},
		`sh -c 'kill -11 $$'`: {"it ended (signal: segmentation fault", "give it what it needs", ""},
		`sh -c 'read -r _; echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}}"; exit 7'`: {
			"it ended (exit status 7) before it had listed its tools", "", "",
		},
		`true`:                   {"it ended (exit status 0) before it answered", "check that it is an MCP server", ""},
		`echo 'Usage: echo ...'`: {"it ended (exit status 0) before it answered", "whether it needs arguments", "Usage: echo ..."},
		`cat`:                    {"it answered its first request with an error: ", "check that it is an MCP server", ""},
		`npxx -y server`:         {"command not found: there is no npxx in PATH", "install it, or give its full path", ""},
		dir + "/none":            {"command not found: there is no file " + dir + "/none", "correct the path", ""},
		dir + "/plain":           {"it could not be started: " + dir + "/plain is not executable", "make it executable", ""},
		dir + "/garbage":         {"it could not be started: " + dir + "/garbage is no program for this system", "put its interpreter before it", ""},
	} {
		words, err := SplitCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		u := failed(t, CommandServer("s", words), time.Minute)
		if !strings.HasPrefix(u.Reason, want.reason) || !strings.Contains(u.Remedy, want.remedy) || strings.Join(u.Output, "|") != want.output {
			t.Errorf("%s:\n%+v\nwant %+v", line, u, want)
		}
	}
	u := failed(t, CommandServer("s", []string{"sh", "-c", "echo Downloading >&2; exec sleep 600"}), 2*time.Second)
	if u.Reason != "it did not answer within 2s" || !strings.HasPrefix(u.Remedy, "allow more time with --timeout") || !cmp.Equal(u.Output, []string{"Downloading"}) {
		t.Errorf("%+v", u)
	}
	// The remedy for a server of a configuration names the file.
	s := stdioServer(t, "dies")
	if u := failed(t, s, time.Minute); !strings.Contains(u.Remedy, "env in its entry") || !cmp.Equal(u.Output, []string{`no licence\u{1B}[2J found`}) {
		t.Errorf("%+v", u)
	}
	s.Command = []string{"npx-of-nobody"}
	if u := failed(t, s, time.Minute); !strings.Contains(u.Remedy, "in c.json:3") {
		t.Errorf("%+v", u)
	}
	s.Dir = dir + "/none"
	if u := failed(t, s, time.Minute); !strings.Contains(u.Reason, "its directory "+dir+"/none does not exist") {
		t.Errorf("%+v", u)
	}
}

// An HTTP server that is no endpoint, or that refuses the client.
func TestWhyAURLFailed(t *testing.T) {
	t.Parallel()
	answer := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}
	}
	const page, object = "text/html; charset=utf-8", "application/json"
	for name, tt := range map[string]struct {
		handler        http.HandlerFunc
		header         string
		reason, remedy string
	}{
		"401":        {answer(401, object, `{"error": "no token"}`), "", `HTTP status 401 (Unauthorized): {"error": "no token"}`, `--header "Authorization: Bearer TOKEN"`},
		"401 token":  {answer(401, object, ""), "Bearer abcdef", "HTTP status 401 (Unauthorized)", "check the token"},
		"403":        {answer(403, page, "<html>"), "", "HTTP status 403 (Forbidden)", `--header "Authorization: Bearer TOKEN"`},
		"404":        {answer(404, "text/plain", "404 page not found\n"), "", "HTTP status 404 (Not Found): 404 page not found, also over SSE", "/mcp or http://127.0.0.1:"},
		"429":        {answer(429, object, ""), "", "HTTP status 429 (Too Many Requests)", "wait"},
		"500":        {answer(500, page, ""), "", "HTTP status 500 (Internal Server Error)", "scan it again later"},
		"page":       {answer(200, page, "<html>"), "", "it answered with content of the type text/html", "it is no endpoint of an MCP server"},
		"other JSON": {answer(200, object, `{"status": "ok"}`), "", "it answered with JSON that is no answer of MCP", "it is no endpoint of an MCP server"},
		"only SSE": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(map[string]int{"POST": 405}[r.Method] | map[string]int{"GET": 401}[r.Method])
		}, "", "HTTP status 401", "--header"},
		"other place": {http.RedirectHandler("http://example.invalid/mcp", http.StatusTemporaryRedirect).ServeHTTP, "", "it redirects to another host, example.invalid", "if you trust it"},
	} {
		web := httptest.NewServer(tt.handler)
		s, err := URLServer("s", web.URL+"/x", map[string]string{})
		if err != nil {
			t.Fatal(err)
		}
		if tt.header != "" {
			s.Headers["Authorization"] = tt.header
		}
		u := failed(t, s, time.Minute)
		web.Close()
		if !strings.Contains(u.Reason, tt.reason) || !strings.Contains(u.Remedy, tt.remedy) || strings.Contains(u.Reason, "calling") {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

func TestWhyThereIsNoConnection(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	for address, want := range map[string][2]string{
		"http://127.0.0.1:1/mcp":                        {"connection refused: nothing listens at 127.0.0.1:1", "start the server"},
		"http://none.invalid/mcp":                       {"the host none.invalid was not found", "check the address"},
		"https" + strings.TrimPrefix(plain.URL, "http"): {"does not speak TLS", "write http://"},
		secure.URL: {"signed by an authority that is not trusted here", "SSL_CERT_FILE"},
		"http" + strings.TrimPrefix(secure.URL, "https"): {"HTTP request to an HTTPS server", "write https://"},
	} {
		s, err := URLServer("s", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if u := failed(t, s, time.Minute); !strings.Contains(u.Reason, want[0]) || !strings.Contains(u.Remedy, want[1]) {
			t.Errorf("%s: %+v", address, u)
		}
	}
}
