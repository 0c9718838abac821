package undertest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
)

// adapterDriver drives a proxy that an adapter describes.
type adapterDriver struct {
	adapter *adapter.Adapter
	setting adapter.Setting // what is known before the start
	timeout time.Duration   // of one request

	run   *adapter.Run
	path  string // the search path that is used, also to find out whether the proxy is ready
	token string
	mcp   *mcpClient // nil until it is used
	home  string
	other *otherLines // what a proxy over stdio prints beside MCP; nil otherwise
	// corpus holds the tools that the proxy is given, or those of them that are searched
	// for.
	corpus contracts.Corpus
	// find lists the tools that must still be found before the proxy is ready.
	find []contracts.ToolID
	// byName finds the tools of a proxy that does not list them.
	byName nameSearch
}

// token returns a random text that only this process and the proxy know. Another
// program that listens on the proxy's port cannot know it.
func token() string { return strings.ToLower(rand.Text()) }

// secretVariable is the environment variable that passes the proxy's secret to a
// stage.
const secretVariable = "PROXY_SECRET"

// freeAddress finds an unused address on loopback.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port for the proxy: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (d *adapterDriver) replay() replay.Options {
	return replay.Options{PageSize: d.adapter.PageSize(), Both: true}
}

func (d *adapterDriver) degrades() bool { return false }

func (d *adapterDriver) launch(home string, opts Options) (adapter.Launch, error) {
	listen, err := freeAddress()
	if err != nil {
		return adapter.Launch{}, err
	}

	d.home, d.token, d.corpus = home, token(), spread(opts.Corpus, opts.FindAtMost)
	setting := d.setting
	setting.Home, setting.Listen, setting.Token = home, listen, d.token
	setting.Secret = cmp.Or(opts.Secret, os.Getenv(secretVariable))
	setting.Upstreams, setting.Tools = opts.upstreams, len(opts.Corpus.Tools)
	if d.run, err = d.adapter.Run(setting); err != nil {
		return adapter.Launch{}, err
	}

	d.path = cmp.Or(opts.SearchPath, d.adapter.SearchPaths()[0])
	if err := d.run.CheckSearch(d.path); err != nil {
		return adapter.Launch{},
			fmt.Errorf("%w: choose one of them with --search, in a pipeline with --var retrieval.search=NAME", err)
	}

	if d.run.FindEach() {
		d.find = ids(d.corpus)
	}

	return d.run.Launch()
}

// spread returns the corpus with at most most of its tools, among them the last one. Zero
// means all.
func spread(corpus contracts.Corpus, most int) contracts.Corpus {
	all := corpus.Tools
	if most <= 0 || most >= len(all) {
		return corpus
	}

	corpus.Tools = make([]contracts.Tool, most)
	for i := range most {
		corpus.Tools[i] = all[(i+1)*len(all)/most-1]
	}

	return corpus
}

func (d *adapterDriver) started(p *process) {
	p.log.keep(d.token)
	if p.out != nil {
		d.other = newOtherLines(p.log)
		d.mcp = newStdioClient(p, d.other)
	}
}

func (d *adapterDriver) close() {
	if d.mcp != nil {
		d.mcp.close()
	}
}

func (d *adapterDriver) address(home string) (address, bool, error) {
	var content []byte
	if file := d.run.Announcement(); file != "" {
		var err error
		content, err = readlimit.File(context.Background(), filepath.Join(home, file), maxAnnouncement)
		if errors.Is(err, fs.ErrNotExist) {
			return address{}, false, nil
		}

		if err != nil {
			return address{}, false, fmt.Errorf("read its announcement: %w", err)
		}
	}

	base, mcp, err := d.run.Address(content)
	return address{base, mcp}, err == nil, err
}

func (d *adapterDriver) ready(ctx context.Context, client *http.Client, addr address) (bool, string, error) {
	q, asked, err := d.run.ReadyQuestion()
	if err != nil {
		return false, "", err
	}

	if asked {
		answer, err := d.ask(ctx, client, addr, q)
		if err != nil {
			// The proxy may not listen yet, or report by its status that it is
			// not ready. Wait for it.
			return false, d.scrubbed(addr, err), d.stdioFailure(err)
		}

		done, progress, err := d.run.Ready(answer)
		if err != nil {
			return false, fmt.Sprintf("%v; it answered %s", err, quoteStart(answer.Text)), nil
		}

		if !done {
			return false, progress, nil
		}
	} else if d.mcp == nil && !listens(ctx, addr.base) && !listens(ctx, addr.mcp) {
		return false, "nothing listens at its address yet", nil
	}

	if !d.adapter.Lists() {
		done, progress := d.byName.pass(d.corpus, d.finder(ctx, client, addr))
		return done, progress, nil
	}

	return d.findEach(ctx, client, addr)
}

