package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// service is a running touchstone eval serve.
type service struct {
	cmd     *exec.Cmd
	address string
	log     *bytes.Buffer
	client  http.Client
	ended   chan struct{}
	err     error // once it has ended
}

// serve starts the program on a database, and returns when it listens.
func (b *bench) serve(db string, args ...string) (*service, error) {
	s := &service{log: &bytes.Buffer{}, ended: make(chan struct{})}
	s.client.Transport = &http.Transport{MaxIdleConnsPerHost: 100}
	s.cmd = exec.Command(b.tool, append([]string{"eval", "serve", "--listen", "127.0.0.1:0", "--db", db}, args...)...)
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}

	if err := s.cmd.Start(); err != nil {
		return nil, err
	}

	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	if err != nil {
		<-s.ended
		return nil, fmt.Errorf("touchstone eval serve has ended: %s", strings.TrimSpace(s.log.String()))
	}

	s.address = strings.TrimSpace(line)
	return s, nil
}

// stop ends the program as a user does.
func (s *service) stop() error {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	<-s.ended
	return s.err
}

// kill ends the program without a warning.
func (s *service) kill() {
	_ = s.cmd.Process.Kill() // it fails where the program has ended
	<-s.ended
}

// peakMemory is the most memory that the program had so far, in bytes.
func (s *service) peakMemory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}

// refusal is an answer of the service that is no success.
type refusal struct {
	status int
	detail string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.status, r.detail) }

// call sends a request to a path below /api/v1 and decodes the answer into v.
func (s *service) call(method, path string, body, v any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}

	req, err := http.NewRequest(method, s.address+"api/v1"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}

	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}

	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}

	if resp.StatusCode >= 300 {
		var problem struct{ Detail string }
		_ = json.Unmarshal(answer, &problem) // an answer that is no problem has no detail
		return &refusal{resp.StatusCode, problem.Detail}
	}

	if v == nil {
		return nil
	}

	return json.Unmarshal(answer, v)
}

// batch is a batch of runs as the service answers with it.
type batch struct {
	ID   string   `json:"batch_id"`
	Runs []string `json:"run_ids"`
}

// start adds a server and a case that expects its tool get_weather, and puts the
// case so many times to the provider.
func (s *service) start(mcpURL, provider string, repeats int, settings map[string]any) (batch, error) {
	if err := s.call("POST", "/servers", map[string]any{"name": "weather", "url": mcpURL}, nil); err != nil {
		return batch{}, err
	}

	var c selection.Case
	if err := s.call("POST", "/cases", map[string]any{
		"name": "weather", "query": "What is the weather of the city Kyiv?", "servers": []string{"weather"},
		"expected": []any{map[string]any{"server": "weather", "tool": "get_weather",
			"parameters": map[string]any{"city": "Kyiv"}}},
	}, &c); err != nil {
		return batch{}, err
	}

	m := map[string]any{"provider": "compatible", "model": "fake", "base_url": provider + "/v1"}
	for name, v := range settings {
		m[name] = v
	}

	var started batch
	err := s.call("POST", "/runs",
		map[string]any{"test_case_ids": []string{c.ID}, "models": []any{m}, "repeats": repeats}, &started)
	return started, err
}

// wait follows the events of a batch to their end.
func (s *service) wait(id string, patience time.Duration) error {
	client := http.Client{Timeout: patience}
	resp, err := client.Get(s.address + "api/v1/batches/" + id + "/events")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// outcome is how the runs of a database ended.
type outcome struct {
	completed, failed int
	attempts          int
	reasons           map[string]int
}

// finish waits for a batch, ends its service, and prints what became of the runs.
func (b *bench) finish(s *service, started batch) (outcome, error) {
	if err := s.wait(started.ID, b.size.patience); err != nil {
		return outcome{}, err
	}
	if err := s.stop(); err != nil {
		return outcome{}, err
	}
	o, err := b.ended(b.db(), started)
	if err == nil {
		b.print(o)
	}
	return o, err
}

// ended reads the runs of a batch from the database, after its service has ended,
// and has SQLite check the file. Each run has to be completed, or failed with a
// reason.
func (b *bench) ended(db string, started batch) (outcome, error) {
	o := outcome{reasons: map[string]int{}}
	ctx, cancel := context.WithTimeout(context.Background(), b.size.patience)
	defer cancel()
	s, err := store.Open(ctx, db)
	if err != nil {
		return o, err
	}

	defer func() { _ = s.Close() }() // it was only read
	if err := s.Check(ctx); err != nil {
		return o, err
	}

	_, total, err := s.Runs(ctx, store.RunFilter{BatchID: started.ID})
	if err != nil {
		return o, err
	}

	if total != len(started.Runs) {
		return o, fmt.Errorf("%d runs were started, and %d are stored", len(started.Runs), total)
	}

	for _, id := range started.Runs {
		r, err := s.Run(ctx, id)
		if err != nil {
			return o, err
		}

		o.attempts += r.Attempts
		switch {
		case r.Status == selection.Completed:
			if _, err := s.Result(ctx, id); err != nil {
				return o, err
			}

			o.completed++
		case r.Status == selection.Failed && r.Error != "":
			o.failed++
			o.reasons[reason(r.Error)]++
		default:
			return o, fmt.Errorf("run %s is %s: %q", id, r.Status, r.Error)
		}
	}

	return o, nil
}

// reason is the kind of an error, for counting.
func reason(text string) string {
	text, _, _ = strings.Cut(text, ": ")
	return text
}

func (b *bench) print(o outcome) {
	b.printf("  %d completed, %d failed", o.completed, o.failed)
	for text, n := range o.reasons {
		b.printf("    %d: %s", n, text)
	}
}

func (b *bench) db() string { return filepath.Join(b.dir, "eval.db") }

var errLost = errors.New("runs are lost or were done twice")
