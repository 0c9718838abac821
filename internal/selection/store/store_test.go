package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

func addServer(t *testing.T, s *Store, name string) selection.Server {
	t.Helper()
	server, err := s.CreateServer(t.Context(), selection.Server{Name: name, URL: "https://" + name + "/mcp"})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func addCase(t *testing.T, s *Store, name string, servers []string, expected ...selection.Call) selection.Case {
	t.Helper()
	tc, err := s.CreateCase(t.Context(), selection.Case{Name: name, Query: "query of " + name, Servers: servers, Expected: expected})
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

var settings = selection.Settings{
	Provider: "p", Model: "m", Timeout: 7, Temperature: 0.25, MaxRetries: 2, Confidence: selection.ConfidenceLogprobs,
	BaseURL: "http://h/v1", SystemPrompt: "do",
}

func TestOpenMakesAPrivateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	addServer(t, s, "a")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", suffix, info, err)
		}
	}
	for name, want := range map[string]string{"journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "5000", "synchronous": "1"} {
		for kind, db := range map[string]*sql.DB{"writer": s.write, "reader": s.read} {
			var got string
			if err := db.QueryRow("PRAGMA " + name).Scan(&got); err != nil || got != want {
				t.Errorf("%s of the %s is %q, %v", name, kind, got, err)
			}
		}
	}
	if _, err := s.read.Exec("DELETE FROM mcp_servers"); err == nil {
		t.Error("a reading connection writes")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.ServerNamed(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if err := again.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOpenLeavesOtherFilesAlone(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	db, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE test_cases (id)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	newer := filepath.Join(dir, "newer.db")
	s, err := Open(t.Context(), newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := try(s, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("This is no database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		other: "database of another program", newer: "use the newer Touchstone", text: "not a SQLite database",
		filepath.Join(text, "below.db"): "choose another place",
	} {
		before, _ := os.ReadFile(path)
		if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
		if after, _ := os.ReadFile(path); string(before) != string(after) {
			t.Errorf("%s was changed", path)
		}
	}
}

func TestOneOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	first, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Own(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if err := second.Own(); !errors.Is(err, ErrOwned) {
		t.Errorf("got %v", err)
	}
	first.Close()
	if err := second.Own(); err != nil {
		t.Errorf("after the first has closed: %v", err)
	}
}

func TestServers(t *testing.T) {
	s, ctx := open(t), t.Context()
	a := addServer(t, s, "a")
	if a.Status != selection.ServerInactive || a.LastConnectedAt != nil || a.CreatedAt.IsZero() {
		t.Errorf("%+v", a)
	}
	if _, err := s.CreateServer(ctx, selection.Server{Name: "a", URL: "https://other"}); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "same name") {
		t.Errorf("got %v", err)
	}
	if _, err := s.CreateServer(ctx, selection.Server{Name: "z", URL: "nowhere"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v", err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	if err := s.SetServerStatus(ctx, a.ID, selection.ServerActive, at); err != nil {
		t.Fatal(err)
	}
	if err := s.SetServerStatus(ctx, a.ID, selection.ServerFailed, at.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	a, err := s.Server(ctx, a.ID)
	if err != nil || a.Status != selection.ServerFailed || !a.LastConnectedAt.Equal(at) {
		t.Errorf("%+v, %v", a, err)
	}
	a.Name = "renamed"
	if a, err = s.UpdateServer(ctx, a); err != nil || a.Name != "renamed" || a.Status != selection.ServerFailed {
		t.Errorf("%+v, %v", a, err)
	}
	for i := range 7 {
		addServer(t, s, fmt.Sprintf("s%d", i))
	}
	page, total, err := s.Servers(ctx, ServerFilter{Page: Page{Limit: 3, Offset: 2}})
	if err != nil || total != 8 || len(page) != 3 || page[0].Name != "s1" {
		t.Errorf("%d of %d: %+v, %v", len(page), total, page, err)
	}
	page, total, err = s.Servers(ctx, ServerFilter{Status: selection.ServerFailed, Search: "RENAMED"})
	if err != nil || total != 1 || len(page) != 1 {
		t.Errorf("%+v, %d, %v", page, total, err)
	}
	if _, _, err := s.Servers(ctx, ServerFilter{Page: Page{Limit: MaxPage + 1}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("got %v", err)
	}
	addCase(t, s, "c", []string{"s0"})
	s0, _ := s.ServerNamed(ctx, "s0")
	if err := s.DeleteServer(ctx, s0.ID); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "1 case and 0 runs") {
		t.Errorf("got %v", err)
	}
	if err := s.DeleteServer(ctx, a.ID); err != nil {
		t.Error(err)
	}
	for _, err := range []error{
		s.DeleteServer(ctx, a.ID), s.SetServerStatus(ctx, a.ID, selection.ServerActive, at),
		second(s.Server(ctx, a.ID)), second(s.UpdateServer(ctx, a)), second(s.ServerNamed(ctx, "renamed")),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestCases(t *testing.T) {
	s, ctx := open(t), t.Context()
	addServer(t, s, "a")
	addServer(t, s, "b")
	want := selection.Case{
		Name: "two", Query: "do 'this'; --", Servers: []string{"a", "b"}, Ordered: true, Tags: []string{"t", "u"},
		Expected: []selection.Call{
			{Server: "b", Tool: "x", Parameters: json.RawMessage(`{"n":1.0}`)}, {Server: "a", Tool: "y"},
			{Server: "a", Tool: "z", Parameters: json.RawMessage(`{}`)},
		},
	}
	got, err := s.CreateCase(ctx, want)
	if err != nil {
		t.Fatal(err)
	}
	want.ID, want.CreatedAt, want.UpdatedAt = got.ID, got.CreatedAt, got.UpdatedAt
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	none := addCase(t, s, "none", []string{"a"})
	if len(none.Expected) != 0 {
		t.Errorf("%+v", none)
	}
	if _, err := s.CreateCases(ctx, []selection.Case{
		{Name: "good", Query: "q", Servers: []string{"a"}}, {Name: "bad", Query: "q", Servers: []string{"nowhere"}},
	}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), `"nowhere"`) {
		t.Errorf("got %v", err)
	}
	if _, total, _ := s.Cases(ctx, CaseFilter{}); total != 2 {
		t.Errorf("%d cases: one of a set that was refused is stored", total)
	}
	// Any of the expected calls is found, and a server and a tool have to be of one call.
	for _, f := range []CaseFilter{
		{Server: "b"}, {Tool: "x"}, {Server: "a"}, {Tool: "y"}, {Tool: "z"}, {Server: "b", Tool: "x"}, {Server: "a", Tool: "z"},
		{Tag: "u"}, {Search: "THIS"},
	} {
		if found, total, err := s.Cases(ctx, f); err != nil || total != 1 || found[0].ID != got.ID {
			t.Errorf("%+v: %+v, %v", f, found, err)
		}
	}
	for _, f := range []CaseFilter{{Server: "a", Tool: "x"}, {Server: "b", Tool: "y"}, {Tool: "w"}} {
		if found, total, err := s.Cases(ctx, f); err != nil || total != 0 {
			t.Errorf("%+v: %+v, %v", f, found, err)
		}
	}
	got.Expected, got.Servers, got.Tags, got.Ordered = nil, []string{"a"}, nil, false
	got.Query = "changed"
	changed, err := s.UpdateCase(ctx, got)
	if err != nil || len(changed.Expected) != 0 || len(changed.Tags) != 0 || changed.Query != "changed" || len(changed.Servers) != 1 {
		t.Errorf("%+v, %v", changed, err)
	}
	if err := s.DeleteCase(ctx, got.ID); err != nil {
		t.Error(err)
	}
	if err := s.DeleteCase(ctx, got.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := s.UpdateCase(ctx, changed); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestRunFromBeginningToEnd(t *testing.T) {
	s, ctx := open(t), t.Context()
	addServer(t, s, "a")
	addServer(t, s, "b")
	tc := addCase(t, s, "c", []string{"a", "b"}, selection.Call{Server: "a", Tool: "x"}, selection.Call{Server: "b", Tool: "x"})
	batch, ids, err := s.CreateBatch(ctx, "label", []NewRun{{CaseID: tc.ID, Settings: settings}, {CaseID: tc.ID, Settings: settings, Repeat: 2}})
	if err != nil {
		t.Fatal(err)
	}
	id := ids[0]
	if r, err := s.Run(ctx, id); err != nil || r.Status != selection.Pending || r.Settings != validated(settings) || r.BatchID != batch || r.Repeat != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	tools := []selection.Tool{
		{Server: "b", Name: "x", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{}`)},
		{Server: "a", Name: "x", Description: "d", InputSchema: json.RawMessage(`{}`)},
	}
	if err := s.SaveTools(ctx, id, tools); !errors.Is(err, ErrConflict) {
		t.Errorf("tools of a pending run: %v", err)
	}
	if err := s.StartRun(ctx, id); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveTools(ctx, id, tools); err != nil {
		t.Fatal(err)
	}
	if stored, err := s.Tools(ctx, id); err != nil || !reflect.DeepEqual(stored, tools) {
		t.Errorf("%+v, %v", stored, err)
	}
	half, cost := 0.5, 0.001
	answer := selection.Answer{
		Calls: []selection.MadeCall{
			{ToolID: tools[1].ID, Server: "a", Tool: "x", Parameters: json.RawMessage(`{"n":1}`)},
			{Unknown: "zzz", Malformed: `{"n":`},
		},
		Confidence: &half, ConfidenceSource: selection.FromAnswer, Attempts: 3,
		Usage: selection.Usage{InputTokens: 10, OutputTokens: 2, CostUSD: &cost}, Raw: json.RawMessage(`{"a":1}`),
	}
	zero := 0.0
	e := selection.Evaluation{
		Classification: selection.FN, ParameterCompleteness: &zero, ParameterCorrectness: &zero, ParameterConformance: &zero,
		HallucinatedParameters: []string{"n"}, Reasoning: "because",
		Recommendations: []selection.Recommendation{{Kind: "k", Priority: "high", Text: "do"}},
		Calls: []selection.JudgedCall{
			{Expected: 0, Made: 0, Classification: selection.TP}, {Expected: 1, Made: -1, Classification: selection.FN},
			{Expected: -1, Made: 1, Classification: selection.FP},
		},
	}
	if err := s.CompleteRun(ctx, id, Outcome{Answer: answer, Evaluation: e}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(ctx, id)
	if err != nil || r.Status != selection.Completed || r.Classification != selection.FN || *r.Confidence != half || r.Attempts != 3 ||
		!reflect.DeepEqual(*r.Selected, answer.Calls[0]) || !reflect.DeepEqual(*r.Usage, answer.Usage) || r.ExecutionTimeMS != 1 || r.CompletedAt == nil {
		t.Errorf("%+v, %v", r, err)
	}
	calls, err := s.Calls(ctx, id)
	want := []Call{
		{Expected: 1, Made: &answer.Calls[0], Classification: selection.TP}, {Expected: 2, Classification: selection.FN},
		{Made: &answer.Calls[1], Classification: selection.FP},
	}
	if err != nil || !reflect.DeepEqual(calls, want) {
		t.Errorf("%+v, %v", calls, err)
	}
	e.Calls, e.UnexpectedParameters, e.Judged = nil, []string{}, []selection.Verdict{}
	if got, err := s.Result(ctx, id); err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("%+v, %v", got, err)
	}
	checkDiff(t, s, id, ids[1])
	if raw, err := s.Response(ctx, id); err != nil || string(raw) != `{"a":1}` {
		t.Errorf("%s, %v", raw, err)
	}
	checkEnded(t, s.CompleteRun(ctx, id, Outcome{Answer: answer, Evaluation: e}), s.FailRun(ctx, id, "x", nil, 1), s.StartRun(ctx, id))
	retryCancelled(t, s, ids[1], batch)
	if err := s.DeleteRun(ctx, id); err != nil {
		t.Error(err)
	}
	if err := s.DeleteRun(ctx, id); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// checkDiff compares the calls of the run above with its case, and those of a
// pending run.
func checkDiff(t *testing.T, s *Store, ended, pending string) {
	t.Helper()
	diff, err := s.Diff(t.Context(), ended)
	if err != nil || diff.CaseChanged || len(diff.Calls) != 3 || len(diff.Calls[0].Parameters) != 1 ||
		diff.Calls[0].Parameters[0].State != score.Invented || diff.Calls[1].Made != nil || diff.Calls[2].Expected != nil {
		t.Errorf("%+v, %v", diff, err)
	}
	if diff, err := s.Diff(t.Context(), pending); err != nil || diff.Calls == nil || len(diff.Calls) > 0 {
		t.Errorf("of a pending run: %+v, %v", diff, err)
	}
}

// checkEnded fails unless every error says that the run has ended.
func checkEnded(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if !errors.Is(err, ErrConflict) {
			t.Errorf("a run that has ended: %v", err)
		}
	}
}

// retryCancelled cancels a run, retries it, and interrupts the retry.
func retryCancelled(t *testing.T, s *Store, id, batch string) {
	t.Helper()
	ctx := t.Context()
	if err := s.FailRun(ctx, id, selection.Cancelled, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.StartRun(ctx, id); !errors.Is(err, ErrConflict) {
		t.Errorf("a cancelled run starts: %v", err)
	}
	retry, err := s.RetryRun(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RetryRun(ctx, retry); !errors.Is(err, ErrConflict) {
		t.Errorf("a pending run is retried: %v", err)
	}
	r, err := s.Run(ctx, retry)
	if err != nil || r.RetryOf != id || r.BatchID != batch || r.Repeat != 2 || r.Status != selection.Pending {
		t.Errorf("%+v, %v", r, err)
	}
	if old, _ := s.Run(ctx, id); old.Status != selection.Failed || old.Error != "cancelled" {
		t.Errorf("%+v", old)
	}
	if n, err := s.FailInterrupted(ctx); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	if r, _ := s.Run(ctx, retry); r.Status != selection.Failed || r.Error != selection.Interrupted {
		t.Errorf("%+v", r)
	}
}

// A run that cannot be completed, here because of a tool of no run, leaves
// nothing behind, and the connection stays usable.
func TestARefusedCommitLeavesNothing(t *testing.T) {
	s := openFixture(t)
	one := 1.0
	err := s.CompleteRun(t.Context(), "running", Outcome{
		Answer: selection.Answer{Calls: []selection.MadeCall{{ToolID: "t1"}}},
		Evaluation: selection.Evaluation{
			Classification: selection.TP, ToolSelectionCorrect: true,
			ParameterCompleteness: &one, ParameterCorrectness: &one, ParameterConformance: &one,
		},
	})
	if !errors.Is(err, ErrConflict) {
		t.Fatalf("got %v", err)
	}
	if r, err := s.Run(t.Context(), "running"); err != nil || r.Status != selection.Running {
		t.Errorf("%+v, %v", r, err)
	}
	if err := s.FailRun(t.Context(), "running", "e", nil, 5); err != nil {
		t.Error(err)
	}
}

func TestRunsArePaged(t *testing.T) {
	s, ctx := open(t), t.Context()
	addServer(t, s, "a")
	expecting := addCase(t, s, "c", []string{"a"}, selection.Call{Server: "a", Tool: "x"})
	other, err := s.CreateCase(ctx, selection.Case{Name: "o", Query: "q", Servers: []string{"a"}, Tags: []string{"tag"}})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range 25 {
		m, tc := settings, expecting
		if i%5 == 0 {
			m.Model, tc = "other", other
		}
		_, ids, err := s.CreateBatch(ctx, "", []NewRun{{CaseID: tc.ID, Settings: m}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ids...)
	}
	var seen []string
	for offset := 0; ; offset += 7 {
		page, total, err := s.Runs(ctx, RunFilter{OldestFirst: true, Page: Page{Limit: 7, Offset: offset}})
		if err != nil || total != 25 {
			t.Fatal(total, err)
		}
		if len(page) == 0 {
			break
		}
		for _, r := range page {
			seen = append(seen, r.ID)
		}
	}
	if !reflect.DeepEqual(seen, all) {
		t.Errorf("got %v, want %v", seen, all)
	}
	newest, _, err := s.Runs(ctx, RunFilter{Page: Page{Limit: 1}})
	if err != nil || newest[0].ID != all[24] {
		t.Errorf("%+v, %v", newest, err)
	}
	for _, tc := range []struct {
		filter RunFilter
		want   int
	}{
		{RunFilter{Model: "other"}, 5}, {RunFilter{Provider: "p"}, 25}, {RunFilter{Provider: "p", Model: "other"}, 5},
		{RunFilter{Provider: "p", Model: "x"}, 0}, {RunFilter{Provider: "pp"}, 0}, {RunFilter{Provider: "o"}, 0},
		{RunFilter{CaseID: expecting.ID}, 20}, {RunFilter{Server: "a"}, 20},
		{RunFilter{Tag: "tag"}, 5}, {RunFilter{Status: selection.Pending}, 25}, {RunFilter{Status: selection.Running}, 0},
		{RunFilter{Classification: selection.TP}, 0}, {RunFilter{Since: time.Now().Add(time.Hour)}, 0}, {RunFilter{BatchID: newest[0].BatchID}, 1},
	} {
		if got, total, err := s.Runs(ctx, tc.filter); err != nil || total != tc.want || len(got) != tc.want {
			t.Errorf("%+v: %d, %v", tc.filter, total, err)
		}
	}
}

// Only one of many concurrent callers starts a run, and readers are not
// blocked.
func TestConcurrentUse(t *testing.T) {
	s, ctx := open(t), t.Context()
	addServer(t, s, "a")
	tc := addCase(t, s, "c", []string{"a"})
	_, ids, err := s.CreateBatch(ctx, "", []NewRun{{CaseID: tc.ID, Settings: settings}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	started := 0
	for range 16 {
		wg.Go(func() {
			err := s.StartRun(ctx, ids[0])
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				started++
			case !errors.Is(err, ErrConflict):
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, _, err := s.Runs(ctx, RunFilter{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if started != 1 {
		t.Errorf("%d started it", started)
	}
}

// validated are settings as the store returns them, with the digest of the prompt.
func validated(s selection.Settings) selection.Settings {
	s.SystemPromptSHA256 = selection.PromptDigest(s.SystemPrompt)
	return s
}
