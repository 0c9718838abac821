package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
	"github.com/touchstone-eval/touchstone/internal/report/compare"
)

const (
	// toolsPerServer is the number of tools of each server of the synthetic data.
	toolsPerServer = 50
	// limit is the number of results that a query asks for.
	limit = 10
	// warmUp is the number of queries before those that are timed.
	warmUp = 20
	// findAtMost is the number of tools that are searched for before a proxy is ready, if it
	// does not say by itself what it has indexed. More would add their time to the proxy's.
	findAtMost = 20
)

// sized are the times of all systems with one number of tools.
type sized struct {
	tools int
	rows  []timed
}

// timed are the times of one system. problem is why there are none.
type timed struct {
	subject
	ready       time.Duration
	alone, many latencies
	memory      int64 // bytes, 0 if unknown
}

// latencies are the times of queries. failed are those without an answer.
type latencies struct {
	times  []float64 // milliseconds, ascending
	failed int
	wall   time.Duration
}

func (l latencies) percentile(p float64) float64 { return compare.NearestRank(l.times, p) }

// perSecond is the number of answers in a second.
func (l latencies) perSecond() float64 {
	if l.wall <= 0 {
		return 0
	}
	return float64(len(l.times)) / l.wall.Seconds()
}

func (b *bencher) times(ctx context.Context) ([]sized, error) {
	var all []sized
	for _, tools := range b.sizes {
		data := filepath.Join(b.dir, "data-"+strconv.Itoa(tools))
		made, err := exec.CommandContext(ctx, b.tool, "data", "synthesize", "--tools", strconv.Itoa(tools), "--servers",
			strconv.Itoa(tools/toolsPerServer), "--queries", strconv.Itoa(b.queries+warmUp), "-o", data).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("making the data: %w\n%s", err, made)
		}

		corpus, err := contracts.Read[contracts.Corpus](filepath.Join(data, "corpus.json"))
		if err != nil {
			return nil, err
		}

		golden, err := contracts.Read[contracts.GoldenSet](filepath.Join(data, "golden.json"))
		if err != nil {
			return nil, err
		}

		of := sized{tools: tools}
		for _, s := range b.built {
			row := timed{subject: s}
			if row.problem == nil {
				fmt.Fprintf(os.Stderr, "%s: timing %s with %d tools\n", time.Now().Format(time.TimeOnly), s.name, tools)
				row.problem = b.time(ctx, &row, corpus, golden.Queries)
			}

			if ctx.Err() != nil {
				return nil, ctx.Err()
			}

			of.rows = append(of.rows, row)
		}

		all = append(all, of)
	}

	return all, nil
}

// time measures one system with one corpus.
func (b *bencher) time(ctx context.Context, row *timed, corpus contracts.Corpus, queries []contracts.Query) error {
	p, err := undertest.Start(ctx, undertest.Options{
		Dir: row.proxy(), Corpus: corpus, SearchPath: contracts.SearchMCP, Executable: b.tool,
		ReadyTimeout: b.ready, QueryTimeout: b.ready, FindAtMost: findAtMost,
	})
	if err != nil {
		return err
	}

	defer p.Stop()
	row.ready = p.TimeToReady()
	for _, q := range queries[:warmUp] {
		if _, err := p.Search(ctx, q.Query, limit); err != nil {
			return fmt.Errorf("the first queries: %w", err)
		}
	}

	queries = queries[warmUp:]
	row.alone = b.ask(ctx, []searcher{p}, queries)
	clients := make([]searcher, b.clients)
	for i := range clients {
		c, err := p.NewClient()
		if err != nil {
			return err
		}

		defer c.Close()
		clients[i] = c
		// Each client opens its session before any is timed.
		if _, err := c.Search(ctx, queries[0].Query, limit); err != nil {
			return fmt.Errorf("the first query of client %d: %w", i+1, err)
		}
	}

	row.many = b.ask(ctx, clients, queries)
	row.memory = p.PeakMemory()
	if len(row.alone.times) == 0 || len(row.many.times) == 0 {
		return errors.New("no query was answered")
	}

	return nil
}

// searcher is a client of a proxy.
type searcher interface {
	Search(ctx context.Context, query string, limit int) (undertest.Answer, error)
}

// ask has the clients ask at the same time, each the next query that none has asked, until
// all are asked or the time is over.
func (b *bencher) ask(ctx context.Context, clients []searcher, queries []contracts.Query) latencies {
	next := make(chan string)
	var all latencies
	var lock sync.Mutex
	var working sync.WaitGroup
	for _, c := range clients {
		working.Go(func() {
			for query := range next {
				began := time.Now()
				_, err := c.Search(ctx, query, limit)
				took := time.Since(began)
				lock.Lock()
				if err == nil {
					all.times = append(all.times, float64(took)/float64(time.Millisecond))
				} else {
					all.failed++
				}
				lock.Unlock()
			}
		})
	}

	began := time.Now()
	for _, i := range replay.Order(uint64(len(clients)), "timed queries", len(queries)) {
		if ctx.Err() != nil || time.Since(began) > b.budget {
			break
		}

		next <- queries[i].Query
	}

	close(next)
	working.Wait()
	all.wall = time.Since(began)
	slices.Sort(all.times)
	return all
}
