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
	// beside are the times of the floor for the same queries as alone, each right after the
	// query of the system, so that other load on the machine slows both.
	beside latencies
	memory int64 // bytes, 0 if unknown
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
		made, err := exec.CommandContext(ctx, b.tool, "data", "synthesize", "--tools", strconv.Itoa(tools),
			"--servers", strconv.Itoa(tools/toolsPerServer), "--queries", strconv.Itoa(b.queries+warmUp),
			"-o", data).CombinedOutput()
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

		of, err := b.size(ctx, corpus, golden.Queries)
		all = append(all, of)
		if err != nil {
			return all, err
		}
	}

	return all, nil
}

// size measures all systems with one corpus. If it is interrupted, it returns those before.
func (b *bencher) size(ctx context.Context, corpus contracts.Corpus, queries []contracts.Query) (sized, error) {
	of := sized{tools: len(corpus.Tools)}
	i := slices.IndexFunc(b.built, func(s subject) bool { return s.name == floor })
	constant, err := b.start(ctx, b.built[i], corpus)
	if err != nil {
		return of, err
	}

	defer constant.Stop()
	for _, s := range b.built {
		row := timed{subject: s}
		if row.problem == nil {
			fmt.Fprintf(os.Stderr, "%s: timing %s with %d tools\n", time.Now().Format(time.TimeOnly), s.name, of.tools)
			row.problem = b.time(ctx, &row, constant, corpus, queries)
		}

		if ctx.Err() != nil {
			return of, ctx.Err()
		}

		of.rows = append(of.rows, row)
	}

	return of, nil
}

func (b *bencher) start(ctx context.Context, s subject, corpus contracts.Corpus) (*undertest.Proxy, error) {
	return undertest.Start(ctx, undertest.Options{
		Dir: s.proxy(), Corpus: corpus, SearchPath: contracts.SearchMCP, Executable: b.tool,
		ReadyTimeout: b.ready, QueryTimeout: b.ready, FindAtMost: findAtMost,
	})
}

// time measures one system with one corpus, beside a proxy that answers without a search.
func (b *bencher) time(ctx context.Context, row *timed, constant *undertest.Proxy, corpus contracts.Corpus,
	queries []contracts.Query) error {
	p, err := b.start(ctx, row.subject, corpus)
	if err != nil {
		return err
	}

	defer p.Stop()
	row.ready = p.TimeToReady()
	for _, q := range queries[:warmUp] {
		for _, warmed := range []searcher{p, constant} {
			if _, err := warmed.Search(ctx, q.Query, limit); err != nil {
				return fmt.Errorf("the first queries: %w", err)
			}
		}
	}

	queries = queries[warmUp:]
	row.alone, row.beside = b.askBeside(ctx, p, constant, queries)
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

	row.many = b.askAtOnce(ctx, clients, queries)
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

// add counts the time of one query.
func (l *latencies) add(ctx context.Context, c searcher, query string) {
	began := time.Now()
	_, err := c.Search(ctx, query, limit)
	if err != nil {
		l.failed++
		return
	}

	l.times = append(l.times, float64(time.Since(began))/float64(time.Millisecond))
}

// askBeside has a system and the constant answer asked in turn, until all queries are asked or
// the time is over.
func (b *bencher) askBeside(ctx context.Context, system, constant searcher, queries []contracts.Query) (of,
	beside latencies) {
	began := time.Now()
	for _, i := range replay.Order(1, "timed queries", len(queries)) {
		if ctx.Err() != nil || time.Since(began) > b.budget {
			break
		}

		of.add(ctx, system, queries[i].Query)
		beside.add(ctx, constant, queries[i].Query)
	}

	slices.Sort(of.times)
	slices.Sort(beside.times)
	return of, beside
}

// askAtOnce has the clients ask at the same time, each the next query that none has asked,
// until all are asked or the time is over.
func (b *bencher) askAtOnce(ctx context.Context, clients []searcher, queries []contracts.Query) latencies {
	next := make(chan string)
	each := make([]latencies, len(clients))
	var working sync.WaitGroup
	for i, c := range clients {
		working.Go(func() {
			for query := range next {
				each[i].add(ctx, c, query)
			}
		})
	}

	began := time.Now()
	for _, i := range replay.Order(2, "timed queries", len(queries)) {
		if ctx.Err() != nil || time.Since(began) > b.budget {
			break
		}

		next <- queries[i].Query
	}

	close(next)
	working.Wait()
	all := latencies{wall: time.Since(began)}
	for _, l := range each {
		all.times = append(all.times, l.times...)
		all.failed += l.failed
	}

	slices.Sort(all.times)
	return all
}
