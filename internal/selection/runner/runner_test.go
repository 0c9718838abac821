package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/model/modeltest"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

const weatherSchema = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`

func corpus() contracts.Corpus {
	tool := func(server, name, description string) contracts.Tool {
		return contracts.Tool{ToolID: server + ":" + name, Server: server, Tool: name, Description: description, Schema: json.RawMessage(weatherSchema)}
	}
	return contracts.Corpus{Version: "v1", Tools: []contracts.Tool{
		tool("program", "get_weather", "Get the weather of a city"), tool("program", "search", "Search documents for words"),
		tool("web", "search", "Search the web for pages"), tool("bare", "mute", ""),
	}}
}

// TestMain makes the test binary an MCP server over stdio if an environment
// variable says so.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "serve-corpus" {
		s, err := replay.NewServer(corpus(), os.Args[2], replay.DefaultPageSize)
		if err == nil {
			err = s.Serve(os.Stdin, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// bench is a database with three real servers: over stdio, streamable HTTP and
// SSE.
type bench struct {
	path  string
	store *store.Store
	live  Live
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{path: filepath.Join(t.TempDir(), "runs.db"), live: Live{StartPrograms: true}}
	b.open(t)
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	web, err := replay.NewServer(corpus(), "web", replay.DefaultPageSize)
	if err != nil {
		t.Fatal(err)
	}
	overHTTP := httptest.NewServer(web)
	t.Cleanup(overHTTP.Close)
	server := mcp.NewServer(&mcp.Implementation{Name: "old", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "old_news", Description: "News of the past", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("never called")
		})
	overSSE := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(overSSE.Close)
	for _, s := range []selection.Server{
		{Name: "program", URL: selection.CommandURL([]string{executable, "serve-corpus", "program"})},
		{Name: "web", URL: overHTTP.URL + "/mcp"}, {Name: "old", URL: overSSE.URL, Transport: selection.SSE},
	} {
		stored, reason, err := Register(t.Context(), b.store, b.live, s)
		if err != nil || reason != nil || stored.Status != selection.ServerActive || stored.LastConnectedAt == nil {
			t.Fatalf("%+v, %v, %v", stored, reason, err)
		}
	}
	return b
}

func (b *bench) open(t *testing.T) {
	t.Helper()
	s, err := store.Open(t.Context(), b.path)
	if err != nil {
		t.Fatal(err)
	}
	b.store = s
	t.Cleanup(func() { s.Close() })
}

func (b *bench) runner(t *testing.T, o Options) *Runner {
	t.Helper()
	r, err := New(t.Context(), b.store, b.live, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func (b *bench) addCase(t *testing.T, query string, servers []string, expected ...selection.Call) string {
	t.Helper()
	c, err := b.store.CreateCase(t.Context(), selection.Case{Name: query, Query: query, Servers: servers, Expected: expected})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func settings(s *modeltest.Server) selection.Settings {
	return selection.Settings{Provider: "compatible", Model: "fake", Timeout: 30, Temperature: 0.4, MaxRetries: 1, BaseURL: s.BaseURL()}
}

// finish starts a batch and returns its runs after they ended.
func finish(t *testing.T, b *bench, r *Runner, batch Batch) []selection.Run {
	t.Helper()
	_, ids, err := r.Start(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	var runs []selection.Run
	for _, id := range ids {
		run, err := b.store.Run(t.Context(), id)
		if err != nil || !run.Ended() {
			t.Fatalf("%+v, %v", run, err)
		}
		runs = append(runs, run)
	}
	return runs
}

func weatherOf(city string) selection.Call {
	return selection.Call{Server: "program", Tool: "get_weather", Parameters: json.RawMessage(`{"city":"` + city + `"}`)}
}

func paris(modeltest.Request) modeltest.Reply {
	return modeltest.Reply{Text: "confidence: 0.9", Calls: []modeltest.Call{{Tool: "get_weather", Arguments: `{"city":"Paris"}`}}}
}

func TestRunOverEveryTransport(t *testing.T) {
	b := newBench(t)
	s := modeltest.Serve(t, paris)
	r := b.runner(t, Options{})
	events, stop := r.Subscribe()
	defer stop()
	id := b.addCase(t, "weather in Paris", []string{"program", "web", "old"}, weatherOf("Paris"))
	run := finish(t, b, r, Batch{CaseIDs: []string{id}, Settings: []selection.Settings{settings(s)}})[0]
	if run.Status != selection.Completed || run.Classification != selection.TP || run.Selected.Server != "program" || run.ExecutionTimeMS < 1 {
		t.Fatalf("%+v", run)
	}
	tools, err := b.store.Tools(t.Context(), run.ID)
	if err != nil || len(tools) != 4 || tools[0].Server != "old" || tools[1].Name != "get_weather" || string(tools[1].InputSchema) != weatherSchema {
		t.Errorf("%+v, %v", tools, err)
	}
	if got := strings.Join(s.Requests()[0].Tools, " "); got != "old_news get_weather program__search web__search" {
		t.Errorf("offered %s", got)
	}
	e, err := b.store.Result(t.Context(), run.ID)
	if err != nil || e.ConfidenceCategory != selection.Robust || *e.ParameterCorrectness != 1 || *e.ParameterConformance != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	if first, second := <-events, <-events; first.Status != selection.Running || second.Status != selection.Completed || second.Classification != selection.TP {
		t.Errorf("%+v, %+v", first, second)
	}
}

func TestBatch(t *testing.T) {
	b := newBench(t)
	right := modeltest.Serve(t, paris)
	wrong := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
		return modeltest.Reply{Text: "confidence: 0.95", Calls: []modeltest.Call{{Tool: "program__search", Arguments: `{"city":"x"}`}}}
	})
	r := b.runner(t, Options{Workers: 3})
	one := b.addCase(t, "weather in Paris", []string{"program", "web"}, weatherOf("Paris"))
	two := b.addCase(t, "sing a song", []string{"program"})
	other := settings(wrong)
	other.Model = "wrong"
	runs := finish(t, b, r, Batch{CaseIDs: []string{one, two}, Settings: []selection.Settings{settings(right), other}, Repeats: 3})
	if len(runs) != 12 {
		t.Fatalf("%d runs", len(runs))
	}
	observations, err := b.store.Observations(t.Context(), store.RunFilter{BatchID: runs[0].BatchID})
	if err != nil || len(observations) != 12 {
		t.Fatal(len(observations), err)
	}
	groups := score.By(observations, score.ByModel)
	if len(groups) != 2 || groups[0].Name != "compatible/fake" || groups[0].Summary.TP != 3 || groups[0].Summary.FP != 3 || *groups[0].Summary.Consistency != 1 {
		t.Errorf("%+v", groups)
	}
	// The other model uses a name that is offered only if two servers have the
	// tool.
	if w := groups[1].Summary; w.FN != 3 || w.FP != 3 || *w.WrongTool.Value != 1 || *w.Misleading.Value != 1 {
		t.Errorf("%+v", w)
	}
	for _, run := range runs {
		if run.Classification == selection.FN {
			e, err := b.store.Result(t.Context(), run.ID)
			if err != nil || len(e.Recommendations) == 0 || *e.ParameterCorrectness != 0 {
				t.Errorf("%+v, %v", e, err)
			}
		}
	}
	of := func(model string) []score.Observation {
		o, err := b.store.Observations(t.Context(), store.RunFilter{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if c := score.Compare(of("fake"), of("wrong")); c.Cases != 2 || len(c.Lost) != 1 || c.BothWrong != 1 || c.P != 1 {
		t.Errorf("%+v", c)
	}
}

func TestFailuresSayWhy(t *testing.T) {
	b := newBench(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, url := range map[string]string{"gone": gone.URL + "/mcp", "bare": selection.CommandURL([]string{os.Args[0], "serve-corpus", "bare"})} {
		if _, err := b.store.CreateServer(t.Context(), selection.Server{Name: name, URL: url}); err != nil {
			t.Fatal(err)
		}
	}
	broken := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		switch r.Query {
		case "malformed":
			return modeltest.Reply{Raw: `{"choices":[{`}
		case "bad request":
			return modeltest.Reply{Status: 400, Text: "the schema is refused"}
		}
		return paris(r)
	})
	r := b.runner(t, Options{})
	for query, tc := range map[string]struct {
		servers  []string
		expected []selection.Call
		want     string
	}{
		"gone server":  {[]string{"gone", "program"}, nil, `cannot list the tools of server "gone"`},
		"undescribed":  {[]string{"bare"}, nil, "tools without a description: bare:mute"},
		"no such tool": {[]string{"web"}, []selection.Call{{Server: "web", Tool: "get_weather"}}, `the expected tool "get_weather" is not among those of server "web"`},
		"malformed":    {[]string{"program"}, nil, "cannot be read"},
		"bad request":  {[]string{"program"}, nil, "the schema is refused"},
	} {
		id := b.addCase(t, query, tc.servers, tc.expected...)
		run := finish(t, b, r, Batch{CaseIDs: []string{id}, Settings: []selection.Settings{settings(broken)}})[0]
		if run.Status != selection.Failed || !strings.Contains(run.Error, tc.want) || run.Classification != "" {
			t.Errorf("%s: %+v", query, run)
		}
	}
	if s, _ := b.store.ServerNamed(t.Context(), "gone"); s.Status != selection.ServerInactive {
		t.Errorf("a run changed the server's status to %s", s.Status)
	}
	if _, _, err := r.Start(t.Context(), Batch{CaseIDs: []string{"x"}, Settings: []selection.Settings{{Provider: "openai", Model: "m", Timeout: 1}}}); !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "needs an API key") {
		t.Errorf("got %v", err)
	}
	if _, total, _ := b.store.Runs(t.Context(), store.RunFilter{Provider: "openai"}); total != 0 {
		t.Error("a run was created")
	}
	if _, _, err := r.Start(t.Context(), Batch{}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

func TestRegister(t *testing.T) {
	b := newBench(t)
	s, reason, err := Register(t.Context(), b.store, b.live, selection.Server{Name: "refuses", URL: "http://127.0.0.1:1/mcp"})
	if err != nil || reason == nil || s.Status != selection.ServerFailed || s.LastConnectedAt != nil {
		t.Errorf("%+v, %v, %v", s, reason, err)
	}
	web, _ := b.store.ServerNamed(t.Context(), "web")
	s.URL, s.Name = web.URL+"?x", "answers"
	if s, reason, err = Change(t.Context(), b.store, b.live, s); err != nil || reason != nil || s.Status != selection.ServerActive {
		t.Errorf("%+v, %v, %v", s, reason, err)
	}
	marker := filepath.Join(t.TempDir(), "started")
	program := selection.Server{Name: "p", URL: selection.CommandURL([]string{"touch", marker})}
	if s, reason, err = Register(t.Context(), b.store, Live{}, program); err != nil || !errors.Is(reason, ErrNoConsent) || s.Status != selection.ServerInactive {
		t.Errorf("%+v, %v, %v", s, reason, err)
	}
	if _, err := (Live{}).List(t.Context(), s); !errors.Is(err, ErrNoConsent) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(marker); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the program was started without consent")
	}
}

// A check of a server that does not answer ends in less than two seconds. The
// clock is a fake one.
func TestCheckOfAServerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Live{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			select {
			case <-ctx.Done():
			case <-time.After(30 * time.Second): // net/http dials without the deadline of the request
			}
			return nil, os.ErrDeadlineExceeded
		}}
		began := time.Now()
		err := l.Check(t.Context(), selection.Server{Name: "hangs", URL: "http://hangs/mcp", Transport: selection.StreamableHTTP})
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "did not answer") || took != checkTimeout {
			t.Errorf("after %s: %v", took, err)
		}
		time.Sleep(time.Minute) // by then the SDK's farewell to the server has ended, too
	})
}

func TestCancelAndRetry(t *testing.T) {
	b := newBench(t)
	asked := make(chan struct{}, 10)
	var hang atomic.Bool
	hang.Store(true)
	s := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		asked <- struct{}{}
		if hang.Load() {
			return modeltest.Reply{Hang: true}
		}
		return paris(r)
	})
	r := b.runner(t, Options{Workers: 1})
	id := b.addCase(t, "weather in Paris", []string{"program"}, weatherOf("Paris"))
	_, ids, err := r.Start(t.Context(), Batch{CaseIDs: []string{id}, Settings: []selection.Settings{settings(s)}, Repeats: 3})
	if err != nil {
		t.Fatal(err)
	}
	<-asked // the first is running, the others are pending
	for _, id := range []string{ids[2], ids[0]} {
		if err := r.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if run, _ := b.store.Run(t.Context(), id); run.Status != selection.Failed || run.Error != "cancelled" {
			t.Errorf("%+v", run)
		}
		if err := r.Cancel(t.Context(), id); !errors.Is(err, store.ErrConflict) {
			t.Errorf("cancelled again: %v", err)
		}
	}
	<-asked // the second
	hang.Store(false)
	retry, err := r.Retry(t.Context(), ids[0], model.Key{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Cancel(t.Context(), ids[1]); err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(t.Context(), append(ids, retry)); err != nil {
		t.Fatal(err)
	}
	run, err := b.store.Run(t.Context(), retry)
	if err != nil || run.Classification != selection.TP || run.RetryOf != ids[0] {
		t.Errorf("%+v, %v", run, err)
	}
	if err := r.Cancel(t.Context(), retry); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a completed run is cancelled: %v", err)
	}
	if err := r.Cancel(t.Context(), "none"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if observations, _ := b.store.Observations(t.Context(), store.RunFilter{}); len(observations) != 1 {
		t.Errorf("%d observations of one run that counts", len(observations))
	}
}

// If a process ends in the middle, the next owner marks its runs as failed.
// None is lost or executed twice.
func TestCrashRecovery(t *testing.T) {
	b := newBench(t)
	id := b.addCase(t, "weather in Paris", []string{"program"}, weatherOf("Paris"))
	m := selection.Settings{Provider: "lexical", Model: "bm25", Timeout: 1}
	_, ids, err := b.store.CreateBatch(t.Context(), "", []store.NewRun{{CaseID: id, Settings: m}, {CaseID: id, Settings: m}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.store.StartRun(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	b.store.Close() // simulates the end of the process
	b.open(t)
	r := b.runner(t, Options{})
	for _, id := range ids {
		if run, err := b.store.Run(t.Context(), id); err != nil || run.Error != selection.Interrupted {
			t.Errorf("%+v, %v", run, err)
		}
	}
	retry, err := r.Retry(t.Context(), ids[0], model.Key{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(t.Context(), []string{retry}); err != nil {
		t.Fatal(err)
	}
	if run, _ := b.store.Run(t.Context(), retry); run.Classification != selection.TP {
		t.Errorf("%+v", run)
	}
	if _, err := New(t.Context(), mustOpen(t, b.path), b.live, Options{}); !errors.Is(err, store.ErrOwned) {
		t.Errorf("a second runner: %v", err)
	}
	if err := b.store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func mustOpen(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestCloseEndsEveryRun(t *testing.T) {
	b := newBench(t)
	s := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Reply{Hang: true} })
	r := b.runner(t, Options{Workers: 2})
	id := b.addCase(t, "weather in Paris", []string{"program"}, weatherOf("Paris"))
	_, ids, err := r.Start(t.Context(), Batch{CaseIDs: []string{id}, Settings: []selection.Settings{settings(s)}, Repeats: 10})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	for _, id := range ids {
		if run, err := b.store.Run(t.Context(), id); err != nil || run.Status != selection.Failed || run.Error != "cancelled" {
			t.Errorf("%+v, %v", run, err)
		}
	}
	if _, _, err := r.Start(t.Context(), Batch{CaseIDs: []string{id}, Settings: []selection.Settings{settings(s)}}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// Nothing written during or after a run contains the key: not the database, its
// log, the cassette, an event or an error.
func TestTheKeyIsNeverWritten(t *testing.T) {
	const secret = "sk-marked-0123456789"
	b := newBench(t)
	n := 0
	s := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		n++
		if !strings.Contains(fmt.Sprint(r.Header), secret) {
			t.Error("the key was not sent")
		}
		reply := paris(r)
		reply.Text = "you sent " + secret
		if n == 2 {
			reply.Status = 401
		}
		return reply
	})
	record := model.NewCassette()
	r := b.runner(t, Options{Record: record, Workers: 1})
	events, stop := r.Subscribe()
	id := b.addCase(t, "weather in Paris", []string{"program"}, weatherOf("Paris"))
	asked := settings(s)
	asked.SystemPrompt, asked.ToolChoice = "Be brief.", "required"
	runs := finish(t, b, r, Batch{CaseIDs: []string{id}, Settings: []selection.Settings{asked}, Repeats: 2, Key: model.NewKey(secret)})
	if runs[0].Status != selection.Completed || runs[1].Status != selection.Failed || !strings.Contains(runs[1].Error, "***") {
		t.Fatalf("%+v", runs)
	}
	stop()
	for e := range events {
		if strings.Contains(fmt.Sprintf("%+v", e), secret) {
			t.Errorf("%+v", e)
		}
	}
	dir := filepath.Dir(b.path)
	if err := record.Save(filepath.Join(dir, "cassette.json")); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil || files < 4 {
		t.Errorf("%d files, %v", files, err)
	}

	// A recording is played back without a key, and with the system prompt and the tool choice that were recorded.
	replay := selection.Settings{Provider: "replay", Model: "compatible/fake", Timeout: 1, Temperature: 0.4}
	player := b.replayer(t, r, record)
	other := replay
	other.ToolChoice = "none"
	_, _, err = player.Start(t.Context(), Batch{CaseIDs: []string{id}, Settings: []selection.Settings{other}})
	if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "were recorded with another tool choice") {
		t.Error(err)
	}
	played := finish(t, b, player, Batch{CaseIDs: []string{id}, Settings: []selection.Settings{replay}, Repeats: 2})
	if played[0].Classification != selection.TP || !strings.Contains(played[1].Error, model.ErrNotRecorded.Error()) {
		t.Errorf("%+v", played)
	}
}

// replayer replaces a runner by one that plays a cassette.
func (b *bench) replayer(t *testing.T, before *Runner, c *model.Cassette) *Runner {
	t.Helper()
	before.Close()
	b.store.Close()
	b.open(t)
	return b.runner(t, Options{Play: c})
}

// A server changes its tools between runs. Each run keeps the tools that it
// offered.
func TestSnapshotsDoNotChange(t *testing.T) {
	b := newBench(t)
	var description atomic.Value
	description.Store("first")
	changing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, err := replay.NewServer(contracts.Corpus{Tools: []contracts.Tool{{
			ToolID: "c:x", Server: "c", Tool: "x", Description: description.Load().(string), Schema: json.RawMessage(`{}`),
		}}}, "c", replay.DefaultPageSize)
		if err != nil {
			t.Error(err)
			return
		}
		s.ServeHTTP(w, r)
	}))
	defer changing.Close()
	if _, err := b.store.CreateServer(t.Context(), selection.Server{Name: "c", URL: changing.URL}); err != nil {
		t.Fatal(err)
	}
	id := b.addCase(t, "q", []string{"c"})
	r := b.runner(t, Options{})
	batch := Batch{CaseIDs: []string{id}, Settings: []selection.Settings{{Provider: "lexical", Model: "bm25", Timeout: 1}}}
	first := finish(t, b, r, batch)[0]
	description.Store("second")
	second := finish(t, b, r, batch)[0]
	for run, want := range map[string]string{first.ID: "first", second.ID: "second"} {
		if tools, err := b.store.Tools(t.Context(), run); err != nil || tools[0].Description != want {
			t.Errorf("%+v, %v", tools, err)
		}
	}
}

// With 5% 429, 5% 500, 2% broken connections and 1% malformed answers, each run ends
// once, with its reason. bench/selection has answers that never come, too.
func TestManyRunsUnderFaults(t *testing.T) {
	b := newBench(t)
	var n atomic.Int64
	s := modeltest.Serve(t, func(r modeltest.Request) modeltest.Reply {
		switch i := n.Add(1) % 100; {
		case i < 5:
			return modeltest.Reply{Status: 429, Header: map[string]string{"Retry-After-Ms": "1"}}
		case i < 10:
			return modeltest.Reply{Status: 500, Header: map[string]string{"Retry-After-Ms": "1"}}
		case i < 12:
			panic(http.ErrAbortHandler)
		case i < 13:
			return modeltest.Reply{Raw: `{"choices":`}
		}
		return paris(r)
	})
	r := b.runner(t, Options{Workers: 50})
	id := b.addCase(t, "weather in Paris", []string{"program"}, weatherOf("Paris"))
	m := settings(s)
	m.MaxRetries = 3
	runs := finish(t, b, r, Batch{CaseIDs: []string{id}, Settings: []selection.Settings{m}, Repeats: 200})
	completed, failed := 0, 0
	for _, run := range runs {
		switch {
		case run.Status == selection.Completed && run.Classification == selection.TP:
			completed++
		case run.Status == selection.Failed && (strings.Contains(run.Error, "cannot be reached") || strings.Contains(run.Error, "cannot be read") || strings.Contains(run.Error, "answered")):
			failed++
		default:
			t.Errorf("%+v", run)
		}
	}
	if completed < 150 || failed == 0 || completed+failed != 200 {
		t.Errorf("%d completed, %d failed", completed, failed)
	}
	if err := b.store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
