package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model/modeltest"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// evalBench is a database that a running touchstone eval serve may use.
type evalBench struct {
	t       *testing.T
	db      string
	address string
	stop    func()
}

func serveDB(t *testing.T, db string, flags ...string) *evalBench {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		cmd := newServeCommand()
		cmd.SetArgs(append([]string{"--db", db, "--listen", "127.0.0.1:0"}, flags...))
		cmd.SetOut(write)
		cmd.SetErr(io.Discard)
		err := cmd.ExecuteContext(ctx)
		write.CloseWithError(err)
		ended <- err
	}()
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s := &evalBench{t: t, db: db, address: strings.TrimSpace(address)}
	stopped := false
	s.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(s.stop)
	return s
}

// eval runs a verb of touchstone eval on the database that is served.
func (s *evalBench) eval(args ...string) (string, error) {
	var out bytes.Buffer
	cmd := newEvalCommand(&globalFlags{json: true})
	cmd.SetArgs(append([]string{"--db", s.db}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(s.t.Context())
	return out.String(), err
}

func (s *evalBench) runs(args ...string) []selection.Run {
	s.t.Helper()
	out, err := s.eval(args...)
	if err != nil {
		s.t.Fatal(args, err)
	}
	var page evalPage[selection.Run]
	if err := json.Unmarshal([]byte(out), &page); err != nil {
		s.t.Fatal(err)
	}
	return page.Items
}

func (s *evalBench) post(path string, body any, into any) {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.Post(s.address+"api/v1"+path, "application/json", bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		s.t.Fatalf("%s: %s, %v", resp.Status, answer, err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		s.t.Fatal(err)
	}
}

// weatherServer is an MCP server with one tool.
func weatherServer(t *testing.T) string {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "get_weather", Description: "Get the weather of a city", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("never called")
		})
	s := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(s.Close)
	return s.URL
}

func TestVerbsBesideAService(t *testing.T) {
	asked := make(chan struct{}, 10)
	provider := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
		asked <- struct{}{}
		return modeltest.Reply{Hang: true}
	})
	s := serveDB(t, filepath.Join(t.TempDir(), "eval.db"))
	var c selection.Case
	s.post("/servers", map[string]string{"name": "weather", "url": weatherServer(t)}, &selection.Server{})
	s.post("/cases", map[string]any{"name": "c", "query": "weather", "servers": []string{"weather"}}, &c)
	var started struct {
		BatchID string   `json:"batch_id"`
		RunIDs  []string `json:"run_ids"`
	}
	s.post("/runs", map[string]any{
		"test_case_ids": []string{c.ID}, "repeats": 2,
		"models": []any{map[string]any{"provider": "compatible", "model": "m", "base_url": provider.BaseURL()}},
	}, &started)
	<-asked
	<-asked

	// Other processes read. What has to be done by the service is refused with
	// the way to ask it.
	if runs := s.runs("runs", "--where", "status=running"); len(runs) != 2 {
		t.Errorf("%+v", runs)
	}
	refused := func(want string, args ...string) {
		t.Helper()
		if out, err := s.eval(args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %s, %v; want %q", args, out, err, want)
		}
	}
	refused("--db http://ADDRESS", "cancel", started.RunIDs[0])
	refused("this verb needs the file of the database", "runs", "--db", s.address)
	refused("another touchstone process executes runs", "run", "--model", "lexical/bm25")
	refused("it is running", "retry", "--db", s.address, started.RunIDs[0])

	// The service cancels one run, then what is left of the batch, and retries.
	if runs := s.runs("cancel", "--db", s.address, started.RunIDs[0]); len(runs) != 1 || runs[0].Error != selection.Cancelled {
		t.Errorf("%+v", runs)
	}
	if runs := s.runs("cancel", "--db", s.address, "batch:"+started.BatchID); len(runs) != 1 || runs[0].ID != started.RunIDs[1] || runs[0].Error != selection.Cancelled {
		t.Errorf("%+v", runs)
	}
	refused("no run of batch", "cancel", "--db", s.address, "batch:"+started.BatchID)
	refused("--db http://ADDRESS", "retry", started.RunIDs[0])
	retried := s.runs("retry", "--db", s.address, "batch:"+started.BatchID)
	if len(retried) != 2 || retried[0].RetryOf != started.RunIDs[0] || retried[1].RetryOf != started.RunIDs[1] {
		t.Errorf("%+v", retried)
	}
	<-asked
	refused("it is failed", "cancel", "--db", s.address, started.RunIDs[0])
	refused("not found", "retry", "--db", s.address, "unknown")
	refused("is touchstone eval serve running there?", "cancel", "--db", "http://127.0.0.1:1", started.RunIDs[0])
	s.stop()
	if runs := s.runs("runs", "--where", "status=failed"); len(runs) != 4 {
		t.Errorf("%d runs failed, want all 4", len(runs))
	}
}

