package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

const serverSecret = "tok-MARKED-9f2e"

// lockedServer is an MCP server that needs a bearer token, which its only tool and
// its errors repeat, and that gives one for client credentials.
func lockedServer(t *testing.T) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "locked", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "open_door", Description: "Opens a door for " + serverSecret, InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		if id != "client" || secret != "oauth-MARKED-77" || r.FormValue("grant_type") != "client_credentials" {
			http.Error(w, "no: "+secret, http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"`+serverSecret+`","token_type":"bearer"}`)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+serverSecret {
			http.Error(w, "not "+got, http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// evalAll runs a verb and returns both outputs and the error as text.
func (s *evalBench) evalAll(args ...string) string {
	var out bytes.Buffer
	cmd := newEvalCommand(&globalFlags{})
	cmd.SetArgs(append([]string{"--db", s.db}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.ExecuteContext(s.t.Context()); err != nil {
		out.WriteString(err.Error())
	}
	return out.String()
}

// Servers behind a login are evaluated, and their secrets are in no output, in no
// answer and not in the database.
func TestServersBehindALogin(t *testing.T) {
	address := lockedServer(t)
	t.Setenv("LOCKED_TOKEN", serverSecret)
	t.Setenv("LOCKED_CLIENT", "oauth-MARKED-77")
	t.Setenv("WRONG_TOKEN", "wrong-MARKED-1")
	dir := t.TempDir()
	tokenFile := filepath.Join(dir, "token")
	if err := os.WriteFile(tokenFile, []byte(serverSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := filepath.Join(dir, "cases.json")
	if err := os.WriteFile(cases, []byte(`[{"name":"door","query":"open door","servers":["locked"],"expected":[{"server":"locked","tool":"open_door"}]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	server := func(name, login string) string {
		path := filepath.Join(dir, name)
		saveText(t, path, login)
		return path
	}
	for name, add := range map[string][]string{
		"environment": {"servers", "add", "--header", "Authorization=Bearer ${env:LOCKED_TOKEN}", "locked", address + "/mcp"},
		"file":        {"servers", "add", "--header", "Authorization=Bearer ${file:" + tokenFile + "}", "locked", address + "/mcp"},
		"oauth": {"import", server("oauth.yaml", "servers:\n  - name: locked\n    url: "+address+"/mcp\n"+
			"    oauth: {token_url: "+address+"/token, client_id: client, client_secret: env:LOCKED_CLIENT}\n")},
		"set":           {"import", server("set.json", `{"servers":[{"name":"locked","url":"`+address+`/mcp","headers":{"Authorization":"Bearer ${env:LOCKED_TOKEN}"}}]}`)},
		"configuration": {"import", server("mcp.json", `{"mcpServers":{"locked":{"type":"http","url":"`+address+`/mcp","headers":{"Authorization":"Bearer ${LOCKED_TOKEN}"}}}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			s := &evalBench{t: t, db: filepath.Join(t.TempDir(), "eval.db")}
			said := s.evalAll(add...) + s.evalAll("servers", "check")
			if !strings.Contains(said, "locked  active") {
				t.Fatal(said)
			}
			said += s.evalAll("servers", "add", "--header", "Authorization=Bearer ${env:WRONG_TOKEN}", "wrong", address+"/mcp?x=1")
			if !strings.Contains(said, "wrong is failed") {
				t.Error(said)
			}
			said += s.evalAll("run", "--model", "lexical/bm25", "--require", "accuracy >= 1", cases)
			said += s.evalAll("servers") + s.evalAll("servers", "check") + s.evalAll("cases", "export") + s.evalAll("quality", "locked") + s.evalAll("runs")
			run := s.runs("runs")[0]
			if run.Status != selection.Completed || run.Classification != selection.TP {
				t.Errorf("%+v", run)
			}
			said += s.evalAll("runs", "show", run.ID)
			service := serveDB(t, s.db)
			for _, path := range []string{"/servers", "/runs/" + run.ID, "/runs/" + run.ID + "/tools", "/quality?server=locked", "/export", "/quality?server=wrong"} {
				said += service.read(path)
			}
			service.stop()
			for _, file := range []string{s.db, s.db + "-wal"} {
				b, err := os.ReadFile(file)
				if err == nil {
					said += string(b)
				}
			}
			if i := strings.Index(said, "MARKED"); i >= 0 {
				t.Errorf("a secret is in %q", said[max(0, i-200):min(len(said), i+100)])
			}
			if !strings.Contains(said, "Opens a door for ***") {
				t.Error("the tool was not listed")
			}
		})
	}
}

// A request sets up headers from its own headers alone, and starts nothing for a
// page of another site.
func TestLoginsOverREST(t *testing.T) {
	address := lockedServer(t)
	s := serveDB(t, filepath.Join(t.TempDir(), "eval.db"))
	send := func(method, path, body string, header ...string) (int, string) {
		req, err := http.NewRequest(method, s.address+"api/v1"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	body := func(value string) string {
		return `{"name":"locked","url":"` + address + `/mcp","login":{"headers":{"Authorization":"` + value + `"}}}`
	}
	for _, value := range []string{"Bearer " + serverSecret, "Bearer ${env:HOME}", "file:/etc/passwd", "${request:A}${env:HOME}"} {
		if status, answer := send("POST", "/servers", body(value)); status != 422 || strings.Contains(answer, serverSecret) {
			t.Errorf("%s: %d %s", value, status, answer)
		}
	}
	if status, answer := send("POST", "/servers", `{"name":"x","url":"http://127.0.0.1:1/${env:HOME}"}`); status != 422 {
		t.Errorf("%d %s", status, answer)
	}
	if status, answer := send("POST", "/servers", body("Bearer ${request:TOKEN}"), "X-MCP-Secret-Token", serverSecret); status != 201 || !strings.Contains(answer, `"active"`) {
		t.Errorf("%d %s", status, answer)
	}
	if status, answer := send("GET", "/quality?server=locked", "", "X-MCP-Secret-Token", serverSecret); status != 200 || strings.Contains(answer, serverSecret) {
		t.Errorf("%d %s", status, answer)
	}
	if status, answer := send("GET", "/quality?server=locked", ""); status == 200 || !strings.Contains(answer, "X-MCP-Secret-TOKEN") {
		t.Errorf("%d %s", status, answer)
	}
	if status, _ := send("GET", "/quality?server=locked", "", "Sec-Fetch-Site", "cross-site"); status != 403 {
		t.Errorf("a page of another site is served: %d", status)
	}
}

// One server has one entry, however its address is written.
func TestOneServerForAnAddress(t *testing.T) {
	s := &evalBench{t: t, db: filepath.Join(t.TempDir(), "eval.db")}
	s.evalAll("servers", "add", "a", "http://127.0.0.1:9/mcp#x")
	for _, same := range []string{"http://localhost:9/mcp", "http://LOCALHOST:9/mcp#y", "http://[::1]:9/mcp"} {
		if out := s.evalAll("servers", "add", "b", same); !strings.Contains(out, `server "a" has the same address`) {
			t.Errorf("%s: %s", same, out)
		}
	}
	if out := s.evalAll("servers", "add", "b", "http://localhost:9/other"); strings.Contains(out, "same address") {
		t.Error(out)
	}
}

// What people bring from mcp-tef and from their clients is imported.
func TestImportsOfOtherPrograms(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := &evalBench{t: t, db: filepath.Join(dir, "eval.db")}
	list := file("list.json", `{"items":[
		{"id":"1","name":"weather now","query":"How warm is it in Oslo?","expected_mcp_server_url":"http://127.0.0.1:9001/mcp","expected_tool_name":"now","expected_parameters":{"city":"Oslo"},"available_mcp_servers":["http://127.0.0.1:9001/mcp"]},
		{"id":"2","name":"none","query":"Hello!","expected_mcp_server_url":null,"expected_tool_name":null,"expected_parameters":null,"available_mcp_servers":["http://127.0.0.1:9001/mcp"]}],"total":2,"offset":0,"limit":100}`)
	if out := s.evalAll("import", list); !strings.Contains(out, "1 servers and 2 cases added") {
		t.Error(out)
	}
	template := file("template.json", `[{"name":"t","query":"q","expected_mcp_server_url":"${MCP_SERVER_URL}","expected_tool_name":"x","available_mcp_servers":["${MCP_SERVER_URL}"]},
		{"name":"broken","query":"q","expected_mcp_server_url":"http://h/mcp","expected_tool_name":"x","expected_parameters":[1],"available_mcp_servers":["http://h/mcp"]}]`)
	if out := s.evalAll("import", template); !strings.Contains(out, "--set MCP_SERVER_URL=VALUE") {
		t.Error(out)
	}
	if out := s.evalAll("import", "--set", "MCP_SERVER_URL=http://h/mcp", template); !strings.Contains(out, "case 2 was not read: ") || !strings.Contains(out, "and 1 cases added") {
		t.Error(out)
	}
	config := file("mcp.json", `{"mcpServers":{"hosted":{"type":"http","url":"https://h.example/mcp","headers":{"Authorization":"Bearer ${HOSTED_TOKEN}","X-Key":"sk-MARKED"}},
		"local":{"command":"npx","args":["-y","pkg","${DIR}"],"env":{"API_KEY":"sk-MARKED"}}}}`)
	out := s.evalAll("import", config)
	db, err := store.Open(t.Context(), s.db)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	hosted, err := db.ServerNamed(t.Context(), "hosted")
	if err != nil || hosted.Login.Headers["Authorization"] != "Bearer ${env:HOSTED_TOKEN}" || hosted.Login.Headers["X-Key"] != "${env:HOSTED_X_KEY}" {
		t.Errorf("%+v, %v, %s", hosted, err, out)
	}
	local, err := db.ServerNamed(t.Context(), "local")
	if err != nil || local.Login.Env["API_KEY"] != "${env:API_KEY}" || !strings.Contains(local.URL, "${DIR}") {
		t.Errorf("%+v, %v", local, err)
	}
	if !strings.Contains(out, "read from the environment variable API_KEY") || strings.Contains(out, "MARKED") {
		t.Error(out)
	}
}

// With a certificate the service speaks HTTPS.
func TestServeOverTLS(t *testing.T) {
	pair := httptest.NewUnstartedServer(nil)
	pair.StartTLS()
	certificate := pair.TLS.Certificates[0]
	pair.Close()
	dir := t.TempDir()
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: key}}
	for name, block := range files {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serveDB(t, filepath.Join(dir, "eval.db"), "--tls-cert", filepath.Join(dir, "cert.pem"), "--tls-key", filepath.Join(dir, "key.pem"))
	roots := x509.NewCertPool()
	leaf, err := x509.ParseCertificate(certificate.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(leaf)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	resp, err := client.Get(s.address + "api/v1/servers")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if !strings.HasPrefix(s.address, "https://127.0.0.1:") || resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", s.address, resp.Status)
	}
}
