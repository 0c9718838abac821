package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// labelling is a running "touchstone data label".
type labelling struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
}

func startLabel(t *testing.T, dir string) *labelling {
	t.Helper()
	l := &labelling{t: t, cmd: exec.Command(program.Path(t, program.Touchstone), "data", "label", "pool.json", "--corpus", "corpus.json", "--judge", "a person", "-o", "out.json", "--listen", "127.0.0.1:0")}
	l.cmd.Dir = dir
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.cmd.Process.Kill()
		_ = l.cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	l.url = strings.TrimSpace(line)
	return l
}

func (l *labelling) post(path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := http.Post(l.url+path, "application/json", bytes.NewReader(text))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", response.Status)
	}
	return nil
}

// A kill loses no judgement that was answered, at whatever moment it comes.
func TestLabelSurvivesKills(t *testing.T) {
	dir := t.TempDir()
	corpus := contracts.Corpus{Version: "v1", GeneratedFrom: contracts.GeneratedFrom{Source: "the test"}, Tools: []contracts.Tool{
		{ToolID: "kitchen:boil", Server: "kitchen", Tool: "boil", Description: "Heats water.", Schema: []byte(`{}`)},
	}}
	pool := contracts.Pool{CorpusVersion: "v1", Depth: 1, Retrievers: []string{"a"}}
	for i := range 300 {
		pool.Items = append(pool.Items, contracts.PoolItem{ID: fmt.Sprint("q", i), Query: "x", Tools: []string{"kitchen:boil"}, By: map[string][]contracts.ToolID{"a": {"kitchen:boil"}}})
	}
	for name, v := range map[string]any{"corpus.json": corpus, "pool.json": pool} {
		if err := contracts.Write(filepath.Join(dir, name), v); err != nil {
			t.Fatal(err)
		}
	}
	answered := map[string]int{}
	next := 0
	for round := range 3 {
		l := startLabel(t, dir)
		killed := make(chan struct{})
		for stop := next + 40*(round+1); next < len(pool.Items); next++ {
			if next == stop {
				// The kill comes while judgements go on.
				go func() {
					_ = l.cmd.Process.Kill()
					close(killed)
				}()
			}
			query, grade := pool.Items[next].ID, next%3
			if l.post("api/judge", map[string]any{"query": query, "tool": "kitchen:boil", "relevance": grade}) != nil {
				break
			}
			answered[query] = grade
		}
		<-killed
		_ = l.cmd.Wait()
	}
	if len(answered) < 200 {
		t.Fatalf("only %d judgements were answered", len(answered))
	}
	l := startLabel(t, dir)
	if err := l.post("api/export", struct{}{}); err != nil {
		t.Fatal(err)
	}
	exported, err := contracts.Read[contracts.Judgements](filepath.Join(dir, "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, q := range exported.Judged {
		found[q.ID] = q.Labels[0].Relevance
	}
	for query, grade := range answered {
		if got, ok := found[query]; !ok || got != grade {
			t.Errorf("%s was judged %d, and is %d (%v) after the kill", query, grade, got, ok)
		}
	}
	// An interrupt exports, too.
	if err := os.Remove(filepath.Join(dir, "out.json")); err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip("this system has no interrupts: ", err)
	}
	_ = l.cmd.Wait()
	if _, err := contracts.Read[contracts.Judgements](filepath.Join(dir, "out.json")); err != nil {
		t.Error(err)
	}
}