// Runs of a process that is gone are cancelled, whether they were pending or
// running.
func TestCancelLeftRuns(t *testing.T) {
	s := &evalBench{t: t, db: filepath.Join(t.TempDir(), "eval.db")}
	db, err := store.Open(t.Context(), s.db)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.CreateServer(t.Context(), selection.Server{Name: "a", URL: "https://h/mcp"}); err != nil {
		t.Fatal(err)
	}
	c, err := db.CreateCase(t.Context(), selection.Case{Name: "c", Query: "q", Servers: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	one := store.NewRun{CaseID: c.ID, Settings: selection.Settings{Provider: "lexical", Model: "bm25", Timeout: 1, Confidence: selection.ConfidenceNone}}
	batch, ids, err := db.CreateBatch(t.Context(), "", []store.NewRun{one, one, one})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids[:2] {
		if err := db.StartRun(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	runs := s.runs("cancel", "batch:"+batch)
	if len(runs) != 3 {
		t.Fatalf("%+v", runs)
	}
	for _, r := range runs {
		if r.Status != selection.Failed || r.Error != selection.Cancelled {
			t.Errorf("%+v", r)
		}
	}
}

func TestAdvise(t *testing.T) {
	dir := t.TempDir()
	s := &evalBench{t: t, db: filepath.Join(dir, "eval.db")}
	set, err := json.Marshal(map[string]any{
		"servers": []any{map[string]any{"name": "weather", "url": weatherServer(t)}},
		"cases":   []any{map[string]any{"name": "c", "query": "get the weather", "servers": []string{"weather"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "cases.json")
	if err := os.WriteFile(file, set, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := s.eval("run", "--model", "lexical/bm25", file); err != nil {
		t.Fatal(out, err)
	}
	provider := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		return modeltest.Reply{Calls: []modeltest.Call{{
			Tool: r.Tools[0], Arguments: `{"recommendations":[{"server":"weather","tool":"get_weather","priority":"low","text":"Name the unit."}]}`,
		}}}
	})
	run := s.runs("runs")[0].ID
	out, err := s.eval("advise", run, "--model", "compatible/m", "--base-url", provider.BaseURL())
	if err != nil {
		t.Fatal(err)
	}
	var advised evalAdvice
	if err := json.Unmarshal([]byte(out), &advised); err != nil {
		t.Fatal(err)
	}
	if len(advised.FromModel) != 1 || !advised.FromModel[0].FromModel || advised.Model != "compatible/m" || len(advised.Recommendations) == 0 || advised.Recommendations[0].FromModel {
		t.Errorf("%+v", advised)
	}
	var text bytes.Buffer
	if advised.write(&text); !strings.Contains(text.String(), "written by compatible/m, not checked\n  low  weather:get_weather: Name the unit.\n") {
		t.Error(text.String())
	}
	if _, err := s.eval("advise", run, "--model", "lexical/bm25"); err == nil || !strings.Contains(err.Error(), "name a model") {
		t.Errorf("got %v", err)
	}
}