// finder returns a function that searches the proxy on the search path that is used: two
// paths may have two indexes.
func (d *adapterDriver) finder(ctx context.Context, client *http.Client, addr address) finder {
	return func(query string) (contracts.SearchAnswer, error) {
		answer, err := d.searchOn(ctx, client, addr, adapter.Asked{Path: d.path, Query: query, Limit: findDepth})
		return answer.SearchAnswer, err
	}
}

// listens reports whether the address accepts connections. This is the only check for
// a proxy whose adapter does not describe when it is ready. For an invalid address it
// returns true, and the user of the address reports the error.
func listens(ctx context.Context, base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Port() == "" {
		return true
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// findEach searches for each tool by its name until all are found. A tool that the
// proxy lists may not be indexed yet.
func (d *adapterDriver) findEach(ctx context.Context, client *http.Client, addr address) (bool, string, error) {
	find := d.finder(ctx, client, addr)
	for len(d.find) > 0 {
		_, name, _ := strings.Cut(d.find[0], ":")
		answer, err := find(name)
		if err != nil {
			return false, fmt.Sprintf("the search for tool %q failed: %s", d.find[0], d.scrubbed(addr, err)),
				d.stdioFailure(err)
		}

		found := false
		for _, hit := range answer.Tools {
			found = found || hit.Name == d.find[0]
		}

		if !found {
			return false, fmt.Sprintf("tool %q is not among the first %d results of a search for its name", d.find[0],
				findDepth), nil
		}

		d.find = d.find[1:]
	}

	return true, "", nil
}

func (d *adapterDriver) scrubbed(addr address, err error) string {
	return strings.ReplaceAll(err.Error(), addr.base, "the proxy")
}

func (d *adapterDriver) tools(ctx context.Context, client *http.Client, addr address) ([]Tool, error) {
	if !d.adapter.Lists() {
		return d.byName.tools(d.corpus, nil), nil
	}

	list, err := d.run.Listing()
	if err != nil {
		return nil, err
	}

	for {
		q, more, err := list.Question()
		if err != nil {
			return nil, err
		}

		if !more {
			break
		}

		answer, err := d.ask(ctx, client, addr, q)
		if err != nil {
			return nil, cmp.Or(d.stdioFailure(err), d.hinted(err))
		}

		if err := list.Add(answer); err != nil {
			return nil, fmt.Errorf("%w; it answered %s", err, quoteStart(answer.Text))
		}
	}

	listed, partial := list.Tools()
	tools, err := d.expected(toolsOf(listed))
	if err != nil || !partial {
		return tools, err
	}

	// The list may be incomplete. Search for the rest.
	for _, t := range tools {
		d.byName.listed(t.ID)
	}

	if err := d.byName.once(d.corpus, d.finder(ctx, client, addr)); err != nil {
		return nil, fmt.Errorf("search for the tools beyond its list: %w", err)
	}

	return append(tools, d.byName.tools(d.corpus, tools)...), nil
}

// hinted adds to an error that the proxy gave no answer what its adapter can say about
// that.
func (d *adapterDriver) hinted(err error) error {
	if !errors.Is(err, ErrNoAnswer) {
		return err
	}
	if d.adapter.HasReady() {
		return fmt.Errorf("%w; if it was still indexing, its adapter has to say so: correct done in the ready block",
			err)
	}
	return fmt.Errorf("%w; if it indexes before it answers, add a ready block to its adapter, which says when it is "+
		"ready (see docs/reference/adapters.md)", err)
}

func toolsOf(listed []adapter.Listed) []Tool {
	tools := make([]Tool, len(listed))
	for i, t := range listed {
		tools[i] = Tool{ID: t.ID, Schema: t.Schema, Problem: t.Problem, NoSchema: t.Schema == nil,
			NoDescription: t.Description == nil}
		if t.Description != nil {
			tools[i].Description = *t.Description
		}
	}

	return tools
}

// expected applies the known schema changes of the proxy to tools.
func (d *adapterDriver) expected(tools []Tool) ([]Tool, error) {
	out := slices.Clone(tools)
	if !d.adapter.Lists() {
		return out, nil
	}

	for i, t := range out {
		var err error
		if out[i].Schema, err = d.run.Comparable(t.Schema); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ask sends a request to the proxy, and waits for the answer for the time of one
// request at most.
func (d *adapterDriver) ask(ctx context.Context, client *http.Client, addr address,
	q adapter.Question) (adapter.Answer, error) {
	return within(ctx, d.timeout, func(ctx context.Context) (adapter.Answer, error) {
		ctx, cancel := d.other.watch(ctx)
		defer cancel()
		return d.send(ctx, client, addr, q)
	})
}

func (d *adapterDriver) send(ctx context.Context, client *http.Client, addr address,
	q adapter.Question) (adapter.Answer, error) {
	if q.Call == "" && !q.ListTools {
		req, err := http.NewRequestWithContext(ctx, q.Method, addr.base+q.URL, bytes.NewReader(q.Body))
		if err != nil {
			return adapter.Answer{}, err
		}

		if q.Body != nil {
			req.Header.Set("Content-Type", "application/json")
		}

		for name, v := range q.Headers {
			req.Header.Set(name, v)
		}

		body, err := fetch(client, req)
		return adapter.Answer{Text: body}, err
	}

	if d.mcp == nil {
		header, err := d.run.MCPHeaders()
		if err != nil {
			return adapter.Answer{}, err
		}

		d.mcp = newMCPClient(addr.mcp, client, header, d.run.SSE())
	}

	if q.ListTools {
		tools, err := d.mcp.list(ctx)
		if err != nil {
			return adapter.Answer{}, err
		}

		text, err := json.Marshal(map[string]any{"tools": tools})
		return adapter.Answer{Text: text}, err
	}

	result, err := d.mcp.call(ctx, q.Call, q.Arguments)
	if err != nil {
		return adapter.Answer{}, err
	}

	text := textOf(result)
	if result.IsError {
		return adapter.Answer{}, fmt.Errorf("%s: %s", q.Call, quoteStart([]byte(text)))
	}

	return adapter.Answer{Text: []byte(text), JSON: result.StructuredContent}, nil
}

func (d *adapterDriver) searcher(addr address, path string, client *http.Client) (searcher, error) {
	return &adapterSearcher{d, client, addr, cmp.Or(path, d.path)}, nil
}

func (d *adapterDriver) searchOn(ctx context.Context, client *http.Client, addr address,
	asked adapter.Asked) (Answer, error) {
	asked = d.run.Limited(asked)
	q, err := d.run.SearchQuestion(asked)
	if err != nil {
		return Answer{}, err
	}

	answer, err := d.ask(ctx, client, addr, q)
	if err != nil {
		return Answer{}, err
	}

	hits, err := d.run.Hits(asked, answer)
	if err != nil {
		return Answer{SearchAnswer: hits}, fmt.Errorf("the answer does not match adapter %s: %w; it begins %s",
			d.adapter.Name, err, quoteStart(answer.Text))
	}

	text, err := received(answer)
	if err != nil {
		return Answer{}, err
	}

	return Answer{hits, text, func(ctx context.Context, id contracts.ToolID) ([]byte, bool, error) {
		q, needed, err := d.run.DescribeQuestion(asked, answer, id)
		if err != nil || !needed {
			return nil, false, err
		}

		described, err := d.ask(ctx, client, addr, q)
		if err != nil {
			return nil, true, err
		}

		text, err := received(described)
		return text, true, err
	}}, nil
}

// received is what a client shows its model of an answer.
func received(answer adapter.Answer) ([]byte, error) {
	if len(answer.Text) > 0 || answer.JSON == nil {
		return answer.Text, nil
	}
	text, err := json.Marshal(answer.JSON)
	if err != nil {
		return nil, fmt.Errorf("the structured content of the answer: %w", err)
	}
	return text, nil
}

type adapterSearcher struct {
	driver *adapterDriver
	client *http.Client
	addr   address
	path   string
}

func (s *adapterSearcher) search(ctx context.Context, query string, limit int) (Answer, error) {
	return s.driver.searchOn(ctx, s.client, s.addr, adapter.Asked{Path: s.path, Query: query, Limit: limit})
}

func (s *adapterSearcher) ownTools(ctx context.Context) ([]Tool, error) {
	if s.path != contracts.SearchMCP || s.driver.mcp == nil {
		return nil, ErrNoMCP
	}
	return s.driver.mcp.ownTools(ctx)
}

func (s *adapterSearcher) close() {}

// another returns a driver with a session of its own: adapterSearcher makes it at the
// first query. Over stdio there is only one session, and it has its requests at the same
// time as those of d.
func (d *adapterDriver) another(addr address, path string, client *http.Client) (searcher, error) {
	own := *d
	own.mcp = nil
	if d.other != nil {
		own.mcp = d.mcp.sharing()
	}
	return &ownSearcher{adapterSearcher{&own, client, addr, cmp.Or(path, d.path)}}, nil
}

// ownSearcher is a searcher of one client among several.
type ownSearcher struct{ adapterSearcher }

func (s *ownSearcher) close() { s.driver.close() }
