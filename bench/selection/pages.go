package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// storedCases is how many cases the stored runs are of.
const storedCases = 500

// pages reads every list, page by page, with many readers and one writer, of a
// database that holds many runs.
func pages(b *bench) error {
	db := b.size.database
	if db == "" {
		db = b.db()
	}

	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		took, err := timed(func() error { return fillStore(db, b.size.stored) })
		if err != nil {
			return err
		}

		b.printf("  %d runs stored in %.0f s", b.size.stored, took.Seconds())
	}

	s, err := b.serve(db)
	if err != nil {
		return err
	}

	defer s.kill()
	s.client.Transport = &http.Transport{MaxIdleConnsPerHost: b.size.readers + 1}
	var page struct {
		Items []selection.Run `json:"items"`
		Total int             `json:"total"`
	}
	if err := s.call("GET", "/runs?limit=1", nil, &page); err != nil {
		return err
	}

	if page.Total != b.size.stored {
		return fmt.Errorf("the list counts %d runs, and %d are stored", page.Total, b.size.stored)
	}

	list := []string{
		"/servers", "/cases", "/cases?tag=tag3&sort=-name", "/cases?search=query+7", "/runs",
		fmt.Sprintf("/runs?offset=%d", b.size.stored/2),
		fmt.Sprintf("/runs?offset=%d&sort=created_at", b.size.stored-50),
		"/runs?status=failed", "/runs?classification=FN", "/runs?model=lexical/bm25", "/runs?tag=tag3",
		"/runs?case=" + page.Items[0].CaseID, "/runs?batch=" + page.Items[0].BatchID, "/runs/" + page.Items[0].ID +
			"/tools",
	}
	figures, written, err := s.read(list, b.size)
	if err != nil {
		return err
	}

	b.printf("  %d readers, %d writes meanwhile; milliseconds:", b.size.readers, written)
	for _, path := range list {
		f := figures[path]
		slices.Sort(f)
		at := func(share float64) float64 { return f[int(share*float64(len(f)-1))].Seconds() * 1000 }
		b.printf("    p50 %7.1f  p95 %7.1f  max %7.1f  %s", at(.5), at(.95), at(1), path)
	}

	return s.stop()
}

// fillStore stores runs that have ended, as the runner does.
func fillStore(path string, runs int) (err error) {
	ctx := context.Background()
	s, err := store.Open(ctx, path)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, s.Close()) }()
	for i := range 20 {
		if _, err := s.CreateServer(ctx,
			selection.Server{Name: fmt.Sprintf("server%d", i),
				URL: fmt.Sprintf("https://server%d/mcp", i)}); err != nil {
			return err
		}
	}

	var cases []selection.Case
	for i := range storedCases {
		server := fmt.Sprintf("server%d", i%20)
		cases = append(cases, selection.Case{
			Name: fmt.Sprintf("case %d", i), Query: fmt.Sprintf("query %d", i), Servers: []string{server},
			Tags:     []string{fmt.Sprintf("tag%d", i%10)},
			Expected: []selection.Call{{Server: server, Tool: "right"}},
		})
	}

	if cases, err = s.CreateCases(ctx, cases); err != nil {
		return err
	}

	m := selection.Settings{Provider: "lexical", Model: "bm25", Timeout: 30, Confidence: selection.ConfidenceNone}
	const inBatch = 1000
	for done := 0; done < runs; done += inBatch {
		var list []store.NewRun
		for i := range min(inBatch, runs-done) {
			m.Model = []string{"bm25", "other", "third"}[i%3]
			list = append(list, store.NewRun{CaseID: cases[(done+i)%len(cases)].ID, Settings: m})
		}

		_, ids, err := s.CreateBatch(ctx, "", list)
		if err != nil {
			return err
		}

		for i, id := range ids {
			if err := endRun(ctx, s, id, cases[(done+i)%len(cases)], i); err != nil {
				return err
			}
		}
	}

	return nil
}

// endRun completes a run, rightly or wrongly, or fails it.
func endRun(ctx context.Context, s *store.Store, id string, c selection.Case, i int) error {
	if err := s.StartRun(ctx, id); err != nil {
		return err
	}

	if i%10 == 0 {
		return s.FailRun(ctx, id, "the provider answered 500", nil, 5)
	}

	server := c.Servers[0]
	tools := []selection.Tool{
		{Server: server, Name: "right", Description: "The right tool",
			InputSchema: json.RawMessage(`{"type":"object"}`)},
		{Server: server, Name: "wrong", Description: "Another tool", InputSchema: json.RawMessage(`{"type":"object"}`)},
	}
	if err := s.SaveTools(ctx, id, tools); err != nil {
		return err
	}

	one, zero := 1.0, 0.0
	e := selection.Evaluation{
		Classification: selection.TP, ToolSelectionCorrect: true, ParameterCompleteness: &one,
		ParameterCorrectness: &one, ParameterConformance: &one,
		Reasoning: "The model called right, as expected.",
	}
	chosen := tools[0]
	if i%5 == 1 {
		e.Classification, e.ToolSelectionCorrect = selection.FN, false
		e.ParameterCompleteness, e.ParameterCorrectness, e.ParameterConformance = &zero, &zero, &zero
		chosen = tools[1]
	}

	return s.CompleteRun(ctx, id, store.Outcome{
		Answer: selection.Answer{Calls: []selection.MadeCall{{ToolID: chosen.ID, Server: server, Tool: chosen.Name,
			Parameters: json.RawMessage(`{}`)}}, Attempts: 1},
		Evaluation: e, ExecutionTimeMS: 5,
	})
}

// read has readers ask for the pages in random order, beside one writer, and gives
// the times by page.
func (s *service) read(list []string, size sizes) (figures map[string][]time.Duration, written int, err error) {
	figures = map[string][]time.Duration{}
	var mu sync.Mutex
	var failures []error
	var group sync.WaitGroup
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}

			body := map[string]any{"name": fmt.Sprint("written ", written), "query": "q",
				"servers": []string{"server0"}}
			if err := s.call("POST", "/cases", body, nil); err != nil {
				mu.Lock()
				failures = append(failures, err)
				mu.Unlock()
				return
			}

			written++
			time.Sleep(size.pause / 10)
		}
	})
	for reader := range size.readers {
		random := rand.New(rand.NewPCG(uint64(reader), 1))
		group.Go(func() {
			for range size.requests {
				for _, i := range random.Perm(len(list)) {
					if size.pause > 0 {
						time.Sleep(time.Duration(random.Int64N(2 * int64(size.pause))))
					}

					took, err := timed(func() error { return s.fetch(list[i]) })
					mu.Lock()
					figures[list[i]] = append(figures[list[i]], took)
					if err != nil {
						failures = append(failures, err)
					}

					mu.Unlock()
				}
			}
		})
	}

	group.Wait()
	close(stop)
	writer.Wait()
	return figures, written, errors.Join(failures...)
}

// fetch reads an answer whole.
func (s *service) fetch(path string) error {
	resp, err := s.client.Get(s.address + "api/v1" + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
