package undertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
)

// linesDriver drives a search that is no proxy: a program that gets the tools and the
// queries as lines of JSON.
type linesDriver struct {
	adapter *adapter.Adapter
	setting adapter.Setting // what is known before the start

	corpus       contracts.Corpus // in the order of the seed
	conversation *conversation
	indexed      bool
}

func (d *linesDriver) replay() replay.Options { return replay.Options{None: true} }

func (d *linesDriver) degrades() bool { return false }

func (d *linesDriver) launch(home string, opts Options) (adapter.Launch, error) {
	d.corpus = replay.Shuffled(opts.Corpus, opts.Seed)
	setting := d.setting
	setting.Home, setting.Token, setting.Tools = home, token(), len(opts.Corpus.Tools)
	setting.Secret = cmp.Or(opts.Secret, os.Getenv(secretVariable))
	run, err := d.adapter.Run(setting)
	if err != nil {
		return adapter.Launch{}, err
	}
	return run.Launch()
}

func (d *linesDriver) started(p *process) { d.conversation = newConversation(p.in, p.out, p.exited) }

func (d *linesDriver) close() {}

// linesAddress stands for the address of a program that has none.
const linesAddress = "http://127.0.0.1"

func (d *linesDriver) address(string) (address, bool, error) {
	return address{linesAddress, linesAddress}, true, nil
}

// ready gives the program the tools. It is ready when it answers.
func (d *linesDriver) ready(ctx context.Context, _ *http.Client, _ address) (bool, string, error) {
	if d.indexed {
		return true, "", nil
	}

	r := contracts.SearchRequest{Op: contracts.OpIndex, Tools: make([]contracts.SearchTool, len(d.corpus.Tools))}
	for i, t := range d.corpus.Tools {
		r.Tools[i] = contracts.SearchTool{ID: t.ToolID, Server: t.Server, Name: t.Tool, Description: t.Description,
			InputSchema: t.Schema, OutputSchema: t.OutputSchema, Annotations: t.Annotations}
	}

	if _, err := d.conversation.ask(ctx, r); err != nil {
		if ctx.Err() != nil {
			return false, "it has not answered the request to index the tools", nil
		}

		return false, "", &finalError{fmt.Errorf("index the tools: %w", err)}
	}

	d.indexed = true
	return true, "", nil
}

// tools returns the tools that the program was given. It has no list of its own.
func (d *linesDriver) tools(context.Context, *http.Client, address) ([]Tool, error) {
	tools := OfCorpus(d.corpus)
	for i := range tools {
		tools[i].FoundBy = contracts.FoundByGiven
	}
	return tools, nil
}

func (d *linesDriver) expected(tools []Tool) ([]Tool, error) { return tools, nil }

func (d *linesDriver) searcher(address, string, *http.Client) (searcher, error) {
	return linesSearcher{d.conversation}, nil
}

func (d *linesDriver) another(address, string, *http.Client) (searcher, error) {
	return nil, errors.New("a search over lines answers one request at a time, so it has one client")
}

type linesSearcher struct{ *conversation }

func (s linesSearcher) search(ctx context.Context, query string, limit int) (Answer, error) {
	reply, err := s.ask(ctx, contracts.SearchRequest{Op: contracts.OpSearch, Query: query, Limit: limit})
	if err != nil {
		return Answer{}, err
	}

	if reply.Tools == nil {
		return Answer{}, errors.New(`the answer to a search has no list "tools"; without a result it ` +
			`must be empty`)
	}

	answer := contracts.SearchAnswer{Tools: make([]contracts.SearchHit, len(*reply.Tools)), Total: len(*reply.Tools)}
	for i, t := range *reply.Tools {
		answer.Tools[i] = contracts.SearchHit{Name: t.ID, Score: t.Score}
	}

	return Answer{SearchAnswer: answer}, nil
}

func (s linesSearcher) ownTools(context.Context) ([]Tool, error) { return nil, ErrNoMCP }

func (s linesSearcher) close() {}
